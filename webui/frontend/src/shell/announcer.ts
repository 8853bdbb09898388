// Announces texts to screen readers: the newest one, at most once per interval.

const INTERVAL_MS = 5_000;

export class Announcer {
  private spokenAt = -Infinity;
  private spoken = "";

  constructor(private readonly speak: (text: string) => void) {}

  /** Offers the present text; may be called as often as convenient. */
  offer(text: string, nowMs: number): void {
    if (text === this.spoken || nowMs - this.spokenAt < INTERVAL_MS) return;
    this.spoken = text;
    this.spokenAt = nowMs;
    this.speak(text);
  }
}
