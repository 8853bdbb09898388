// Makes the meshes of the shapes in a machine's description, in the frames of their bodies, and their bounding boxes.
import { type Axes, axesTowards } from "./mesh.ts";
import { type Box, boxAround } from "./orbit.ts";
import type { Bar, Prism, Shape, Vector, Wheel } from "./scene.ts";
import * as shapes from "./shapes.ts";
import type { Piece } from "./triangles.ts";
import { minus, unit } from "./vectors.ts";

const [X, Y, Z]: Axes = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
/** The directions to which the outline's two axes and the extrusion are mapped. */
const BASES: Record<Prism["along"], Axes> = { z: [X, Y, Z], x: [Y, Z, X], y: [Z, X, Y] };
const ACROSS = { z: [0, 1, 2], x: [1, 2, 0], y: [2, 0, 1] } as const;

/** Makes prisms, bars and wheels; links.ts makes the beams of mechanisms. */
export function solid(shape: Exclude<Shape, { kind: "beam" }>): Piece[] {
  if (shape.kind === "prism") return [prism(shape)];
  if (shape.kind === "bar") return [bar(shape)];
  return wheel(shape);
}

function prism({ outline, width, at, along, finish }: Prism): Piece {
  return {
    mesh: shapes
      .outlined(outline, width)
      .rotate(BASES[along])
      .translate(...at),
    material: finish,
  };
}

function bar({ from, to, radius, finish }: Bar): Piece {
  const along = minus(to, from);
  const mesh = shapes.roundBar(radius, Math.hypot(...along));
  return { mesh: mesh.rotate(axesTowards(Y, unit(along))).translate(...from), material: finish };
}

function wheel({ at, radius, width, finish }: Wheel): Piece[] {
  const pieces: Piece[] = [
    { mesh: shapes.tyre(radius, width), material: finish },
    { mesh: shapes.pin(0.6 * radius, 0.7 * width), material: "frame" },
    { mesh: shapes.pin(0.22 * radius, 0.95 * width), material: "dark" },
  ];
  for (const { mesh } of pieces) mesh.translate(...at);
  return pieces;
}

/** Returns the bounding box of shapes in the frame of their body. */
export function boxOf(all: readonly Shape[]): Box {
  return boxAround(all.flatMap(extremes));
}

/** Returns points around a shape, in the frame of its body. */
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
