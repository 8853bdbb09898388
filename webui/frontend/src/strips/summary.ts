// What a strip says in words and in rows, for those who cannot or do not want to read the curve.
import { Z95, formatNumber, withUnit, type Display } from "../format.ts";
import type { History } from "../live/history.ts";

export interface Extent {
  low: number;
  high: number;
}

/** Lowest and highest value in display units from t on; with `band` the 95 % interval counts, too. */
export function extent(history: History, channel: number, t: number, factor: number, band: boolean, out: Extent): Extent {
  const value = history.value(channel);
  const sigma = history.sigma(channel);
  const { states, samples } = history;
  out.low = Infinity;
  out.high = -Infinity;
  for (let i = states.lowerBound(t); i < states.end; i++) {
    const half = band && !Number.isNaN(sigma[i] as number) ? Z95 * (sigma[i] as number) : 0;
    widen(out, ((value[i] as number) - half) * factor);
    widen(out, ((value[i] as number) + half) * factor);
  }
  if (!band) return out;
  const measured = history.measured(channel);
  for (let i = samples.lowerBound(t); i < samples.end; i++) widen(out, (measured[i] as number) * factor);
  return out;
}

function widen(out: Extent, value: number): void {
  if (value < out.low) out.low = value;
  if (value > out.high) out.high = value;
}

/** One sentence: the range in the window that ends now. */
export function takeaway(history: History, channel: number, now: number, windowS: number, display: Display): string {
  const { states } = history;
  if (states.length === 0) return "No data yet.";
  const { low, high } = extent(history, channel, now - windowS, display.factor, false, { low: 0, high: 0 });
  if (low > high) return `No data in the last ${windowS} s.`;
  const number = (x: number) => formatNumber(x, display.decimals);
  const span = Math.min(windowS, now - (states.time[states.start] as number));
  return `Between ${number(low)} and ${withUnit(number(high), display.unit)} in the last ${Math.max(1, Math.round(span))} s.`;
}

export interface Row {
  secondsAgo: number;
  value: number;
  half: number;
  measured: number;
}

/** Every `step` seconds back from `now`: the state and the reading next before it. NaN where there is none. */
export function rows(history: History, channel: number, now: number, windowS: number, step: number): Row[] {
  const result: Row[] = [];
  for (let ago = 0; ago <= windowS; ago += step) result.push({ secondsAgo: ago, ...at(history, channel, now - ago) });
  return result;
}

const NEAR_S = 0.75;

/** State and reading at time t, in SI: the newest not after it, unless that is too long before. */
export function at(history: History, channel: number, t: number): Omit<Row, "secondsAgo"> {
  const state = newestBefore(history.states.time, history.states.lowerBound(t + 1e-6), history.states.start, t);
  const sample = newestBefore(history.samples.time, history.samples.lowerBound(t + 1e-6), history.samples.start, t);
  return {
    value: state < 0 ? NaN : (history.value(channel)[state] as number),
    half: state < 0 ? NaN : Z95 * (history.sigma(channel)[state] as number),
    measured: sample < 0 ? NaN : (history.measured(channel)[sample] as number),
  };
}

function newestBefore(time: Float64Array, bound: number, start: number, t: number): number {
  const i = bound - 1;
  return i >= start && t - (time[i] as number) < NEAR_S ? i : -1;
}
