// Forward kinematics of a tree of hinges and slides: computes one 4x4 matrix per body from the joint coordinates.

import { MATRIX, setIdentity, transform } from "./matrices.ts";
import { type CylinderEnd, GROUND, type Scene } from "./scene.ts";

/** Numbers per joint: its origin in the parent, and its axis. */
const JOINT = 6;

/**
 * Computes the pose of every body from joint coordinates. Nothing is allocated per pose: matrices are reused, and
 * numbers stay in typed arrays, because a number passed to a function or stored in a field may be allocated on the
 * heap.
 */
export class Kinematics {
  /** Channels of those joints that have one, in the order in which `solve` expects their values. */
  readonly channels: string[];
  /** Matrices by slot, column by column: slot 0 is the ground, slot i + 1 is body i. */
  readonly matrices: Float64Array;
  private readonly parents: Int32Array;
  private readonly joints: Float64Array;
  private readonly slides: Uint8Array;
  /** Index of each joint's value; -1 if the joint does not move. */
  private readonly sources: Int32Array;
  private readonly coordinates: Float64Array;
  private readonly slots = new Map<string, number>([[GROUND, 0]]);
  private readonly turned = new Float64Array(9);

  constructor(scene: Scene) {
    const { bodies } = scene;
    this.channels = bodies.flatMap(({ joint }) => joint.channel ?? []);
    this.matrices = new Float64Array(MATRIX * (bodies.length + 1));
    for (let slot = 0; slot <= bodies.length; slot++) setIdentity(this.matrices, slot);
    this.parents = Int32Array.from(bodies, (body, i) => {
      const parent = this.slots.get(body.parent);
      if (parent === undefined) throw new Error(`body ${body.name} comes before its parent ${body.parent}`);
      this.slots.set(body.name, i + 1);
      return parent;
    });
    this.joints = Float64Array.from(bodies.flatMap(({ joint }) => [...joint.origin, ...joint.axis]));
    this.slides = Uint8Array.from(bodies, ({ joint }) => (joint.type === "prismatic" ? 1 : 0));
    let next = 0;
    this.sources = Int32Array.from(bodies, ({ joint }) => (joint.channel === null ? -1 : next++));
    this.coordinates = Float64Array.from(bodies, ({ joint }) => joint.start);
  }

  solve(values: ArrayLike<number>): void {
    const { sources, coordinates } = this;
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i] as number;
      if (source >= 0) coordinates[i] = values[source] as number;
      this.turn(i);
      this.attach(i);
    }
  }

  /** Returns the slot of a body; the slot of the ground for an unknown name. */
  slotOf(body: string): number {
    return this.slots.get(body) ?? 0;
  }

  /** Returns the world position of a point fixed to a body. */
  point(end: CylinderEnd, out: Float64Array): Float64Array {
    transform(this.matrices, this.slotOf(end.body), Float64Array.from(end.at), 0, out, 0);
    return out;
  }

  /** Computes the rotation of a joint with Rodrigues' formula. */
  private turn(i: number): void {
    const { joints, turned } = this;
    const angle = this.slides[i] === 1 ? 0 : (this.coordinates[i] as number);
    const x = joints[JOINT * i + 3] as number;
    const y = joints[JOINT * i + 4] as number;
    const z = joints[JOINT * i + 5] as number;
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    const k = 1 - c;
    turned[0] = c + k * x * x;
    turned[1] = k * x * y + s * z;
    turned[2] = k * x * z - s * y;
    turned[3] = k * x * y - s * z;
    turned[4] = c + k * y * y;
    turned[5] = k * y * z + s * x;
    turned[6] = k * x * z + s * y;
    turned[7] = k * y * z - s * x;
    turned[8] = c + k * z * z;
  }

  /** matrix of the body = matrix of its parent * translation(origin + slide axis) * the joint's rotation. */
  private attach(i: number): void {
    const { joints, turned, matrices } = this;
    const base = MATRIX * (this.parents[i] as number);
    const own = MATRIX * (i + 1);
    const slide = this.slides[i] === 1 ? (this.coordinates[i] as number) : 0;
    const ox = (joints[JOINT * i] as number) + slide * (joints[JOINT * i + 3] as number);
    const oy = (joints[JOINT * i + 1] as number) + slide * (joints[JOINT * i + 4] as number);
    const oz = (joints[JOINT * i + 2] as number) + slide * (joints[JOINT * i + 5] as number);
    for (let row = 0; row < 3; row++) {
      const b0 = matrices[base + row] as number;
      const b1 = matrices[base + row + 4] as number;
      const b2 = matrices[base + row + 8] as number;
      for (let column = 0; column < 3; column++) {
        const j = 3 * column;
        matrices[own + row + 4 * column] =
          b0 * (turned[j] as number) + b1 * (turned[j + 1] as number) + b2 * (turned[j + 2] as number);
      }
      matrices[own + row + 12] = b0 * ox + b1 * oy + b2 * oz + (matrices[base + row + 12] as number);
    }
  }
}
