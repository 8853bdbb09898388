// Numbers and ages as a person reads them. SI on the wire, bar and degrees on the screen.

export interface Display {
  unit: string;
  factor: number;
  decimals: number;
  /** Smallest range a chart of this quantity spans, in display units, so that noise does not look like drama. */
  minSpan: number;
  /** Nothing of this quantity exists below, in display units. */
  floor?: number;
}

const DISPLAYS: Record<string, Display> = {
  pressure: { unit: "bar", factor: 1e-5, decimals: 1, minSpan: 4, floor: 0 },
  angle: { unit: "°", factor: 180 / Math.PI, decimals: 2, minSpan: 4 },
  rate: { unit: "°/s", factor: 180 / Math.PI, decimals: 1, minSpan: 4 },
  length: { unit: "m", factor: 1, decimals: 3, minSpan: 0.02 },
  force: { unit: "kN", factor: 1e-3, decimals: 2, minSpan: 1 },
  flow: { unit: "L/min", factor: 6e4, decimals: 1, minSpan: 2 },
  power: { unit: "kW", factor: 1e-3, decimals: 2, minSpan: 0.5 },
  revolutions: { unit: "rpm", factor: 30 / Math.PI, decimals: 0, minSpan: 50, floor: 0 },
  torque: { unit: "N m", factor: 1, decimals: 0, minSpan: 20 },
  fuel: { unit: "kg/h", factor: 3600, decimals: 2, minSpan: 1, floor: 0 },
  volume: { unit: "m³", factor: 1, decimals: 2, minSpan: 0.1, floor: 0 },
  voltage: { unit: "V", factor: 1, decimals: 2, minSpan: 4 },
};

/** How a quantity is shown; one that is not known here keeps its own unit. */
export function displayOf(quantity: string, unit: string): Display {
  return DISPLAYS[quantity] ?? { unit, factor: 1, decimals: 3, minSpan: 0 };
}

const MINUS = "\u2212";

export function formatNumber(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return "–";
  const digits = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(digits) !== 0 ? MINUS + digits : digits;
}

/** Half width of the 95 % interval; one too small for the digits shown is said to be so, not rounded to zero. */
export function formatBand(halfWidth: number, decimals: number): string {
  const step = 10 ** -decimals;
  return halfWidth < step / 2 ? `±\u2009<\u2009${step.toFixed(decimals)}` : `±\u2009${halfWidth.toFixed(decimals)}`;
}

export function formatAge(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 119.5) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  if (hours < 47.5) return `${Math.round(hours)} h`;
  return `${Math.round(hours / 24)} d`;
}

/** For many small places at once: the first second does not flicker. */
export function formatCalmAge(seconds: number): string {
  return seconds < 1 ? "< 1 s" : formatAge(Math.floor(seconds)).replace(".0 ", " ");
}

/** Number and unit as one piece; degrees stand next to the number. */
export function withUnit(number: string, unit: string): string {
  return unit.startsWith("°") ? `${number}${unit}` : `${number} ${unit}`;
}

/** Standard deviations to half the 95 % interval of a normal distribution. */
export const Z95 = 1.96;
