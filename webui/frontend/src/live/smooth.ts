// A number for people from one that jitters: a mean that forgets.

export class Smooth {
  value: number | null = null;
  private at = 0;

  constructor(private readonly timeMs: number) {}

  /** The newest number; null when there is none, and the next one starts afresh. */
  take(number: number | null, nowMs: number): void {
    if (number === null || this.value === null) this.value = number;
    else this.value += (1 - Math.exp((this.at - nowMs) / this.timeMs)) * (number - this.value);
    this.at = nowMs;
  }
}
