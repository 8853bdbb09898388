// Against the extrusions, lathes and cylinders of three.js.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type BufferGeometry,
  CylinderGeometry,
  ExtrudeGeometry,
  LatheGeometry,
  Matrix4,
  Quaternion,
  Shape,
  Vector2,
  Vector3,
} from "three";
import { arc, extrude, lathe, type Point } from "../src/machine/stage/geometry.ts";
import { axesTowards, type Mesh } from "../src/machine/stage/mesh.ts";
import type { Vector } from "../src/machine/stage/scene.ts";
import { footPlate, heap, linkPlate, roundBar } from "../src/machine/stage/shapes.ts";
import { cross, dot, minus } from "../src/machine/stage/vectors.ts";
import { meshOf } from "./three_mesh.ts";

/** Float32, in which three.js keeps its numbers, knows seven digits. */
const ROUNDING = 2e-6;

const L_SHAPE: Point[] = [
  [0, 0],
  [3, 0],
  [3, 1],
  [1, 1.2],
  [0.8, 2.5],
  [0, 2],
];
const SPIKE: Point[] = [
  [0, 0],
  [4, 0.3],
  [0.2, 0.8],
];

function corner(numbers: number[], i: number): Vector {
  return numbers.slice(3 * i, 3 * i + 3) as Vector;
}

function triangles(mesh: Mesh): Array<{ corners: [Vector, Vector, Vector]; normals: [Vector, Vector, Vector] }> {
  return Array.from({ length: mesh.cornerCount / 3 }, (_, t) => ({
    corners: [0, 1, 2].map((k) => corner(mesh.positions, 3 * t + k)) as [Vector, Vector, Vector],
    normals: [0, 1, 2].map((k) => corner(mesh.normals, 3 * t + k)) as [Vector, Vector, Vector],
  }));
}

/** Area, volume, and the integrals of the normal, of its square and of the height over the surface. */
function measures(mesh: Mesh): number[] {
  const sums = new Array<number>(11).fill(0);
  for (const {
    corners: [a, b, c],
    normals,
  } of triangles(mesh)) {
    const area = Math.hypot(...cross(minus(b, a), minus(c, a))) / 2;
    const mean = [0, 1, 2].map((k) => normals.reduce((sum, n) => sum + (n[k] as number), 0) / 3);
    const own = [area, dot(a, cross(b, c)) / 6];
    for (let k = 0; k < 3; k++) {
      const middle = ((a[k] as number) + (b[k] as number) + (c[k] as number)) / 3;
      own.push(area * (mean[k] as number), area * (mean[k] as number) ** 2, area * middle * (mean[k] as number));
    }
    own.forEach((x, i) => (sums[i] = (sums[i] as number) + x));
  }
  return sums;
}

function same(ours: Mesh, three: BufferGeometry): void {
  const [actual, expected] = [measures(ours), measures(meshOf(three))];
  const size = 1 + Math.max(...expected.map(Math.abs));
  actual.forEach((x, i) =>
    assert.ok(Math.abs(x - (expected[i] as number)) < ROUNDING * size, `${i}: ${x} ${expected[i]}`),
  );
  assert.deepEqual(box(ours), box(meshOf(three)));
}

function box(mesh: Mesh): string[] {
  return [0, 1, 2].map((k) => {
    const numbers = mesh.positions.filter((_, i) => i % 3 === k);
    return `${Math.min(...numbers).toFixed(5)} to ${Math.max(...numbers).toFixed(5)}`.replaceAll("-0.00000", "0.00000");
  });
}

function extruded(shape: Shape, thickness: number, bevel: number): BufferGeometry {
  const depth = thickness - 2 * bevel;
  const bevels = { bevelThickness: bevel, bevelSize: bevel, bevelOffset: -bevel, bevelSegments: 2 };
  return new ExtrudeGeometry(shape, { depth, curveSegments: 20, ...bevels }).translate(0, 0, -depth / 2);
}

function shapeOf(outline: readonly Point[]): Shape {
  return new Shape(outline.map(([x, y]) => new Vector2(x, y)));
}

test("an extruded outline has the surface of three.js's, hollow or with a sharp corner, whichever way round", () => {
  for (const outline of [L_SHAPE, SPIKE]) {
    for (const points of [outline, outline.toReversed()]) {
      same(extrude(points, 0.4, 0.05), extruded(shapeOf(points), 0.4, 0.05));
    }
  }
});

test("rounded outlines have the surface of three.js's: plate of a link, slab with round corners", () => {
  const [length, width, thickness] = [2, 0.3, 0.12];
  const eye = 0.8 * width;
  const tilt = Math.asin(width / 2 / eye);
  const link = new Shape();
  link.absarc(0, 0, eye, tilt, 2 * Math.PI - tilt, false);
  link.absarc(length, 0, eye, Math.PI + tilt, 3 * Math.PI - tilt, false);
  link.closePath();
  same(linkPlate(length, width, thickness), extruded(link, thickness, 0.1 * thickness));
  const slab = new Shape();
  const r = 0.12 * 2;
  for (const [i, [x, y]] of [
    [1.5, 1],
    [-1.5, 1],
    [-1.5, -1],
    [1.5, -1],
  ].entries() as ArrayIterator<[number, Point]>) {
    slab.absarc(x - Math.sign(x) * r, y - Math.sign(y) * r, r, (i * Math.PI) / 2, ((i + 1) * Math.PI) / 2, false);
  }
  same(
    footPlate(3, 2, 0.2),
    extruded(slab, 0.2, 0.04)
      .rotateX(Math.PI / 2)
      .translate(0, -0.1, 0),
  );
});

test("a turned profile has the surface of three.js's lathe with every edge sharp", () => {
  const profile: Point[] = [
    [0.3, -1],
    [0.8, -1],
    [1, -0.6],
    [1, 0.7],
    [0.5, 1],
    [0.3, 1],
  ];
  const doubled = profile.flatMap(([r, y], i) => {
    const point = new Vector2(r, y);
    return i === 0 || i === profile.length - 1 ? [point] : [point, point.clone()];
  });
  same(lathe(profile), new LatheGeometry(doubled, 32));
});

test("bars and heaps have the surface of three.js's cylinders", () => {
  same(roundBar(0.3, 2), new CylinderGeometry(0.3, 0.3, 2, 32).translate(0, 1, 0));
  same(heap(0.5, 1.2), new CylinderGeometry(0.5, 0.5, 1.2, 32).rotateX(Math.PI / 2).scale(1, 0.5, 1));
});

test("a solid is closed and its normals point outwards", () => {
  const solids = [extrude(L_SHAPE, 0.4, 0.05), linkPlate(2, 0.3, 0.1), roundBar(0.3, 2), heap(0.5, 1.2)];
  for (const mesh of solids) {
    const [, volume, nx, , , ny, , , nz] = measures(mesh) as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    assert.ok(volume > 0);
    for (const sum of [nx, ny, nz]) assert.ok(Math.abs(sum) < 1e-9, `${sum}`);
    for (const {
      corners: [a, b, c],
      normals,
    } of triangles(mesh)) {
      for (const normal of normals) {
        assert.ok(Math.abs(Math.hypot(...normal) - 1) < 1e-9);
        assert.ok(dot(normal, cross(minus(b, a), minus(c, a))) > 0);
      }
    }
  }
});

test("an arc has both its ends and stays on its circle", () => {
  const points = arc([1, 2], 0.5, 0, Math.PI / 2);
  assert.deepEqual(points[0], [1.5, 2]);
  assert.ok(Math.abs((points.at(-1) as Point)[1] - 2.5) < 1e-12);
  for (const [x, y] of points) assert.ok(Math.abs(Math.hypot(x - 1, y - 2) - 0.5) < 1e-12);
});

test("an axis turns to any direction the shortest way, as three.js's quaternion does, and mirrors nothing", () => {
  const directions: Vector[] = [
    [0.6, 0, 0.8],
    [-0.48, 0.6, 0.64],
    [1, 0, 0],
    [-1, 0, 0],
    [0, -1, 0],
  ];
  for (const axis of [
    [1, 0, 0],
    [0, 1, 0],
  ] as Vector[]) {
    for (const direction of directions) {
      const turn = new Quaternion().setFromUnitVectors(new Vector3(...axis), new Vector3(...direction));
      const expected = new Matrix4().makeRotationFromQuaternion(turn).elements;
      axesTowards(axis, direction)
        .flat()
        .forEach((x, i) => {
          assert.ok(
            Math.abs(x - (expected[4 * Math.floor(i / 3) + (i % 3)] as number)) < 1e-12,
            `${axis} to ${direction}`,
          );
        });
    }
  }
});
