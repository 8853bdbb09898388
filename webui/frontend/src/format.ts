// Formats numbers and ages: messages are in SI units, the screen shows the units that the person chose. webui/units.py
// reads the same table.
import table from "../../units.json";
import { local, t } from "./words.ts";

export interface Display {
  unit: string;
  factor: number;
  decimals: number;
  /** Smallest range of a chart, in display units, so that noise alone does not fill the chart. */
  minSpan: number;
  /** Lowest possible value, in display units. */
  floor?: number;
}

/** The systems of units to choose from; the attribute `data-units` of the root element names the chosen one. */
export type UnitSystem = "metric" | "us";

const DISPLAYS: Record<string, Record<UnitSystem, Display>> = table.quantities;

/** Returns the system of units of this page. */
export function unitSystem(): UnitSystem {
  const chosen = typeof document === "undefined" ? undefined : document.documentElement.dataset.units;
  return chosen === "us" ? "us" : "metric";
}

/** Returns how a quantity is shown; an unknown quantity keeps its own unit. */
export function displayOf(quantity: string, unit: string, system = unitSystem()): Display {
  return DISPLAYS[quantity]?.[system] ?? { unit, factor: 1, decimals: 3, minSpan: 0 };
}

const MINUS = "\u2212";

export function formatNumber(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return "–";
  const digits = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(digits) !== 0 ? MINUS + local(digits) : local(digits);
}

/**
 * Formats the half width of the 95 % interval; one too small for the digits is shown as "less than" instead of zero.
 */
export function formatBand(halfWidth: number, decimals: number): string {
  const step = 10 ** -decimals;
  return halfWidth < step / 2
    ? `±\u2009<\u2009${local(step.toFixed(decimals))}`
    : `±\u2009${local(halfWidth.toFixed(decimals))}`;
}

export function formatAge(seconds: number): string {
  return seconds < 9.95 ? t("{n} s", { n: local(seconds.toFixed(1)) }) : formatWholeAge(seconds);
}

/** Formats an age without decimals. */
export function formatWholeAge(seconds: number): string {
  if (seconds < 119.5) return t("{n} s", { n: Math.round(seconds) });
  const minutes = seconds / 60;
  if (minutes < 119.5) return t("{n} min", { n: Math.round(minutes) });
  const hours = minutes / 60;
  if (hours < 47.5) return t("{n} h", { n: Math.round(hours) });
  return t("{n} d", { n: Math.round(hours / 24) });
}

/** Formats an age that changes constantly: the text stays the same below one second. */
export function formatCalmAge(seconds: number): string {
  return seconds < 1 ? t("< 1 s") : formatWholeAge(Math.floor(seconds));
}

/** Joins number and unit; degrees follow the number without a space. */
export function withUnit(number: string, unit: string): string {
  return unit.startsWith("°") ? `${number}${unit}` : `${number} ${unit}`;
}

/** Half width of the 95 % interval of a normal distribution, in standard deviations. */
export const Z95 = 1.96;
