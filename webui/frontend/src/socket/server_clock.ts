// The server's clock as seen from here, from the time stamps in hello and ping.

const WINDOW = 30;

/**
 * A stamp that travelled for d arrives with server - local = offset - d, so of the recent stamps the largest
 * difference is the nearest to the truth. Local time must be monotonic (performance.now()).
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

  /** Server time in µs at a local time in ms; 0 before the first stamp. */
  now(localMs: number): number {
    return this.known ? localMs * 1000 + this.offsetUs : 0;
  }
}
