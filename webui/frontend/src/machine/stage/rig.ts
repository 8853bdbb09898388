// The machine in its pose: computes the matrices of all moving parts from the joint coordinates. Code that runs with
// every picture must not allocate, so numbers stay in typed arrays.
import type { Camera } from "./camera.ts";
import { Kinematics } from "./kinematics.ts";
import { floorOf } from "./machine_mesh.ts";
import { alongEnds, MATRIX, POINT, scaledAt, setIdentity, transform } from "./matrices.ts";
import type { Box, Free } from "./orbit.ts";
import type { PartRef } from "./part_list.ts";
import type { Scene, Vector } from "./scene.ts";
import { boxOf, extremes } from "./solids.ts";
import type { TransformSlots } from "./transform_slots.ts";

/** Loads smaller than this share are hidden. */
const LEAST_FILL = 0.02;
const LEAST_PAYLOAD = 0.05;

export class Rig {
  readonly kinematics: Kinematics;
  readonly floor: number;
  /** Matrices by slot. */
  readonly matrices: Float64Array;
  /** Points around the shapes, in the frames of their bodies, and the slots of these bodies. */
  private readonly extents: Float64Array;
  private readonly extentSlots: Int32Array;
  /** Both ends of each body's centre line. */
  private readonly middleLines: Float64Array;
  /** Base and rod end of each cylinder, in the frames of their bodies, and the slots of these bodies. */
  private readonly mounts: Float64Array;
  private readonly mountSlots: Int32Array;
  private readonly tubeLengths: Float64Array;
  /** Positions of the heaps in their bodies; the last one is the load on the hook, at the origin of its body. */
  private readonly loadPoints: Float64Array;
  private readonly loadSlots: Int32Array;
  private readonly loadScales: Float64Array;
  private readonly payload: number;
  private readonly tool: number;
  private readonly ends = new Float64Array(2 * POINT);
  private readonly point = new Float64Array(POINT);

  constructor(
    private readonly scene: Scene,
    private readonly slots: TransformSlots,
  ) {
    const { bodies, cylinders, fills } = scene;
    this.kinematics = new Kinematics(scene);
    const { kinematics } = this;
    this.floor = floorOf(scene);
    this.matrices = new Float64Array(MATRIX * slots.count);
    for (let slot = 0; slot < slots.count; slot++) setIdentity(this.matrices, slot);
    const points = bodies.map(({ shapes }) => shapes.flatMap(extremes));
    this.extents = Float64Array.from(points.flat(2));
    this.extentSlots = Int32Array.from(points.flatMap((own, i) => own.map(() => slots.body(i))));
    this.middleLines = Float64Array.from(bodies.flatMap(({ shapes }) => middleLine(boxOf(shapes)).flat()));
    const mounts = cylinders.flatMap(({ base, rod }) => [base, rod]);
    this.mounts = Float64Array.from(mounts.flatMap(({ at }) => at));
    this.mountSlots = Int32Array.from(mounts, ({ body }) => kinematics.slotOf(body));
    this.tubeLengths = Float64Array.from(cylinders, ({ tube_length: length }) => length);
    this.loadPoints = Float64Array.from([...fills.flatMap(({ at }) => at), 0, 0, 0]);
    this.loadSlots = Int32Array.from(fills, ({ body }) => kinematics.slotOf(body));
    this.loadScales = new Float64Array(POINT * (fills.length + 1)).fill(1);
    for (let i = 0; i < fills.length; i++) this.setLoad(i, 0, 0);
    this.payload = scene.payload === null ? 0 : kinematics.slotOf(scene.payload.body);
    this.tool = slots.body(bodies.findLastIndex(({ shapes }) => shapes.length > 0));
  }

  pose(angles: ArrayLike<number>): void {
    this.kinematics.solve(angles);
    this.arrange();
  }

  /** Returns whether any part of the machine is outside the free part of the view. */
  reachesOut(camera: Camera, free: Free): boolean {
    const { extents, extentSlots, point } = this;
    for (let i = 0; i < extentSlots.length; i++) {
      transform(this.kinematics.matrices, extentSlots[i] as number, extents, i, point, 0);
      camera.project(point);
      const y = point[1] as number;
      if (Math.abs(point[0] as number) > 1 || y > free.top || y < -free.bottom) return true;
    }
    return false;
  }

  /** Finds the outermost part: bucket, hook or last link. */
  toolPoint(out: Float64Array): void {
    for (let i = 0; i < POINT; i++) out[i] = this.matrices[MATRIX * this.tool + 12 + i] as number;
  }

  /** Shows soil in a bucket, m³; the cross-section of the heap grows with the volume. */
  showFill(index: number, volume: number): void {
    const share = Math.min(1, Math.max(0, volume / (this.scene.fills[index]?.full ?? Infinity)));
    const seen = share > LEAST_FILL;
    this.setLoad(index, seen ? Math.sqrt(share) : 0, seen ? 1 : 0);
    this.arrange();
  }

  /** Shows the load on the hook, kg; its size grows with the mass. */
  showPayload(mass: number): void {
    const share = mass / (this.scene.payload?.usual ?? Infinity);
    const size = share > LEAST_PAYLOAD ? Math.min(1.4, Math.max(0.4, Math.cbrt(share))) : 0;
    this.setLoad(this.scene.fills.length, size, size);
    this.arrange();
  }

  /** Returns the slots of a part: a body with its heap, or a cylinder with its rod. */
  partSlots({ kind, index }: PartRef): number[] {
    if (kind === "cylinder") return [this.slots.tube(index), this.slots.rod(index)];
    const own = this.slots.body(index);
    const heaps = this.scene.fills.flatMap((_, i) => (this.loadSlots[i] === own ? [this.slots.heap(i)] : []));
    return [own, ...heaps];
  }

  /** Returns points around the machine in its present pose, including the brackets down to the floor. */
  outline(): Vector[] {
    const found = Array.from(this.extentSlots, (slot, i): Vector => {
      transform(this.kinematics.matrices, slot, this.extents, i, this.point, 0);
      return [...this.point] as Vector;
    });
    for (const { at } of this.scene.anchors) found.push(at, [at[0], this.floor, at[2]]);
    return found;
  }

  /** Computes the centre line of a body, along its longest side. */
  bodyEnds(index: number, from: Float64Array, to: Float64Array): void {
    const slot = this.slots.body(index);
    transform(this.matrices, slot, this.middleLines, 2 * index, from, 0);
    transform(this.matrices, slot, this.middleLines, 2 * index + 1, to, 0);
  }

  /** Computes a point on the axis of a cylinder's tube, at a share of the tube's length. */
  cylinderPoint(index: number, out: Float64Array, share = 0.5): void {
    out[0] = 0;
    out[1] = share * (this.tubeLengths[index] as number);
    out[2] = 0;
    transform(this.matrices, this.slots.tube(index), out, 0, out, 0);
  }

  /** Places cylinders, heaps and load according to the bodies. */
  private arrange(): void {
    const { matrices, mounts, mountSlots, loadSlots, slots, ends } = this;
    matrices.set(this.kinematics.matrices);
    for (let i = 0; 2 * i < mountSlots.length; i++) {
      transform(matrices, mountSlots[2 * i] as number, mounts, 2 * i, ends, 0);
      transform(matrices, mountSlots[2 * i + 1] as number, mounts, 2 * i + 1, ends, 1);
      alongEnds(matrices, slots.tube(i), slots.rod(i), ends);
    }
    const count = loadSlots.length;
    for (let i = 0; i < count; i++) {
      scaledAt(matrices, loadSlots[i] as number, slots.heap(i), this.loadPoints, i, this.loadScales, i);
    }
    if (this.payload > 0)
      scaledAt(matrices, this.payload, this.payload, this.loadPoints, count, this.loadScales, count);
  }

  private setLoad(index: number, across: number, along: number): void {
    this.loadScales[POINT * index] = across;
    this.loadScales[POINT * index + 1] = across;
    this.loadScales[POINT * index + 2] = along;
  }
}

/** Returns the ends of the centre line along the longest side of a box. */
function middleLine({ min, max }: Box): [Vector, Vector] {
  const sides = max.map((x, i) => x - (min[i] as number));
  const long = sides.indexOf(Math.max(...sides));
  const end = (side: Vector) =>
    min.map((x, i) => (i === long ? (side[i] as number) : (x + (max[i] as number)) / 2)) as Vector;
  return [end(min), end(max)];
}
