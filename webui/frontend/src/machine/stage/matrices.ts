// Stores many 4x4 matrices in one array, column by column: `slot` is the index of a matrix, `point` the index of a
// point.

export const MATRIX = 16;
export const POINT = 3;

export function setIdentity(matrices: Float64Array, slot: number): void {
  matrices.fill(0, MATRIX * slot, MATRIX * (slot + 1));
  for (let i = 0; i < 4; i++) matrices[MATRIX * slot + 5 * i] = 1;
}

/** out[to] = matrix * point. `points` and `out` may be the same array. */
export function transform(
  matrices: Float64Array,
  slot: number,
  points: Float64Array,
  point: number,
  out: Float64Array,
  to: number,
): void {
  const m = MATRIX * slot;
  const x = points[POINT * point] as number;
  const y = points[POINT * point + 1] as number;
  const z = points[POINT * point + 2] as number;
  for (let row = 0; row < 3; row++) {
    out[POINT * to + row] =
      (matrices[m + row] as number) * x +
      (matrices[m + row + 4] as number) * y +
      (matrices[m + row + 8] as number) * z +
      (matrices[m + row + 12] as number);
  }
}

/**
 * Writes two matrices with origins at points 0 and 1 and the shortest rotation from +y to the direction between them.
 */
export function alongEnds(matrices: Float64Array, first: number, second: number, ends: Float64Array): void {
  let x = (ends[3] as number) - (ends[0] as number);
  let y = (ends[4] as number) - (ends[1] as number);
  let z = (ends[5] as number) - (ends[2] as number);
  const length = Math.sqrt(x * x + y * y + z * z);
  x /= length;
  y /= length;
  z /= length;
  // straight down, the shortest rotation is not unique: about x
  const down = 1 + y < 1e-9;
  const k = down ? 0 : 1 / (1 + y);
  for (let end = 0; end < 2; end++) {
    const m = MATRIX * (end === 0 ? first : second);
    matrices[m] = 1 - k * x * x;
    matrices[m + 1] = -x;
    matrices[m + 2] = -k * x * z;
    matrices[m + 4] = x;
    matrices[m + 5] = y;
    matrices[m + 6] = z;
    matrices[m + 8] = -k * x * z;
    matrices[m + 9] = -z;
    matrices[m + 10] = down ? -1 : 1 - k * z * z;
    matrices[m + 12] = ends[POINT * end] as number;
    matrices[m + 13] = ends[POINT * end + 1] as number;
    matrices[m + 14] = ends[POINT * end + 2] as number;
  }
}

/** matrices[to] = the matrix of a slot, moved to a point of its frame and scaled along its axes. */
export function scaledAt(
  matrices: Float64Array,
  slot: number,
  to: number,
  at: Float64Array,
  point: number,
  scales: Float64Array,
  scale: number,
): void {
  const from = MATRIX * slot;
  const own = MATRIX * to;
  for (let row = 0; row < 3; row++) {
    let moved = matrices[from + row + 12] as number;
    for (let column = 0; column < 3; column++) {
      const number = matrices[from + row + 4 * column] as number;
      moved += number * (at[POINT * point + column] as number);
      matrices[own + row + 4 * column] = number * (scales[POINT * scale + column] as number);
    }
    matrices[own + row + 12] = moved;
  }
}
