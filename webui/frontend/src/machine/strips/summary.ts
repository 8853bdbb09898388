// Writes the texts and table rows of a strip, for people who do not read the curve.
import { type Display, formatNumber, withUnit, Z95 } from "../../format.ts";
import { t } from "../../words.ts";
import type { History } from "../history.ts";

export interface Extent {
  low: number;
  high: number;
}

/**
 * Limits on how far an unusually wide band may widen the axis: a multiple of the usual band, and a share of the curve.
 */
const USUAL = 2;
const SHARE = 0.25;

/** Returns the lowest and highest value from t on, in display units. */
export function extent(history: History, channel: number, t: number, factor: number, out: Extent): Extent {
  const value = history.value(channel);
  const { states } = history;
  reset(out);
  for (let i = states.lowerBound(t); i < states.end; i++) widen(out, (value[i] as number) * factor);
  return out;
}

/**
 * Returns the range of a strip from t on: values, readings and 95 % bands. After a start or without data, the band can
 * be much wider than the curve; then only a part of the band counts.
 */
export function picture(history: History, channel: number, t: number, factor: number, out: Extent): Extent {
  const value = history.value(channel);
  const sigma = history.sigma(channel);
  const measured = history.measured(channel);
  const { states, samples } = history;
  extent(history, channel, t, factor, out);
  for (let i = samples.lowerBound(t); i < samples.end; i++) widen(out, (measured[i] as number) * factor);
  const from = states.lowerBound(t);
  const most = USUAL * usualBand(history, channel, from) * factor + SHARE * (out.high - out.low);
  for (let i = from; i < states.end; i++) {
    const half = Math.min(most, Z95 * (sigma[i] as number) * factor);
    widen(out, (value[i] as number) * factor - half);
    widen(out, (value[i] as number) * factor + half);
  }
  widenToModel(history, channel, from, factor, out);
  return out;
}

/**
 * Widens the range for the open-loop model, by at most its own size to either side, because the model may drift
 * anywhere.
 */
function widenToModel(history: History, channel: number, from: number, factor: number, out: Extent): void {
  const { states } = history;
  const model = history.uncorrected(channel);
  const span = out.high - out.low;
  const [low, high] = [out.low - span, out.high + span];
  for (let i = from; i < states.end; i++) {
    if (!Number.isNaN(model[i] as number)) widen(out, Math.min(high, Math.max(low, (model[i] as number) * factor)));
  }
}

/** Returns the mean half width of the 95 % band while data arrived. */
function usualBand(history: History, channel: number, from: number): number {
  const { states, alone } = history;
  const sigma = history.sigma(channel);
  let sum = 0;
  let count = 0;
  for (let i = from; i < states.end; i++) {
    if (alone[i] === 1 || Number.isNaN(sigma[i] as number)) continue;
    sum += sigma[i] as number;
    count += 1;
  }
  return count === 0 ? 0 : (Z95 * sum) / count;
}

function reset(out: Extent): void {
  out.low = Infinity;
  out.high = -Infinity;
}

function widen(out: Extent, value: number): void {
  if (value < out.low) out.low = value;
  if (value > out.high) out.high = value;
}

/** Describes the range in the window that ends at `end`, in one sentence. */
export function takeaway(history: History, channel: number, end: number, windowS: number, display: Display): string {
  const { states } = history;
  if (states.length === 0) return t("No data yet.");
  const { low, high } = extent(history, channel, end - windowS, display.factor, { low: 0, high: 0 });
  if (low > high) return t("No data in these {seconds} s.", { seconds: windowS });
  const number = (x: number) => formatNumber(x, display.decimals);
  const span = Math.min(windowS, end - (states.time[states.start] as number));
  const seconds = Math.max(1, Math.round(span));
  return t("Between {low} and {high} in these {seconds} s.", {
    low: number(low),
    high: withUnit(number(high), display.unit),
    seconds,
  });
}

/** The twin's value and, if there is a sensor, the reading at the same time. SI units; NaN if unknown. */
export interface Pair {
  t: number;
  value: number;
  half: number;
  measured: number;
  model: number; // open loop
}

/** Returns pairs for every `step` seconds back from `now`. */
export function rows(
  history: History,
  channel: number,
  now: number,
  windowS: number,
  step: number,
  stepped = false,
): Pair[] {
  const result: Pair[] = [];
  for (let ago = 0; ago <= windowS; ago += step) result.push(pairAt(history, channel, now - ago, stepped));
  return result;
}

const NEAR_S = 0.75;

/** Returns the pair at the time of the reading nearest to t, or at t if there is no reading. */
export function pairAt(history: History, channel: number, t: number, stepped = false): Pair {
  const { samples } = history;
  const measured = history.measured(channel);
  const after = samples.lowerBound(t);
  let nearest = -1;
  for (const i of [after - 1, after]) {
    if (i < samples.start || i >= samples.end || Number.isNaN(measured[i] as number)) continue;
    const distance = Math.abs((samples.time[i] as number) - t);
    if (distance < NEAR_S && (nearest < 0 || distance < Math.abs((samples.time[nearest] as number) - t))) nearest = i;
  }
  if (nearest < 0) return { ...stateAt(history, channel, t, stepped), measured: NaN };
  const time = samples.time[nearest] as number;
  return { ...stateAt(history, channel, time, stepped), measured: measured[nearest] as number };
}

/** Returns the state at t, interpolated; a command stays constant until it changes. */
export function stateAt(history: History, channel: number, t: number, stepped = false): Omit<Pair, "measured"> {
  const { states } = history;
  const value = history.value(channel);
  const sigma = history.sigma(channel);
  const after = states.lowerBound(t);
  const before = after < states.end && (states.time[after] as number) - t < 1e-6 ? after : after - 1;
  if (before < states.start || t - (states.time[before] as number) >= NEAR_S) {
    return { t, value: NaN, half: NaN, model: NaN };
  }
  const from = states.time[before] as number;
  const to = after < states.end ? (states.time[after] as number) : from;
  const share = stepped || to - from > NEAR_S || to <= from ? 0 : (t - from) / (to - from);
  const next = share > 0 ? after : before;
  const mix = (column: Float32Array) => (1 - share) * (column[before] as number) + share * (column[next] as number);
  return { t, value: mix(value), half: Z95 * mix(sigma), model: mix(history.uncorrected(channel)) };
}
