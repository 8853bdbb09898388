// Forward kinematics of a tree of hinges and slides: their coordinates in, one 4x4 matrix per body out.
import { GROUND, type CylinderEnd, type Scene, type Vector } from "./scene.ts";

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Pose of every body for given joint coordinates. Matrices are column-major and reused: nothing is allocated per pose. */
export class Kinematics {
  /** Channels of the joints that have one, in the order `solve` expects their values; the others stay. */
  readonly channels: string[];
  private readonly matrices: Float64Array[];
  private readonly parents: number[];
  private readonly index = new Map<string, number>();
  private readonly ground = Float64Array.from(IDENTITY);

  constructor(private readonly scene: Scene) {
    this.channels = scene.bodies.flatMap((body) => body.joint.channel ?? []);
    this.matrices = scene.bodies.map(() => Float64Array.from(IDENTITY));
    this.parents = scene.bodies.map((body, i) => {
      const parent = this.parentIndex(body.parent, body.name);
      this.index.set(body.name, i);
      return parent;
    });
  }

  solve(values: ArrayLike<number>): void {
    let next = 0;
    this.scene.bodies.forEach(({ joint }, i) => {
      const parent = this.parents[i] as number;
      const base = parent < 0 ? this.ground : (this.matrices[parent] as Float64Array);
      const value = joint.channel === null ? joint.start : (values[next++] as number);
      const slides = joint.type === "prismatic";
      placeJoint(this.matrices[i] as Float64Array, base, joint.origin, joint.axis, slides ? 0 : value, slides ? value : 0);
    });
  }

  matrix(body: string): Float64Array {
    const i = this.index.get(body);
    return i === undefined ? this.ground : (this.matrices[i] as Float64Array);
  }

  /** World position of a point fixed to a body. */
  point(end: CylinderEnd, out: Float64Array): Float64Array {
    return transform(this.matrix(end.body), end.at, out);
  }

  private parentIndex(parent: string, body: string): number {
    if (parent === GROUND) return -1;
    const i = this.index.get(parent);
    if (i === undefined) throw new Error(`body ${body} comes before its parent ${parent}`);
    return i;
  }
}

export function transform(m: Float64Array, at: Vector, out: Float64Array): Float64Array {
  const [x, y, z] = at;
  for (let row = 0; row < 3; row++) {
    out[row] =
      (m[row] as number) * x + (m[row + 4] as number) * y + (m[row + 8] as number) * z + (m[row + 12] as number);
  }
  return out;
}

const turned = new Float64Array(9);

/** out = base * translation(origin + slide axis) * rotation(axis, angle), by Rodrigues' formula. */
function placeJoint(
  out: Float64Array,
  base: Float64Array,
  origin: Vector,
  axis: Vector,
  angle: number,
  slide: number,
): void {
  const [x, y, z] = axis;
  const [ox, oy, oz] = [origin[0] + slide * x, origin[1] + slide * y, origin[2] + slide * z];
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
  for (let row = 0; row < 3; row++) {
    const b0 = base[row] as number;
    const b1 = base[row + 4] as number;
    const b2 = base[row + 8] as number;
    for (let column = 0; column < 3; column++) {
      const j = 3 * column;
      out[row + 4 * column] =
        b0 * (turned[j] as number) + b1 * (turned[j + 1] as number) + b2 * (turned[j + 2] as number);
    }
    out[row + 12] = b0 * ox + b1 * oy + b2 * oz + (base[row + 12] as number);
  }
}
