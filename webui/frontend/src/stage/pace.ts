// How often the stage may draw: always on a graphics card, rarely enough elsewhere that the page stays quick.

const SCREEN_MS = 17;
const NOTICEABLE_MS = 10;
/** A slow stage gets one part of the time in this many. */
const SHARE = 3;

/** Learns what a picture costs from how late the animation frame after it comes. */
export class Pace {
  private cost = 0;
  private drew = false;
  private nextAt = 0;

  get slow(): boolean {
    return this.cost > NOTICEABLE_MS;
  }

  /** Call on every animation frame; true when a picture may be drawn now. */
  allow(now: number, sinceLastMs: number): boolean {
    if (this.drew) {
      this.cost += 0.2 * (Math.max(0, Math.min(500, sinceLastMs) - SCREEN_MS) - this.cost);
      this.drew = false;
    }
    return now >= this.nextAt;
  }

  drawn(now: number): void {
    this.drew = true;
    this.nextAt = this.slow ? now + SHARE * this.cost : 0;
  }
}
