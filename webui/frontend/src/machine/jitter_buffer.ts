// A jitter buffer: makes smooth motion from frames that arrive unevenly, by interpolating about one frame behind the
// newest.

const ROWS = 16;
const TARGET_S = 0.06; // a little more than the 50 ms between frames
const SNAP_S = 0.5;
const PULL = 0.1; // share of the timing error corrected per drawn frame

/** A short queue of poses; `sample` moves along it in step with the time of the screen. */
export class JitterBuffer {
  readonly pose: Float64Array;
  private readonly times = new Float64Array(ROWS);
  /** The poses, row by row; there are `count` of them. */
  private readonly poses: Float64Array;
  private count = 0;
  /**
   * Machine time shown, s, and its screen time, ms. They are in an array because number fields would allocate when they
   * change.
   */
  private readonly clocks = new Float64Array(2);

  constructor(private readonly width: number) {
    this.pose = new Float64Array(width);
    this.poses = new Float64Array(ROWS * width);
  }

  /** Adds the pose at machine time t, s, from the given channels of a frame. */
  push(t: number, values: Float32Array, channels: readonly number[]): void {
    if (this.count > 0 && t <= this.newest) {
      if (t === this.newest) return;
      this.count = 0;
    }
    if (this.count === ROWS) this.dropOldest();
    const row = this.count * this.width;
    for (let i = 0; i < this.width; i++) this.poses[row + i] = values[channels[i] as number] as number;
    this.times[this.count] = t;
    this.count += 1;
  }

  /** Advances to a screen time, ms; returns true if the pose changed. */
  sample(now: number, smooth = true): boolean {
    if (this.count === 0) return false;
    const { clocks } = this;
    const newest = this.times[this.count - 1] as number;
    const target = smooth ? newest - TARGET_S : newest;
    const next = (clocks[0] as number) + (now - (clocks[1] as number)) / 1000;
    const error = target - next;
    const clock = !smooth || Math.abs(error) > SNAP_S ? target : next + PULL * error;
    clocks[0] = Math.min(clock, newest);
    clocks[1] = now;
    return this.interpolate();
  }

  private get newest(): number {
    return this.times[this.count - 1] as number;
  }

  private interpolate(): boolean {
    const clock = this.clocks[0] as number;
    let upper = 0;
    while (upper < this.count - 1 && (this.times[upper] as number) < clock) upper += 1;
    const lower = Math.max(0, upper - 1);
    const t0 = this.times[lower] as number;
    const t1 = this.times[upper] as number;
    const share = t1 > t0 ? Math.min(1, Math.max(0, (clock - t0) / (t1 - t0))) : 1;
    let moved = false;
    for (let i = 0; i < this.width; i++) {
      const from = this.poses[lower * this.width + i] as number;
      const to = this.poses[upper * this.width + i] as number;
      const value = from + share * (to - from);
      if (value !== this.pose[i]) moved = true;
      this.pose[i] = value;
    }
    return moved;
  }

  private dropOldest(): void {
    this.poses.copyWithin(0, this.width);
    this.times.copyWithin(0, 1);
    this.count -= 1;
  }
}
