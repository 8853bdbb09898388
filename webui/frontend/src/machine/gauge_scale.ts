// Computes the angle of a gauge's needle.
import { formatNumber } from "../format.ts";

export type Range = [number, number];

/** Degrees from the top to either end of the scale, as in webui/machine/gauges.py. */
const SWEEP = 120;

/**
 * Returns the angle clockwise from the top. The needle stops at the ends of the scale; without a value it rests at the
 * lower end.
 */
export function needleAngle(value: number, [low, high]: Range): number {
  if (!Number.isFinite(value)) return -SWEEP;
  const share = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return SWEEP * (2 * share - 1);
}

/** Formats the end of a scale with few digits. */
export function shortNumber(value: number, decimals: number): string {
  const digits = Math.max(0, Math.min(decimals, 2 - Math.floor(Math.log10(Math.max(1, Math.abs(value))))));
  return formatNumber(value, Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.min(1, digits));
}

export function zoneOf(value: number, zones: readonly Range[]): "red" | "plain" {
  return zones.some(([low, high]) => value >= low && value <= high) ? "red" : "plain";
}
