// Numbers and ages as a person reads them: SI on the wire, the units of the person's choice on the screen.
// The table is the one that webui/units.py reads.
import table from "../../units.json";
import { local, t } from "./words.ts";

export interface Display {
  unit: string;
  factor: number;
  decimals: number;
  /** Smallest range a chart of this quantity spans, in display units, so that noise does not look like drama. */
  minSpan: number;
  /** Nothing of this quantity exists below, in display units. */
  floor?: number;
}

/** The systems a person can choose between; the page says which one in `data-units` of its root. */
export type UnitSystem = "metric" | "us";

const DISPLAYS: Record<string, Record<UnitSystem, Display>> = table.quantities;

/** What this page is shown in. */
export function unitSystem(): UnitSystem {
  const chosen = typeof document === "undefined" ? undefined : document.documentElement.dataset.units;
  return chosen === "us" ? "us" : "metric";
}

/** How a quantity is shown; one that is not known here keeps its own unit. */
export function displayOf(quantity: string, unit: string, system = unitSystem()): Display {
  return DISPLAYS[quantity]?.[system] ?? { unit, factor: 1, decimals: 3, minSpan: 0 };
}

const MINUS = "\u2212";

export function formatNumber(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return "–";
  const digits = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(digits) !== 0 ? MINUS + local(digits) : local(digits);
}

/** Half width of the 95 % interval; one too small for the digits shown is said to be so, not rounded to zero. */
export function formatBand(halfWidth: number, decimals: number): string {
  const step = 10 ** -decimals;
  return halfWidth < step / 2
    ? `±\u2009<\u2009${local(step.toFixed(decimals))}`
    : `±\u2009${local(halfWidth.toFixed(decimals))}`;
}

export function formatAge(seconds: number): string {
  return seconds < 9.95 ? t("{n} s", { n: local(seconds.toFixed(1)) }) : formatWholeAge(seconds);
}

/** The same without tenths. */
export function formatWholeAge(seconds: number): string {
  if (seconds < 119.5) return t("{n} s", { n: Math.round(seconds) });
  const minutes = seconds / 60;
  if (minutes < 119.5) return t("{n} min", { n: Math.round(minutes) });
  const hours = minutes / 60;
  if (hours < 47.5) return t("{n} h", { n: Math.round(hours) });
  return t("{n} d", { n: Math.round(hours / 24) });
}

/** For many small places at once: the first second does not flicker. */
export function formatCalmAge(seconds: number): string {
  return seconds < 1 ? t("< 1 s") : formatWholeAge(Math.floor(seconds));
}

/** Number and unit as one piece; degrees stand next to the number. */
export function withUnit(number: string, unit: string): string {
  return unit.startsWith("°") ? `${number}${unit}` : `${number} ${unit}`;
}

/** Standard deviations to half the 95 % interval of a normal distribution. */
export const Z95 = 1.96;
