// Estimates the server's clock from the time stamps in hello and ping messages.

const WINDOW = 30;

/**
 * Estimates the offset between the server's clock and the local one. A time stamp that travelled for a time d arrives
 * with server - local = offset - d. The largest difference among the recent stamps is therefore closest to the true
 * offset. Local time must be monotonic (performance.now()).
 */
export class ServerClock {
  private readonly differences = new Float64Array(WINDOW);
  private count = 0;
  private offsetUs = 0;

  sample(serverUs: number, localMs: number): void {
    this.differences[this.count % WINDOW] = serverUs - localMs * 1000;
    this.count += 1;
    this.offsetUs = Math.max(...this.differences.subarray(0, Math.min(this.count, WINDOW)));
  }

  get known(): boolean {
    return this.count > 0;
  }

  /** Returns the server time in µs at a local time in ms; 0 before the first stamp. */
  now(localMs: number): number {
    return this.known ? localMs * 1000 + this.offsetUs : 0;
  }
}
