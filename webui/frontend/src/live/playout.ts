// Smooth motion from frames that arrive unevenly: drawn about one frame behind, between two known states.

const ROWS = 16;
const TARGET_S = 0.06; // a little more than the 50 ms between frames
const SNAP_S = 0.5;
const PULL = 0.1; // share of the timing error corrected per drawn frame

/** A short queue of poses; `sample` moves along it at the pace of the screen. */
export class Playout {
  readonly pose: Float64Array;
  private readonly times = new Float64Array(ROWS);
  private readonly poses: Float64Array[];
  private count = 0;
  private clock = 0;

  constructor(width: number) {
    this.pose = new Float64Array(width);
    this.poses = Array.from({ length: ROWS }, () => new Float64Array(width));
  }

  /** Adds the pose at machine time t (s): the chosen channels of a frame. */
  push(t: number, values: Float32Array, channels: readonly number[]): void {
    if (this.count > 0 && t <= this.newest) {
      if (t === this.newest) return;
      this.count = 0;
    }
    if (this.count === ROWS) this.dropOldest();
    const pose = this.poses[this.count] as Float64Array;
    for (let i = 0; i < pose.length; i++) pose[i] = values[channels[i] as number] as number;
    this.times[this.count] = t;
    this.count += 1;
  }

  /** Moves on by dt seconds of screen time; true when the pose differs from the one before. */
  sample(dt: number, smooth = true): boolean {
    if (this.count === 0) return false;
    const target = smooth ? this.newest - TARGET_S : this.newest;
    const next = this.clock + dt;
    const error = target - next;
    this.clock = !smooth || Math.abs(error) > SNAP_S ? target : next + PULL * error;
    this.clock = Math.min(this.clock, this.newest);
    return this.interpolate();
  }

  private get newest(): number {
    return this.times[this.count - 1] as number;
  }

  private interpolate(): boolean {
    let upper = 0;
    while (upper < this.count - 1 && (this.times[upper] as number) < this.clock) upper += 1;
    const lower = Math.max(0, upper - 1);
    const t0 = this.times[lower] as number;
    const t1 = this.times[upper] as number;
    const share = t1 > t0 ? Math.min(1, Math.max(0, (this.clock - t0) / (t1 - t0))) : 1;
    const from = this.poses[lower] as Float64Array;
    const to = this.poses[upper] as Float64Array;
    let moved = false;
    for (let i = 0; i < this.pose.length; i++) {
      const value = (from[i] as number) + share * ((to[i] as number) - (from[i] as number));
      if (value !== this.pose[i]) moved = true;
      this.pose[i] = value;
    }
    return moved;
  }

  private dropOldest(): void {
    const oldest = this.poses.shift() as Float64Array;
    this.poses.push(oldest);
    this.times.copyWithin(0, 1);
    this.count -= 1;
  }
}
