// Makes links of a mechanism and the brackets that carry it: plates, bearings and bolts, each in the frame of its body.
import { axesTowards } from "./mesh.ts";
import type { Anchor, Beam } from "./scene.ts";
import * as shapes from "./shapes.ts";
import type { Piece } from "./triangles.ts";
import { minus, unit } from "./vectors.ts";

/** Makes a link as a fork (two plates) or as a tongue (one plate); links alternate, as in real joints. */
export function link(beam: Beam, fork: boolean): Piece[] {
  const along = minus(beam.to, beam.from);
  const length = Math.hypot(...along);
  const thickness = (fork ? 0.26 : 0.4) * beam.depth;
  const pieces: Piece[] = (fork ? [-0.37, 0.37] : [0]).map((z) => ({
    mesh: shapes.linkPlate(length, beam.width, thickness).translate(0, 0, z * beam.depth),
    material: fork ? "fork" : "tongue",
  }));
  if (fork) pieces.push(...spacers(beam, length));
  for (const x of [0, length]) {
    pieces.push({ mesh: shapes.pin(0.46 * beam.width, 1.16 * beam.depth).translate(x, 0, 0), material: "bearing" });
    pieces.push({ mesh: shapes.pin(0.26 * beam.width, 1.34 * beam.depth).translate(x, 0, 0), material: "bolt" });
  }
  const axes = axesTowards([1, 0, 0], unit(along));
  for (const { mesh } of pieces) mesh.rotate(axes).translate(...beam.from);
  return pieces;
}

function spacers(beam: Beam, length: number): Piece[] {
  const count = Math.max(2, Math.round(length / (6 * beam.width)));
  return Array.from({ length: count - 1 }, (_, i) => ({
    mesh: shapes.pin(0.16 * beam.width, 1.08 * beam.depth).translate(((i + 1) * length) / count, 0, 0),
    material: "bolt",
  }));
}

/** Makes a pedestal from a bearing down to the floor. */
export function bracket(anchor: Anchor, size: number, floor: number): Piece[] {
  const height = anchor.at[1] - floor;
  const foot = 0.35 * size;
  const pieces: Piece[] = [-0.78, 0.78].map((z) => ({
    mesh: shapes.pedestalPlate(height - foot, 0.85 * size, 1.5 * size, 0.26 * size).translate(0, 0, z * size),
    material: "bracket",
  }));
  pieces.push({
    mesh: shapes.footPlate(4.4 * size, 2.9 * size, foot).translate(0, -height + foot, 0),
    material: "bracket",
  });
  pieces.push({ mesh: shapes.pin(0.3 * size, 2.1 * size), material: "bolt" });
  for (const { mesh } of pieces) mesh.translate(...anchor.at);
  return pieces;
}
