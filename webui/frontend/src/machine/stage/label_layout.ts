// Lays out labels in two rows, above and below the machine, so that they cover neither the machine nor each other.

/** Positions and sizes of labels by index, px. They are in typed arrays, because they change with every picture. */
export class LabelBoxes {
  /** Centre of each label along its row. */
  readonly x: Float64Array;
  /** Half the size of each label; a label without a width is hidden and takes no space. */
  readonly halfWidth: Float64Array;
  readonly halfHeight: Float64Array;
  /** Row of each label. */
  readonly row: Uint8Array;
  /** Labels from left to right, and the positions that result from pushing only to the right. */
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
 * Moves the labels of a row apart, within `width`. They keep their order, so that no two leader lines cross. Pushing
 * labels only to the right separates them, and so does pushing only to the left. The mean of both is used, because it
 * keeps labels closer to their parts.
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

/** Sorts by insertion: the sort is stable and allocates nothing. */
function sort({ order, x }: LabelBoxes): void {
  for (let k = 1; k < order.length; k++) {
    const box = order[k] as number;
    let to = k;
    for (; to > 0 && (x[order[to - 1] as number] as number) > (x[box] as number); to--)
      order[to] = order[to - 1] as number;
    order[to] = box;
  }
}

/** Pushes every label away from the one before it in its row, to the right (1) or to the left (-1). */
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

/** Keeps labels inside the left edge (1) or the right edge (-1). */
function keepInside({ count, x, halfWidth }: LabelBoxes, way: 1 | -1, gap: number, width: number): void {
  for (let i = 0; i < count; i++) {
    const edge = (halfWidth[i] as number) + gap;
    x[i] = way > 0 ? Math.max(edge, x[i] as number) : Math.min(width - edge, x[i] as number);
  }
}

/** Returns the height of a row: the height of its highest label; 0 if all are hidden. */
export function rowHeight({ count, row, halfWidth, halfHeight }: LabelBoxes, wanted: number): number {
  let most = 0;
  for (let i = 0; i < count; i++)
    if (row[i] === wanted && halfWidth[i] !== 0) most = Math.max(most, 2 * (halfHeight[i] as number));
  return most;
}
