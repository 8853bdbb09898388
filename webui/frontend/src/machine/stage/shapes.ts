// Meshes of machine parts: bevelled plates, turned parts, brackets.
import { arc, extrude, lathe, type Point } from "./geometry.ts";
import type { Mesh } from "./mesh.ts";
import type { Vector } from "./scene.ts";

/** A flat link along +x with rounded eyes at both ends, bevelled, centred on z = 0. */
export function linkPlate(length: number, width: number, thickness: number): Mesh {
  const eye = 0.8 * width;
  const tilt = Math.asin(width / 2 / eye);
  const near = arc([0, 0], eye, tilt, 2 * Math.PI - tilt);
  const far = arc([length, 0], eye, Math.PI + tilt, 3 * Math.PI - tilt);
  return extrude([...near, ...far], thickness, 0.1 * Math.min(width, thickness));
}

/** A bearing pedestal: rounded head at the origin, wide foot at y = -height. */
export function pedestalPlate(height: number, head: number, foot: number, thickness: number): Mesh {
  const outline: Point[] = [[-foot, -height], [foot, -height], [head, -0.2 * head], ...arc([0, 0], head, 0, Math.PI)];
  return extrude(outline, thickness, 0.12 * thickness);
}

/** A slab with rounded corners and bevelled edges; top at y = 0. */
export function footPlate(width: number, depth: number, thickness: number): Mesh {
  const r = 0.12 * Math.min(width, depth);
  const [x, z] = [width / 2 - r, depth / 2 - r];
  const corners: Point[] = [
    [x, z],
    [-x, z],
    [-x, -z],
    [x, -z],
  ];
  const outline = corners.flatMap((centre, i) => arc(centre, r, (i * Math.PI) / 2, ((i + 1) * Math.PI) / 2));
  return extrude(outline, thickness, 0.2 * thickness)
    .uprightToZ()
    .translate(0, -thickness / 2, 0);
}

/** A pin along z with chamfered ends. */
export function pin(radius: number, length: number): Mesh {
  return lathe([
    [0, -length / 2],
    [0.8 * radius, -length / 2],
    [radius, -length / 2 + 0.2 * radius],
    [radius, length / 2 - 0.2 * radius],
    [0.8 * radius, length / 2],
    [0, length / 2],
  ]).uprightToZ();
}

/** The two halves of a cylinder's tube along +y from the base eye, with a welded bottom and a gland at the open end. */
export function tube(bore: number, length: number): { a: Mesh; b: Mesh } {
  const r = 0.64 * bore;
  const gland = 0.78 * bore;
  const g = 0.9 * bore;
  const middle = 0.5 * length;
  const a = lathe([
    [0, 0],
    [0.9 * r, 0],
    [r, 0.1 * bore],
    [r, middle],
  ]);
  const b = lathe([
    [r, middle],
    [r, length - g],
    [0.96 * gland, length - g],
    [gland, length - g + 0.08 * bore],
    [gland, length - 0.08 * bore],
    [0.94 * gland, length],
    [0, length],
  ]);
  return { a, b };
}

/** A coloured ring around the tube that marks a chamber. */
export function chamberRing(bore: number): Mesh {
  const r = 0.71 * bore;
  const h = 0.22 * bore;
  return lathe([
    [0.6 * bore, -h],
    [0.95 * r, -h],
    [r, -0.7 * h],
    [r, 0.7 * h],
    [0.95 * r, h],
    [0.6 * bore, h],
  ]);
}

/** A rod along -y that ends at the origin. */
export function rod(diameter: number, length: number): Mesh {
  return roundBar(diameter / 2, length).translate(0, -length, 0);
}

/** An outline from a machine's description, extruded along z with bevelled edges, centred on z = 0. */
export function outlined(outline: Point[], width: number): Mesh {
  const edges = outline.map(([x, y], i) => {
    const [a, b] = outline[(i + 1) % outline.length] as Point;
    return Math.hypot(a - x, b - y);
  });
  return extrude(outline, width, Math.min(0.012, 0.15 * Math.min(width, ...edges)));
}

/** A round bar along +y from the origin. */
export function roundBar(radius: number, length: number): Mesh {
  return lathe([
    [0, 0],
    [radius, 0],
    [radius, length],
    [0, length],
  ]);
}

/** Soil in a bucket: a flattened round bar along z, centred on the origin. */
export function heap(radius: number, width: number): Mesh {
  return roundBar(radius, width)
    .translate(0, -width / 2, 0)
    .uprightToZ()
    .scale(1, 0.5, 1);
}

/** A tyre about z. */
export function tyre(radius: number, width: number): Mesh {
  const [w, inner] = [width / 2, 0.58 * radius];
  return lathe([
    [inner, -0.8 * w],
    [0.9 * radius, -w],
    [radius, -0.7 * w],
    [radius, 0.7 * w],
    [0.9 * radius, w],
    [inner, 0.8 * w],
    [inner, -0.8 * w],
  ]).uprightToZ();
}

/** Corners of a horizontal square, as a strip of two triangles. */
export function floorPlane(at: Vector, half: number): Float32Array<ArrayBuffer> {
  const [x, y, z] = at;
  return Float32Array.of(x - half, y, z - half, x - half, y, z + half, x + half, y, z - half, x + half, y, z + half);
}

/** Grid lines, one metre apart, which fade with the distance from the centre: x, y, z and opacity. */
export function floorGrid(at: Vector, radius: number): Float32Array<ArrayBuffer> {
  const numbers: number[] = [];
  const n = Math.ceil(radius);
  const put = (x: number, z: number) => {
    const fade = Math.max(0, 1 - Math.hypot(x, z) / radius);
    numbers.push(at[0] + x, at[1], at[2] + z, fade * fade);
  };
  for (let i = -n; i <= n; i++) {
    for (let j = -n; j < n; j++) {
      put(i, j);
      put(i, j + 1);
      put(j, i);
      put(j + 1, i);
    }
  }
  return Float32Array.from(numbers);
}
