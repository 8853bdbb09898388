// Sums hydraulic energy in and out by load class, since the page was opened.
import { type Frame, valueIn } from "../socket/machine_messages.ts";

/** Indexes of the channels of power in and out, each with its sign; `full`: largest power in, W. */
export interface PowerChannels {
  in: Array<{ index: number; sign: number }>;
  out: Array<{ index: number; sign: number }>;
  /** Pressure channels, with the compliance of their volumes, m³/Pa. */
  stores: Array<{ index: number; compliance: number }>;
  full: number;
}

export interface LoadClass {
  /** Upper limit of the class, as a share of the full power. */
  upTo: number;
  seconds: number;
  inJ: number;
  outJ: number;
}

const EDGES = [0.1, 0.4, 0.7, Infinity];
/** Longest time between two frames that is counted. */
const GAP_S = 0.5;

export class LoadClasses {
  readonly classes: LoadClass[] = EDGES.map((upTo) => ({ upTo, seconds: 0, inJ: 0, outJ: 0 }));
  private before = NaN;
  private storedBefore = NaN;

  constructor(private readonly channels: PowerChannels) {}

  get seconds(): number {
    return this.classes.reduce((sum, each) => sum + each.seconds, 0);
  }

  /**
   * Adds the time since the previous frame with the powers of this one, if the twin is synced.
   *
   * Energy in is what pumps deliver, what sinking and braking loads return, and what compressed oil releases. Without
   * the last two, a boom that bounces on its oil would create energy. Their sum is never less than what the actuators
   * get.
   */
  take(frame: Frame): void {
    const t = frame.t / 1e6;
    const dt = t - this.before;
    const stored = this.stored(frame);
    const released = Math.max(0, this.storedBefore - stored);
    this.before = t;
    this.storedBefore = stored;
    if (frame.status !== "synced" || !(dt > 0 && dt <= GAP_S)) return;
    const given = this.sum(frame, this.channels.in, 1);
    const taken = this.sum(frame, this.channels.out, 1);
    const comesIn = (given + this.sum(frame, this.channels.out, -1)) * dt + released;
    if (Number.isNaN(comesIn) || Number.isNaN(taken)) return;
    const share = given / this.channels.full;
    const found = this.classes.find(({ upTo }) => share < upTo) as LoadClass;
    found.seconds += dt;
    found.inJ += comesIn;
    found.outJ += taken * dt;
  }

  /** Returns the sum of the powers in this direction; NaN if one of them is unknown. */
  private sum(frame: Frame, channels: PowerChannels["in"], way: 1 | -1): number {
    let total = 0;
    for (const { index, sign } of channels) total += Math.max(0, way * sign * valueIn(frame, index));
    return total;
  }

  /** Returns the energy stored in compressed oil, J. */
  private stored(frame: Frame): number {
    let total = 0;
    for (const { index, compliance } of this.channels.stores) total += (compliance * valueIn(frame, index) ** 2) / 2;
    return total;
  }
}
