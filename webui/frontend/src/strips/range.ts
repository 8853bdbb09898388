// A value axis that stands still: round limits, widened at once, narrowed only when most of it is empty.

const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
export const PARTS = 4;

/** Smallest round number (of the list, times a power of ten) that is at least x. */
export function niceStep(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const factor = STEPS.find((step) => step * power >= x * (1 - 1e-9)) ?? 10;
  return factor * power;
}

export class SteadyRange {
  min = 0;
  max = 1;
  private fresh = true;

  constructor(private readonly minSpan: number) {}

  /** Limits that show low..high; returns true when they changed. */
  fit(low: number, high: number): boolean {
    if (!Number.isFinite(low) || !Number.isFinite(high)) return false;
    const outside = low < this.min || high > this.max;
    const used = (high - low) / (this.max - this.min);
    const tooWide = used < 0.35 && this.max - this.min > 1.01 * this.minSpan;
    if (!this.fresh && !outside && !tooWide) return false;
    const before = [this.min, this.max];
    this.choose(low, high);
    this.fresh = false;
    return before[0] !== this.min || before[1] !== this.max;
  }

  /** The smallest round step of which four parts hold the padded range; every limit and tick is a multiple of it. */
  private choose(low: number, high: number): void {
    const padding = 0.03 * (high - low);
    const middle = (low + high) / 2;
    let step = niceStep(Math.max(high - low, this.minSpan, 1e-9) / PARTS);
    for (;;) {
      this.min = Math.round((middle - (PARTS / 2) * step) / step) * step;
      this.max = this.min + PARTS * step;
      if (this.min <= low - padding && this.max >= high + padding) return;
      step = niceStep(step * 1.01);
    }
  }
}
