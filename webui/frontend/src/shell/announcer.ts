// Speech for screen readers, rationed: the newest text wins, at most one per interval.

const INTERVAL_MS = 5_000;

export class Announcer {
  private spokenAt = -Infinity;
  private spoken = "";

  constructor(private readonly speak: (text: string) => void) {}

  /** Call as often as convenient with what is true now. */
  offer(text: string, nowMs: number): void {
    if (text === this.spoken || nowMs - this.spokenAt < INTERVAL_MS) return;
    this.spoken = text;
    this.spokenAt = nowMs;
    this.speak(text);
  }
}
