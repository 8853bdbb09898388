// Labels stand in two rows, above the machine and below it, so that they never cover it; in a row they are moved apart.

/** Labels of a picture, by number, px. Numbers stay in typed arrays: they change with the pictures. */
export class LabelBoxes {
  /** Middles, along the rows. */
  readonly x: Float64Array;
  /** Half sizes; without a width a label is not to be seen, and in nobody's way. */
  readonly halfWidth: Float64Array;
  readonly halfHeight: Float64Array;
  /** Row of each. */
  readonly row: Uint8Array;
  /** LabelBoxes from left to right, and where they would be if each gave way to its left neighbour alone. */
  readonly order: Int32Array;
  readonly rightwards: Float64Array;

  constructor(readonly count: number) {
    this.x = new Float64Array(count);
    this.halfWidth = new Float64Array(count);
    this.halfHeight = new Float64Array(count);
    this.row = new Uint8Array(count);
    this.order = Int32Array.from(this.row, (_, i) => i);
    this.rightwards = new Float64Array(count);
  }
}

/**
 * Moves boxes of a row apart, within `width`. They keep their order, so that no two leaders cross. Pushed to the right
 * only, or to the left only, they are apart; so they are half way between, where those that touch share the way.
 */
export function spreadLabels(boxes: LabelBoxes, gap: number, width: number): void {
  const { x, rightwards, count } = boxes;
  sort(boxes);
  rightwards.set(x);
  push(boxes, rightwards, 1, gap);
  push(boxes, x, -1, gap);
  for (let i = 0; i < count; i++) x[i] = ((x[i] as number) + (rightwards[i] as number)) / 2;
  keepInside(boxes, 1, gap, width);
  push(boxes, x, 1, gap);
  keepInside(boxes, -1, gap, width);
  push(boxes, x, -1, gap);
}

/** Those that come first keep their order where they are at the same place. */
function sort({ order, x }: LabelBoxes): void {
  for (let k = 1; k < order.length; k++) {
    const box = order[k] as number;
    let to = k;
    for (; to > 0 && (x[order[to - 1] as number] as number) > (x[box] as number); to--)
      order[to] = order[to - 1] as number;
    order[to] = box;
  }
}

/** Every box gives way to the one before it in its row, to the right (1) or to the left (-1). */
function push({ order, row, halfWidth }: LabelBoxes, x: Float64Array, way: 1 | -1, gap: number): void {
  for (let k = 0; k < order.length; k++) {
    const box = order[way > 0 ? k : order.length - 1 - k] as number;
    if (halfWidth[box] === 0) continue;
    for (let l = k - 1; l >= 0; l--) {
      const before = order[way > 0 ? l : order.length - 1 - l] as number;
      if (row[before] !== row[box] || halfWidth[before] === 0) continue;
      const least = (halfWidth[before] as number) + (halfWidth[box] as number) + gap;
      const ahead = way * ((x[box] as number) - (x[before] as number));
      if (ahead < least) x[box] = (x[before] as number) + way * least;
      break;
    }
  }
}

/** Within the left edge (1) or the right one (-1). */
function keepInside({ count, x, halfWidth }: LabelBoxes, way: 1 | -1, gap: number, width: number): void {
  for (let i = 0; i < count; i++) {
    const edge = (halfWidth[i] as number) + gap;
    x[i] = way > 0 ? Math.max(edge, x[i] as number) : Math.min(width - edge, x[i] as number);
  }
}

/** Height of a row: its highest label; 0 where none is to be seen. */
export function rowHeight({ count, row, halfWidth, halfHeight }: LabelBoxes, wanted: number): number {
  let most = 0;
  for (let i = 0; i < count; i++)
    if (row[i] === wanted && halfWidth[i] !== 0) most = Math.max(most, 2 * (halfHeight[i] as number));
  return most;
}
