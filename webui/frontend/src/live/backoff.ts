// How long to wait before the next attempt to connect.

const FIRST_MS = 500;
const LONGEST_MS = 10_000;

/** Exponential with jitter over the upper half, so that browsers do not return to a restarted server all at once. */
export function retryDelay(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return ceiling / 2 + (random() * ceiling) / 2;
}
