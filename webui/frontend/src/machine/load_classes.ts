// Where the hydraulic power goes: energy in and out by load class, over all that this page has seen.
import { type Frame, valueIn } from "../socket/machine_messages.ts";

/** Channels of power in and out by place, each with its sign; `full`: the most that can come in, W. */
export interface PowerChannels {
  in: Array<{ index: number; sign: number }>;
  out: Array<{ index: number; sign: number }>;
  /** Pressures, and the oil that each takes up, m³/Pa. */
  stores: Array<{ index: number; compliance: number }>;
  full: number;
}

export interface LoadClass {
  /** Upper edge as a share of the full power. */
  upTo: number;
  seconds: number;
  inJ: number;
  outJ: number;
}

const EDGES = [0.1, 0.4, 0.7, Infinity];
/** Frames further apart than this leave a gap: nobody knows what was between them. */
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
   * Counts the time since the frame before with the powers of this one. A twin that is not in step does not count.
   *
   * Into the oil comes what pumps give, what sinking and braking loads give back, and what oil under pressure has
   * kept: without the last two, a boom that bounces on its oil would make energy. All of it is at least what the
   * actuators get, at any moment.
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

  /** Of those whose power goes this way; not a number where one of them is not known. */
  private sum(frame: Frame, channels: PowerChannels["in"], way: 1 | -1): number {
    let total = 0;
    for (const { index, sign } of channels) total += Math.max(0, way * sign * valueIn(frame, index));
    return total;
  }

  /** Energy of the oil that is under pressure, J. */
  private stored(frame: Frame): number {
    let total = 0;
    for (const { index, compliance } of this.channels.stores) total += (compliance * valueIn(frame, index) ** 2) / 2;
    return total;
  }
}
