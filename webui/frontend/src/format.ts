// Formats numbers and ages: messages are in SI units, the screen shows the units that the person chose.
// webui/units.py reads the same table.
import table from "../../units.json";
import { local, t } from "./words.ts";

export interface Display {
  unit: string;
  factor: number;
  decimals: number;
  /** Smallest range of a chart, in display units, so that noise does not fill it. */
  minSpan: number;
  /** Lowest possible value, in display units. */
  floor?: number;
}

/** The systems of units to choose from; `data-units` of the root element names the chosen one. */
export type UnitSystem = "metric" | "us";

const DISPLAYS: Record<string, Record<UnitSystem, Display>> = table.quantities;

/** The system of this page. */
export function unitSystem(): UnitSystem {
  const chosen = typeof document === "undefined" ? undefined : document.documentElement.dataset.units;
  return chosen === "us" ? "us" : "metric";
}

/** How a quantity is shown; an unknown quantity keeps its own unit. */
export function displayOf(quantity: string, unit: string, system = unitSystem()): Display {
  return DISPLAYS[quantity]?.[system] ?? { unit, factor: 1, decimals: 3, minSpan: 0 };
}

const MINUS = "\u2212";

export function formatNumber(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return "–";
  const digits = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(digits) !== 0 ? MINUS + local(digits) : local(digits);
}

/** Half width of the 95 % interval; shown as "less than" instead of zero if it is too small for the digits. */
export function formatBand(halfWidth: number, decimals: number): string {
  const step = 10 ** -decimals;
  return halfWidth < step / 2
    ? `±\u2009<\u2009${local(step.toFixed(decimals))}`
    : `±\u2009${local(halfWidth.toFixed(decimals))}`;
}

export function formatAge(seconds: number): string {
  return seconds < 9.95 ? t("{n} s", { n: local(seconds.toFixed(1)) }) : formatWholeAge(seconds);
}

/** The same without decimals. */
export function formatWholeAge(seconds: number): string {
  if (seconds < 119.5) return t("{n} s", { n: Math.round(seconds) });
  const minutes = seconds / 60;
  if (minutes < 119.5) return t("{n} min", { n: Math.round(minutes) });
  const hours = minutes / 60;
  if (hours < 47.5) return t("{n} h", { n: Math.round(hours) });
  return t("{n} d", { n: Math.round(hours / 24) });
}

/** For ages that change constantly: below one second the text stays the same. */
export function formatCalmAge(seconds: number): string {
  return seconds < 1 ? t("< 1 s") : formatWholeAge(Math.floor(seconds));
}

/** Number and unit; degrees follow without a space. */
export function withUnit(number: string, unit: string): string {
  return unit.startsWith("°") ? `${number}${unit}` : `${number} ${unit}`;
}

/** Standard deviations to half the 95 % interval of a normal distribution. */
export const Z95 = 1.96;
