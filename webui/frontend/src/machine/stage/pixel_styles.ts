// Writes whole pixels into custom properties of elements, only when they change. The texts are cached, so that moving a
// label allocates nothing once each number has been used.

const MOST = 8_192; // larger than any screen
const texts: Array<string | undefined> = new Array<string | undefined>(2 * MOST + 1).fill(undefined);

export function pixels(whole: number): string {
  const slot = Math.min(MOST, Math.max(-MOST, whole)) + MOST;
  const text = texts[slot] ?? `${slot - MOST}px`;
  texts[slot] = text;
  return text;
}

export class PixelStyles {
  private readonly shown: Int32Array;

  constructor(
    private readonly style: CSSStyleDeclaration,
    private readonly names: readonly string[],
  ) {
    this.shown = new Int32Array(names.length).fill(2 * MOST); // a value that is never written
  }

  /** Writes the rounded values from index `first` on, one for each name. */
  show(values: Float64Array, first: number): void {
    const { shown, names } = this;
    for (let i = 0; i < shown.length; i++) {
      const whole = Math.round(values[first + i] as number) | 0; // NaN, before the first picture, becomes 0
      if (shown[i] === whole) continue;
      shown[i] = whole;
      this.style.setProperty(names[i] as string, pixels(whole));
    }
  }
}
