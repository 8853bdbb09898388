// Work that need not happen on every animation frame.

export class Throttle {
  private next = 0;

  constructor(private readonly intervalMs: number) {}

  /** True at most once per interval. */
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
