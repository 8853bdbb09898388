// Keeps the last minute of a machine in columns, oldest first. They are contiguous, so that charts read them without
// copying.
import { type Frame, INNOVATION, MEASURED, SIGMA, UNCORRECTED, VALUE } from "../socket/machine_messages.ts";

/**
 * A table of numbers with fixed capacity. Old rows are removed at the front; their space is freed by one copy per
 * `capacity` rows.
 */
export class Table {
  readonly time: Float64Array;
  readonly columns: Float32Array[];
  start = 0;
  end = 0;

  constructor(
    readonly capacity: number,
    width: number,
  ) {
    this.time = new Float64Array(2 * capacity);
    this.columns = Array.from({ length: width }, () => new Float32Array(2 * capacity));
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Adds a row at time t and returns its index; the caller fills the columns. */
  append(t: number): number {
    if (this.end === this.time.length) this.compact();
    if (this.length === this.capacity) this.start += 1;
    this.time[this.end] = t;
    this.end += 1;
    return this.end - 1;
  }

  clear(): void {
    this.start = 0;
    this.end = 0;
  }

  /** Returns the index of the first row at or after t; `end` if there is none. */
  lowerBound(t: number): number {
    let low = this.start;
    let high = this.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.time[middle] as number) < t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private compact(): void {
    this.time.copyWithin(0, this.start, this.end);
    for (const column of this.columns) column.copyWithin(0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
  }
}

const FRAME_ROWS = 2400; // two minutes at 20 Hz: the window and room to pause in
const SAMPLE_ROWS = 240;
/** Shortest time between dots; closer dots would merge on the screen. */
export const SAMPLE_SPACING_S = 0.5;

/**
 * The twin's states (value and sigma per channel) with the open-loop model and the normalised innovations, and, at
 * longer intervals, the readings. NaN means unknown. States after the last sample of a silent machine are marked as
 * simulated.
 */
export class History {
  readonly states: Table;
  readonly samples: Table;
  /** The newest sample: its machine time in s (0: none yet) and its readings. */
  sampleTime = 0;
  readonly lastReadings: Float32Array;

  constructor(private readonly channelCount: number) {
    this.states = new Table(FRAME_ROWS, 4 * channelCount + 1);
    this.samples = new Table(SAMPLE_ROWS, channelCount);
    this.lastReadings = new Float32Array(channelCount).fill(NaN);
  }

  /** 1 where the twin ran without data, otherwise 0. */
  get alone(): Float32Array {
    return this.states.columns[4 * this.channelCount] as Float32Array;
  }

  uncorrected(channel: number): Float32Array {
    return this.states.columns[2 * this.channelCount + channel] as Float32Array;
  }

  /** Returns the normalised innovation of the newest reading at each state; each reading counts once. */
  innovation(channel: number): Float32Array {
    return this.states.columns[3 * this.channelCount + channel] as Float32Array;
  }

  value(channel: number): Float32Array {
    return this.states.columns[channel] as Float32Array;
  }

  sigma(channel: number): Float32Array {
    return this.states.columns[this.channelCount + channel] as Float32Array;
  }

  measured(channel: number): Float32Array {
    return this.samples.columns[channel] as Float32Array;
  }

  push(frame: Frame): void {
    this.dropFuture(frame.t / 1e6);
    const row = this.states.append(frame.t / 1e6);
    for (let i = 0; i < this.channelCount; i++) {
      const flags = frame.flags[i] as number;
      this.value(i)[row] = flags & VALUE ? (frame.value[i] as number) : NaN;
      this.sigma(i)[row] = flags & SIGMA ? (frame.sigma[i] as number) : NaN;
      this.uncorrected(i)[row] = flags & UNCORRECTED ? (frame.uncorrected[i] as number) : NaN;
      const fresh = flags & INNOVATION && frame.tSample / 1e6 > this.sampleTime;
      this.innovation(i)[row] = fresh ? (frame.innovation[i] as number) / (frame.spread[i] as number) : NaN;
    }
    this.alone[row] = 0;
    if (frame.status === "coasting" || frame.status === "stale") this.markAlone(frame.tSample / 1e6);
    this.pushSample(frame);
  }

  /** Marks states since a silence began as simulated. A silence is noticed only some time after it began. */
  private markAlone(since: number): void {
    const { states, alone } = this;
    for (let i = states.end - 1; i >= states.start && (states.time[i] as number) > since; i--) {
      if (alone[i] === 1) return;
      alone[i] = 1;
    }
  }

  private pushSample(frame: Frame): void {
    if (frame.tSample === 0) return;
    const t = frame.tSample / 1e6;
    const { samples } = this;
    this.sampleTime = t;
    for (let i = 0; i < this.channelCount; i++) {
      this.lastReadings[i] = (frame.flags[i] as number) & MEASURED ? (frame.measured[i] as number) : NaN;
    }
    if (samples.length > 0 && t < (samples.time[samples.end - 1] as number) + SAMPLE_SPACING_S) return;
    const row = samples.append(t);
    for (let i = 0; i < this.channelCount; i++) this.measured(i)[row] = this.lastReadings[i] as number;
  }

  /** Starts the history again if the machine's clock was set back, because time must increase. */
  private dropFuture(t: number): void {
    const { states, samples } = this;
    if (states.length > 0 && t < (states.time[states.end - 1] as number)) {
      states.clear();
      samples.clear();
      this.sampleTime = 0;
    }
  }
}
