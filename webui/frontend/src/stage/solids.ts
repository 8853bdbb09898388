// Shapes of a machine's description as meshes, each in the frame of its body, and the box they fill.
import { Group, Matrix4, Mesh, Quaternion, Vector3, type BufferGeometry, type Material } from "three";
import type { Paints } from "./paints.ts";
import type { Bar, Prism, Shape, Vector, Wheel } from "./scene.ts";
import * as shapes from "./shapes.ts";
import { boxAround, type Box } from "./view.ts";

const X = new Vector3(1, 0, 0);
const Y = new Vector3(0, 1, 0);
const Z = new Vector3(0, 0, 1);
/** Where the outline's two directions and the extrusion go. */
const BASES = { z: [X, Y, Z], x: [Y, Z, X], y: [Z, X, Y] } as const;
const ACROSS = { z: [0, 1, 2], x: [1, 2, 0], y: [2, 0, 1] } as const;

/** A shape of a machine that brings its own look; links of mechanisms are drawn by the rig. */
export function solid(shape: Exclude<Shape, { kind: "beam" }>, paints: Paints): Group {
  const group = new Group();
  if (shape.kind === "prism") group.add(prism(shape, paints.finish[shape.finish]));
  else if (shape.kind === "bar") group.add(bar(shape, paints.finish[shape.finish]));
  else group.add(...wheel(shape, paints));
  return group;
}

function prism({ outline, width, at, along }: Prism, material: Material): Mesh {
  const geometry = shapes.outlined(outline, width);
  geometry.applyMatrix4(new Matrix4().makeBasis(...BASES[along]));
  geometry.translate(...at);
  return mesh(geometry, material);
}

function bar({ from, to, radius }: Bar, material: Material): Mesh {
  const start = new Vector3().fromArray(from);
  const along = new Vector3().fromArray(to).sub(start);
  const geometry = shapes.roundBar(radius, along.length());
  geometry.applyQuaternion(new Quaternion().setFromUnitVectors(Y, along.normalize()));
  geometry.translate(...from);
  return mesh(geometry, material);
}

function wheel({ at, radius, width, finish }: Wheel, paints: Paints): Mesh[] {
  const rim = shapes.pin(0.6 * radius, 0.7 * width);
  const hub = shapes.pin(0.22 * radius, 0.95 * width);
  const tyre = shapes.tyre(radius, width);
  for (const geometry of [rim, hub, tyre]) geometry.translate(...at);
  return [mesh(tyre, paints.finish[finish]), mesh(rim, paints.finish.frame), mesh(hub, paints.finish.dark)];
}

export function mesh(geometry: BufferGeometry, material: Material): Mesh {
  const result = new Mesh(geometry, material);
  result.castShadow = true;
  result.receiveShadow = true;
  return result;
}

/** The box that shapes fill in the frame of their body. */
export function boxOf(all: readonly Shape[]): Box {
  return boxAround(all.flatMap(extremes));
}

/** Points around a shape, in the frame of its body. */
export function extremes(shape: Shape): Vector[] {
  switch (shape.kind) {
    case "beam":
      return [shape.from, shape.to];
    case "bar":
      return [shape.from, shape.to].flatMap((end) => around(end, [shape.radius, shape.radius, shape.radius]));
    case "wheel":
      return around(shape.at, [shape.radius, shape.radius, shape.width / 2]);
    case "prism": {
      const [u, v, w] = ACROSS[shape.along];
      return shape.outline.flatMap(([a, b]) =>
        [-0.5, 0.5].map((side) => {
          const corner: Vector = [...shape.at];
          corner[u] += a;
          corner[v] += b;
          corner[w] += side * shape.width;
          return corner;
        }),
      );
    }
  }
}

function around(at: Vector, half: Vector): Vector[] {
  return [-1, 1].map((side) => at.map((x, i) => x + side * (half[i] as number)) as Vector);
}
