// How often the stage may draw: always on a graphics card, rarely enough elsewhere that the page stays quick.

const SCREEN_MS = 17;
const NOTICEABLE_MS = 10;
/** A slow stage gets one part of the time in this many. */
const SHARE = 3;

const COST = 0;
const LAST = 1;
const NEXT = 2;

/** Learns what a picture costs from how late the animation frame after it comes. */
export class FrameBudget {
  /** ms: what a picture costs, the last animation frame, the next picture. Not fields: these would be put into boxes. */
  private readonly times = new Float64Array(3);
  private drew = false;

  get slow(): boolean {
    return (this.times[COST] as number) > NOTICEABLE_MS;
  }

  /** Call on every animation frame; true when a picture may be drawn now. */
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

  /** Nobody looks any more: how late the next animation frame comes says nothing. */
  rest(): void {
    this.drew = false;
  }
}
