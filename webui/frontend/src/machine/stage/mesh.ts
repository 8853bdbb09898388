// Triangles with a normal at every corner, and ways to place them in the frame of a body.
import type { Vector } from "./scene.ts";
import { cross, dot, minus, unit } from "./vectors.ts";

/** Directions of the three axes of a frame. */
export type Axes = readonly [Vector, Vector, Vector];

export class Mesh {
  /** Three numbers per corner, three corners per triangle, counter-clockwise when seen from outside. */
  readonly positions: number[] = [];
  readonly normals: number[] = [];

  get cornerCount(): number {
    return this.positions.length / 3;
  }

  addCorner(position: Vector, normal: Vector): void {
    this.positions.push(...position);
    this.normals.push(...normal);
  }

  /** Adds a flat triangle with its own normal, unless its area is zero. */
  addFlat(a: Vector, b: Vector, c: Vector): void {
    const normal = cross(minus(b, a), minus(c, a));
    if (Math.hypot(...normal) === 0) return;
    for (const corner of [a, b, c]) this.addCorner(corner, unit(normal));
  }

  translate(x: number, y: number, z: number): this {
    return this.movePositions((p) => [p[0] + x, p[1] + y, p[2] + z]);
  }

  rotate(axes: Axes): this {
    const rotated = (v: Vector) => combine(axes, v);
    return this.movePositions(rotated).moveNormals(rotated);
  }

  /** Turns the mesh by a quarter turn about x, from y to z. */
  uprightToZ(): this {
    const turned = ([x, y, z]: Vector): Vector => [x, -z, y];
    return this.movePositions(turned).moveNormals(turned);
  }

  scale(x: number, y: number, z: number): this {
    return this.movePositions((p) => [p[0] * x, p[1] * y, p[2] * z]).moveNormals((n) =>
      unit([n[0] / x, n[1] / y, n[2] / z]),
    );
  }

  private movePositions(move: (position: Vector) => Vector): this {
    return this.moveAll(this.positions, move);
  }

  private moveNormals(move: (normal: Vector) => Vector): this {
    return this.moveAll(this.normals, move);
  }

  private moveAll(numbers: number[], move: (v: Vector) => Vector): this {
    for (let i = 0; i < numbers.length; i += 3) {
      const moved = move([numbers[i], numbers[i + 1], numbers[i + 2]] as Vector);
      for (let k = 0; k < 3; k++) numbers[i + k] = moved[k] as number;
    }
    return this;
  }
}

/** Returns the axes after the shortest rotation from a coordinate axis to a unit vector (Rodrigues' formula). */
export function axesTowards(axis: Vector, direction: Vector): Axes {
  const c = dot(axis, direction);
  // for the opposite direction there is no unique rotation: half a turn about the next coordinate axis
  const opposite = 1 + c < 1e-12;
  const about: Vector = opposite ? [axis[2], axis[0], axis[1]] : cross(axis, direction);
  const turned = (v: Vector): Vector => {
    const once = opposite ? ([0, 0, 0] as Vector) : cross(about, v);
    const twice = cross(about, cross(about, v));
    const share = opposite ? 2 : 1 / (1 + c);
    return [v[0] + once[0] + share * twice[0], v[1] + once[1] + share * twice[1], v[2] + once[2] + share * twice[2]];
  };
  return [turned([1, 0, 0]), turned([0, 1, 0]), turned([0, 0, 1])];
}

function combine([x, y, z]: Axes, v: Vector): Vector {
  const row = (i: 0 | 1 | 2) => x[i] * v[0] + y[i] * v[1] + z[i] * v[2];
  return [row(0), row(1), row(2)];
}
