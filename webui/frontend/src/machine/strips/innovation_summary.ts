// Counts a sensor's innovations.
import type { History } from "../history.ts";

const NEAR_S = 0.5;

export interface Share {
  read: number;
  beyond: number;
}

/** Returns the number of innovations in the window that ends at `now`, and how many exceed two standard deviations. */
export function beyondTwo(history: History, channel: number, now: number, windowS: number): Share {
  const { states } = history;
  const normalised = history.innovation(channel);
  const found = { read: 0, beyond: 0 };
  for (let i = states.lowerBound(now - windowS); i < states.end && (states.time[i] as number) <= now; i++) {
    const nu = normalised[i] as number;
    if (Number.isNaN(nu)) continue;
    found.read += 1;
    if (Math.abs(nu) > 2) found.beyond += 1;
  }
  return found;
}

/** Returns the innovation nearest to t within half a second; NaN if there is none. */
export function innovationAt(history: History, channel: number, t: number): number {
  const { states } = history;
  const normalised = history.innovation(channel);
  let best = NaN;
  let distance = NEAR_S;
  for (let i = states.lowerBound(t - distance); i < states.end && (states.time[i] as number) < t + NEAR_S; i++) {
    const apart = Math.abs((states.time[i] as number) - t);
    if (Number.isNaN(normalised[i] as number) || apart > distance) continue;
    best = normalised[i] as number;
    distance = apart;
  }
  return best;
}
