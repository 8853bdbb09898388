// Makes meshes: outlines extruded along z with bevelled edges, and profiles revolved about y.
import earcut from "earcut";
import { Mesh } from "./mesh.ts";
import type { Vector } from "./scene.ts";

export type Point = [number, number];

const ARC_SEGMENTS = 40;
const TURN_SEGMENTS = 32;
/** Number of steps in the quarter circle of a bevel. */
const BEVEL_STEPS = 2;

/** Returns the points of an arc, including both ends. Angles are in rad, increasing or decreasing. */
export function arc(centre: Point, radius: number, from: number, to: number): Point[] {
  return Array.from({ length: ARC_SEGMENTS + 1 }, (_, i) => {
    const angle = from + ((to - from) * i) / ARC_SEGMENTS;
    return [centre[0] + radius * Math.cos(angle), centre[1] + radius * Math.sin(angle)];
  });
}

/** Extrudes an outline along z, centred on z = 0, with flat faces. The bevel lies within the outline. */
export function extrude(outline: readonly Point[], thickness: number, bevel: number): Mesh {
  const points = counterClockwise(withoutRepeats(outline));
  const insets = insetsOf(points);
  const steps = Array.from({ length: BEVEL_STEPS + 1 }, (_, i) => ((i / BEVEL_STEPS) * Math.PI) / 2);
  const half = thickness / 2 - bevel;
  const ring = (angle: number, side: 1 | -1) => {
    const inset = bevel * (1 - Math.sin(angle));
    const z = side * (half + bevel * Math.cos(angle));
    return points.map(([x, y], i): Vector => {
      const [dx, dy] = insets[i] as Point;
      return [x + inset * dx, y + inset * dy, z];
    });
  };
  const rings = [...steps.map((angle) => ring(angle, -1)), ...steps.toReversed().map((angle) => ring(angle, 1))];
  const mesh = new Mesh();
  addLids(mesh, rings[0] as Vector[], rings.at(-1) as Vector[]);
  for (let k = 1; k < rings.length; k++) addWall(mesh, rings[k - 1] as Vector[], rings[k] as Vector[]);
  return mesh;
}

/**
 * Revolves a profile of (radius, height) about y, with sharp edges. Where the profile goes up, its surface faces
 * outwards.
 */
export function lathe(profile: readonly Point[]): Mesh {
  const mesh = new Mesh();
  for (let k = 1; k < profile.length; k++) addBand(mesh, profile[k - 1] as Point, profile[k] as Point);
  return mesh;
}

/** Returns a point of the profile at a segment of the revolution. */
function around([radius, y]: Point, segment: number): Vector {
  const angle = (2 * Math.PI * segment) / TURN_SEGMENTS;
  return [radius * Math.sin(angle), y, radius * Math.cos(angle)];
}

function addBand(mesh: Mesh, low: Point, high: Point): void {
  const length = Math.hypot(high[0] - low[0], high[1] - low[1]);
  const slope: Point = [(high[1] - low[1]) / length, (low[0] - high[0]) / length];
  const add = (point: Point, segment: number) => mesh.addCorner(around(point, segment), around(slope, segment));
  for (let i = 0; i < TURN_SEGMENTS; i++) {
    if (low[0] > 0) {
      add(low, i);
      add(low, i + 1);
      add(high, i);
    }
    if (high[0] > 0) {
      add(high, i + 1);
      add(high, i);
      add(low, i + 1);
    }
  }
}

function addLids(mesh: Mesh, bottom: readonly Vector[], top: readonly Vector[]): void {
  const corners = earcut(bottom.flat(), null, 3);
  for (let i = 0; i < corners.length; i += 3) {
    const [a, b, c] = corners.slice(i, i + 3) as Vector;
    const rising = isCounterClockwise([bottom[a], bottom[b], bottom[c]] as Vector[]);
    const [second, third] = rising ? [b, c] : [c, b];
    mesh.addFlat(top[a] as Vector, top[second] as Vector, top[third] as Vector);
    mesh.addFlat(bottom[a] as Vector, bottom[third] as Vector, bottom[second] as Vector);
  }
}

function addWall(mesh: Mesh, low: readonly Vector[], high: readonly Vector[]): void {
  low.forEach((corner, i) => {
    const j = (i + 1) % low.length;
    mesh.addFlat(corner, low[j] as Vector, high[i] as Vector);
    mesh.addFlat(low[j] as Vector, high[j] as Vector, high[i] as Vector);
  });
}

/**
 * Returns for each point its displacement when all edges move inwards by 1: with the unit normals m and n of its two
 * edges, (m + n) / (1 + m·n). At corners sharper than a right angle, its length is limited to √2.
 */
function insetsOf(points: readonly Point[]): Point[] {
  const normals = points.map(([x, y], i): Point => {
    const [a, b] = points[(i + 1) % points.length] as Point;
    const length = Math.hypot(a - x, b - y);
    return [(y - b) / length, (a - x) / length];
  });
  return normals.map((after, i) => {
    const before = normals.at(i - 1) as Point;
    const sum = Math.max(1e-9, 1 + before[0] * after[0] + before[1] * after[1]);
    const share = sum >= 1 ? 1 / sum : 1 / Math.sqrt(sum);
    return [share * (before[0] + after[0]), share * (before[1] + after[1])];
  });
}

/** Removes repeated points, which occur where one arc ends and the next begins. */
function withoutRepeats(outline: readonly Point[]): Point[] {
  return outline.filter(([x, y], i) => {
    const [a, b] = outline.at(i - 1) as Point;
    return Math.hypot(x - a, y - b) > 1e-9;
  });
}

function counterClockwise(outline: Point[]): Point[] {
  return isCounterClockwise(outline) ? outline : outline.reverse();
}

function isCounterClockwise(outline: ReadonlyArray<Point | Vector>): boolean {
  const twiceArea = outline.reduce((sum, [x, y], i) => {
    const [a, b] = outline.at(i - 1) as Point;
    return sum + a * y - x * b;
  }, 0);
  return twiceArea > 0;
}
