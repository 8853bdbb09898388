// Labels that would lie on one another are moved apart, up and down.

/** Labels of a picture, by number, px. Numbers stay in typed arrays: they change with the pictures. */
export class Tags {
  /** Middles. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Half sizes; without a width a label is not to be seen, and in nobody's way. */
  readonly halfWidth: Float64Array;
  readonly halfHeight: Float64Array;
  /** How high each may go. */
  readonly top: Float64Array;

  constructor(readonly count: number) {
    this.x = new Float64Array(count);
    this.y = new Float64Array(count);
    this.halfWidth = new Float64Array(count);
    this.halfHeight = new Float64Array(count);
    this.top = new Float64Array(count);
  }
}

const ROUNDS = 24;

/** Moves tags apart between their tops and `height`; those that touch share the way. */
export function spread(tags: Tags, gap: number, height: number): void {
  for (let round = 0; round < ROUNDS; round++) {
    let moved = false;
    for (let i = 0; i < tags.count; i++) {
      for (let j = i + 1; j < tags.count; j++) moved = part(tags, i, j, gap) || moved;
    }
    for (let i = 0; i < tags.count; i++) {
      const half = tags.halfHeight[i] as number;
      tags.y[i] = Math.min(height - half, Math.max((tags.top[i] as number) + half, tags.y[i] as number));
    }
    if (!moved) return;
  }
}

function part({ x, y, halfWidth, halfHeight }: Tags, i: number, j: number, gap: number): boolean {
  if (halfWidth[i] === 0 || halfWidth[j] === 0) return false;
  const beside = Math.abs((x[i] as number) - (x[j] as number)) >= (halfWidth[i] as number) + (halfWidth[j] as number) + gap;
  const short = (halfHeight[i] as number) + (halfHeight[j] as number) + gap - Math.abs((y[i] as number) - (y[j] as number));
  if (beside || short <= 0.01) return false;
  const way = (y[i] as number) < (y[j] as number) ? short / 2 : -short / 2;
  y[i] = (y[i] as number) - way;
  y[j] = (y[j] as number) + way;
  return true;
}
