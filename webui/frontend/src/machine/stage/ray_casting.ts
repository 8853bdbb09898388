// Finds the part of a machine that a ray hits first.
import { MATRIX } from "./matrices.ts";
import type { Vector } from "./scene.ts";
import type { Triangles } from "./triangles.ts";
import { cross, dot, minus } from "./vectors.ts";

/** Returns the slot of the first triangle that the ray hits, among the slots that `counts` accepts; -1 if none. */
export function firstHit(
  { positions, owners }: Triangles,
  matrices: Float64Array,
  from: Vector,
  along: Vector,
  counts: (slot: number) => boolean,
): number {
  let nearest = Infinity;
  let found = -1;
  for (let corner = 0; 2 * corner < owners.length; corner += 3) {
    const slot = owners[2 * corner] as number;
    if (!counts(slot)) continue;
    const a = inWorld(matrices, slot, positions, corner);
    const b = inWorld(matrices, slot, positions, corner + 1);
    const c = inWorld(matrices, slot, positions, corner + 2);
    const distance = distanceTo(a, b, c, from, along);
    if (distance >= nearest) continue;
    nearest = distance;
    found = slot;
  }
  return found;
}

/** Returns the distance of a triangle along a ray (Möller and Trumbore, 1997); Infinity if the ray misses it. */
export function distanceTo(a: Vector, b: Vector, c: Vector, from: Vector, along: Vector): number {
  const side = minus(b, a);
  const other = minus(c, a);
  const arm = minus(from, a);
  const across = cross(along, other);
  const size = dot(side, across);
  if (size === 0) return Infinity;
  const u = dot(arm, across) / size;
  const turned = cross(arm, side);
  const v = dot(along, turned) / size;
  const distance = dot(other, turned) / size;
  return u >= 0 && v >= 0 && u + v <= 1 && distance > 0 ? distance : Infinity;
}

function inWorld(matrices: Float64Array, slot: number, positions: Float32Array, corner: number): Vector {
  const [x, y, z] = [positions[3 * corner], positions[3 * corner + 1], positions[3 * corner + 2]] as Vector;
  const number = (i: number) => matrices[MATRIX * slot + i] as number;
  const along = (row: number) => number(row) * x + number(row + 4) * y + number(row + 8) * z + number(row + 12);
  return [along(0), along(1), along(2)];
}
