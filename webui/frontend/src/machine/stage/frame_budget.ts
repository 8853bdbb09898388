// Limits how often the stage is drawn, so that the page stays responsive without a graphics card; with one there is no
// limit.

const SCREEN_MS = 17;
const NOTICEABLE_MS = 10;
/** A slow stage gets 1 / SHARE of the time. */
const SHARE = 3;

const COST = 0;
const LAST = 1;
const NEXT = 2;

/** Estimates how long a picture takes from the delay of the next animation frame. */
export class FrameBudget {
  /**
   * Duration of a picture, last animation frame, next picture, ms. In an array, because number fields would allocate
   * when they change.
   */
  private readonly times = new Float64Array(3);
  private drew = false;

  get slow(): boolean {
    return (this.times[COST] as number) > NOTICEABLE_MS;
  }

  /** Returns true if a picture may be drawn now; call it on every animation frame. */
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

  /** Notes that the stage was hidden, so the delay of the next animation frame has no meaning. */
  rest(): void {
    this.drew = false;
  }
}
