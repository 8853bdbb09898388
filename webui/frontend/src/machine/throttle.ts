// Limits how often something happens: at most once per interval.

export class Throttle {
  private next = 0;

  constructor(private readonly intervalMs: number) {}

  /** Returns true if the interval has passed, and starts the next one. */
  due(nowMs: number): boolean {
    if (nowMs < this.next) return false;
    this.next = nowMs + this.intervalMs;
    return true;
  }

  /** Makes the next call due. */
  hurry(): void {
    this.next = 0;
  }
}
