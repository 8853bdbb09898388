// Limits how often the stage draws: not at all with a graphics card; without one so that the page stays responsive.

const SCREEN_MS = 17;
const NOTICEABLE_MS = 10;
/** A slow stage gets this fraction of the time: 1 / SHARE. */
const SHARE = 3;

const COST = 0;
const LAST = 1;
const NEXT = 2;

/** Estimates the cost of a picture from the delay of the next animation frame. */
export class FrameBudget {
  /** Cost of a picture, last animation frame, next picture, ms. Number fields would allocate when they change. */
  private readonly times = new Float64Array(3);
  private drew = false;

  get slow(): boolean {
    return (this.times[COST] as number) > NOTICEABLE_MS;
  }

  /** Call on every animation frame; true if a picture may be drawn now. */
  allow(now: number): boolean {
    const { times } = this;
    if (this.drew) {
      const late = Math.max(0, Math.min(500, now - (times[LAST] as number)) - SCREEN_MS);
      times[COST] = (times[COST] as number) + 0.2 * (late - (times[COST] as number));
      this.drew = false;
    }
    times[LAST] = now;
    return now >= (times[NEXT] as number);
  }

  drawn(now: number): void {
    this.drew = true;
    this.times[NEXT] = this.slow ? now + SHARE * (this.times[COST] as number) : 0;
  }

  /** The stage was hidden: the delay of the next animation frame has no meaning. */
  rest(): void {
    this.drew = false;
  }
}
