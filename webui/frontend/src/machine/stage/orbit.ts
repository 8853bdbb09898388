// The camera's orbit around a target, and the distance at which the given points fill the view.
import type { Vector } from "./scene.ts";
import { dot } from "./vectors.ts";

export interface Orbit {
  target: Vector;
  azimuth: number; // rad around the vertical; 0 looks along -z
  elevation: number; // rad above the horizon
  distance: number;
}

export interface Box {
  min: Vector;
  max: Vector;
}

/** The part of the view that is free of labels and tools, up and down from the middle; 1 is the edge. */
export interface Free {
  top: number;
  bottom: number;
}

export const WHOLE: Free = { top: 1, bottom: 1 };

const LOWEST = -0.1;
const HIGHEST = 1.45;
const CENTRING_ROUNDS = 3;

export function clampElevation(elevation: number): number {
  return Math.min(HIGHEST, Math.max(LOWEST, elevation));
}

/** Returns the unit vectors of the camera: right, up, and back (from the target to the eye). */
export function cameraAxes(azimuth: number, elevation: number): { right: Vector; up: Vector; back: Vector } {
  const [sa, ca, se, ce] = [Math.sin(azimuth), Math.cos(azimuth), Math.sin(elevation), Math.cos(elevation)];
  return { right: [ca, 0, -sa], up: [-sa * se, ce, -ca * se], back: [sa * ce, se, ca * ce] };
}

export function eyeOf({ target, azimuth, elevation, distance }: Orbit): Vector {
  const { back } = cameraAxes(azimuth, elevation);
  return [target[0] + distance * back[0], target[1] + distance * back[1], target[2] + distance * back[2]];
}

/**
 * Keeps the direction and moves the camera so that every point is in the free part of the view. A point at (x, y)
 * across and z towards the eye needs a distance of |x| / tan(half angle) + z. Near points look larger, so the target
 * moves until all points together are centred in the free part.
 */
export function fit(
  orbit: Orbit,
  points: readonly Vector[],
  fieldOfView: number,
  aspect: number,
  margin = 1.06,
  free = WHOLE,
): Orbit {
  let target = middle(boxAround(points));
  const { right, up, back } = cameraAxes(orbit.azimuth, orbit.elevation);
  const vertical = Math.tan(fieldOfView / 2);
  const horizontal = vertical * aspect;
  const centre = (vertical * (free.top - free.bottom)) / 2;
  let distance = 0;
  for (let round = 0; ; round++) {
    const arms = points.map((point): Vector => [point[0] - target[0], point[1] - target[1], point[2] - target[2]]);
    const needs = (arm: Vector) => {
      const y = dot(arm, up);
      const upright = Math.abs(y) / (vertical * (y > 0 ? free.top : free.bottom));
      return margin * Math.max(Math.abs(dot(arm, right)) / horizontal, upright) + dot(arm, back);
    };
    distance = arms.reduce((most, arm) => Math.max(most, needs(arm)), 0);
    if (round === CENTRING_ROUNDS) return { ...orbit, target, distance };
    const off = (axis: Vector) => distance * midpoint(arms.map((arm) => dot(arm, axis) / (distance - dot(arm, back))));
    const [x, y] = [off(right), off(up) - distance * centre];
    target = target.map((t, i) => t + x * (right[i] as number) + y * (up[i] as number)) as Vector;
  }
}

export function boxAround(points: Iterable<Vector>): Box {
  const box: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
  for (const point of points) {
    point.forEach((x, i) => {
      box.min[i] = Math.min(box.min[i] as number, x);
      box.max[i] = Math.max(box.max[i] as number, x);
    });
  }
  return box;
}

function midpoint(numbers: number[]): number {
  const [low, high] = numbers.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
  return (low + high) / 2;
}

export function middle(box: Box): Vector {
  return [(box.min[0] + box.max[0]) / 2, (box.min[1] + box.max[1]) / 2, (box.min[2] + box.max[2]) / 2];
}

export function corners({ min, max }: Box): Vector[] {
  const result: Vector[] = [];
  for (const x of [min[0], max[0]]) {
    for (const y of [min[1], max[1]]) for (const z of [min[2], max[2]]) result.push([x, y, z]);
  }
  return result;
}
