// A value axis that rarely moves: it is close to the data, widens at once, and narrows only when much of it is empty.

const STEPS = [1, 2, 2.5, 5, 10];
const MOST_TICKS = 5;
/** Limits are multiples of this fraction of the tick step: close to the data, yet stable against small changes. */
const LIMITS_PER_STEP = 5;
const PADDING = 0.04;
const EMPTY = 0.6;

/** Returns the smallest round number (from the list, times a power of ten) that is at least x. */
export function niceStep(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const factor = STEPS.find((step) => step * power >= x * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Returns the round numbers within the limits. */
export function ticks(min: number, max: number): number[] {
  const step = niceStep((max - min) / MOST_TICKS);
  const result: number[] = [];
  for (let i = Math.ceil(min / step - 1e-9); i * step <= max + 1e-9 * step; i++) result.push(i * step);
  return result;
}

export class SteadyRange {
  min = 0;
  max = 1;
  private fresh = true;

  /** `floor`: the lowest possible value, e.g. vacuum for pressures. */
  constructor(
    private readonly minSpan: number,
    private readonly floor = -Infinity,
  ) {}

  /** Sets limits that include low..high; returns true if they changed. */
  fit(low: number, high: number): boolean {
    if (!Number.isFinite(low) || !Number.isFinite(high)) return false;
    const bottom = Math.max(low, this.floor);
    const outside = bottom < this.min || high > this.max;
    const used = (high - bottom) / (this.max - this.min);
    const tooWide = used < EMPTY && this.max - this.min > 1.3 * this.minSpan;
    if (!this.fresh && !outside && !tooWide) return false;
    const before = [this.min, this.max];
    this.choose(bottom, Math.max(bottom, high));
    this.fresh = false;
    return before[0] !== this.min || before[1] !== this.max;
  }

  private choose(low: number, high: number): void {
    const span = Math.max(high - low, this.minSpan, 1e-9);
    const middle = (low + high) / 2;
    const half = (0.5 + PADDING) * span;
    const grid = niceStep(span / MOST_TICKS) / LIMITS_PER_STEP;
    this.min = Math.max(this.floor, Math.floor((middle - half) / grid + 1e-9) * grid);
    this.max = Math.ceil(Math.max(middle + half, this.min + span) / grid - 1e-9) * grid;
  }
}
