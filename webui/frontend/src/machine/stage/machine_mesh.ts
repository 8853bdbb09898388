// Makes the triangles of a whole machine from its scene description, and finds the height of its floor.
import { bracket, link } from "./links.ts";
import { materialIndex, tubeHalfMaterial } from "./materials.ts";
import { type Anchor, type CylinderShape, type Fill, GROUND, type Scene, type Shape } from "./scene.ts";
import * as shapes from "./shapes.ts";
import { solid } from "./solids.ts";
import type { TransformSlots } from "./transform_slots.ts";
import { joinMeshes, type Piece, type SlottedMesh, type Triangles } from "./triangles.ts";

/**
 * Returns the height of the floor: below the brackets, or 0 for a machine without brackets, which stands on its own
 * base.
 */
export function floorOf(scene: Scene): number {
  if (scene.anchors.length === 0) return 0;
  return Math.min(...scene.anchors.map(({ at }) => at[1])) - 2.6 * widestBeam(scene);
}

export function machineMesh(scene: Scene, slots: TransformSlots): Triangles {
  const parts: SlottedMesh[] = [];
  const add = (pieces: Piece[], slot: number) => {
    for (const { mesh, material } of pieces) parts.push({ mesh, slot, material: materialIndex(material) });
  };
  scene.bodies.forEach((body, i) =>
    add(
      body.shapes.flatMap((shape) => bodyPieces(shape, i)),
      slots.body(i),
    ),
  );
  const [floor, beam] = [floorOf(scene), widestBeam(scene)];
  for (const anchor of scene.anchors) add(bracket(anchor, bearingSize(scene, anchor, beam), floor), 0);
  scene.cylinders.forEach((shape, i) => {
    const { a, b } = shapes.tube(shape.bore, shape.tube_length);
    parts.push({ mesh: a, slot: slots.tube(i), material: tubeHalfMaterial(i, 0) });
    parts.push({ mesh: b, slot: slots.tube(i), material: tubeHalfMaterial(i, 1) });
    add(tubeMarks(shape), slots.tube(i));
    add(rodPieces(shape), slots.rod(i));
  });
  scene.fills.forEach((fill, i) => add([heap(fill)], slots.heap(i)));
  return joinMeshes(parts);
}

function bodyPieces(shape: Shape, index: number): Piece[] {
  return shape.kind === "beam" ? link(shape, index % 2 === 0) : solid(shape);
}

/** Makes the rings of the chambers, and the eye at the base. */
function tubeMarks({ bore, tube_length: length }: CylinderShape): Piece[] {
  return [
    { mesh: shapes.chamberRing(bore).translate(0, 0.14 * length, 0), material: "chamberA" },
    { mesh: shapes.chamberRing(bore).translate(0, 0.8 * length, 0), material: "chamberB" },
    { mesh: shapes.pin(0.75 * bore, 1.1 * bore), material: "tube" },
  ];
}

function rodPieces({ bore, rod_diameter: diameter, tube_length: length }: CylinderShape): Piece[] {
  return [
    { mesh: shapes.rod(diameter, length), material: "rod" },
    { mesh: shapes.pin(0.55 * bore, 0.8 * bore), material: "tube" },
  ];
}

/** Makes a heap as wide as the bucket, with the volume of a full bucket. */
function heap({ width, full }: Fill): Piece {
  return { mesh: shapes.heap(Math.sqrt((2 * full) / (Math.PI * width)), 0.94 * width), material: "load" };
}

/** Returns the size of a bearing: the size of the beam or cylinder that it carries. */
function bearingSize(scene: Scene, anchor: Anchor, beam: number): number {
  const carried = scene.cylinders.find(
    ({ base }) => base.body === GROUND && base.at.every((x, i) => Math.abs(x - (anchor.at[i] as number)) < 1e-6),
  );
  return carried === undefined ? beam : Math.min(beam, 1.5 * carried.bore);
}

function widestBeam(scene: Scene): number {
  const beams = scene.bodies.flatMap(({ shapes: all }) => all.filter((shape) => shape.kind === "beam"));
  return Math.max(0.05, ...beams.map((beam) => beam.width));
}
