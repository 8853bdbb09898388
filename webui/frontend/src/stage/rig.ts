// The machine as three.js objects, built from its scene description and posed by joint angles alone.
import { Group, Matrix4, Quaternion, Vector3, type MeshPhongMaterial } from "three";
import { Kinematics } from "./kinematics.ts";
import type { Paints } from "./paints.ts";
import { GROUND, type Anchor, type Beam, type Body, type CylinderShape, type Scene, type Vector } from "./scene.ts";
import * as shapes from "./shapes.ts";
import { boxOf, extremes, mesh, solid } from "./solids.ts";
import type { Box } from "./view.ts";

const X = new Vector3(1, 0, 0);
const Y = new Vector3(0, 1, 0);

interface CylinderParts {
  shape: CylinderShape;
  barrel: Group;
  piston: Group;
  paint: MeshPhongMaterial;
}

export class Rig {
  readonly group = new Group();
  readonly kinematics: Kinematics;
  readonly floor: number;
  private readonly bodies: Group[];
  private readonly boxes: Box[];
  /** Points around the shapes of each body, in its frame. */
  private readonly extents: Vector[][];
  private readonly cylinders: CylinderParts[];
  private readonly base = new Float64Array(3);
  private readonly end = new Float64Array(3);
  private readonly from = new Vector3();
  private readonly along = new Vector3();
  private readonly turn = new Quaternion();

  constructor(
    private readonly scene: Scene,
    private readonly paints: Paints,
  ) {
    this.kinematics = new Kinematics(scene);
    const beam = widestBeam(scene);
    // a machine without brackets brings its own base and stands on the ground
    const lowest = Math.min(...scene.anchors.map((anchor) => anchor.at[1])) - 2.6 * beam;
    this.floor = scene.anchors.length > 0 ? lowest : 0;
    this.boxes = scene.bodies.map((body) => boxOf(body.shapes));
    this.extents = scene.bodies.map((body) => body.shapes.flatMap(extremes));
    this.bodies = scene.bodies.map((body, i) => this.addBody(body, i));
    for (const anchor of scene.anchors) this.addAnchor(anchor, this.bearingSize(anchor, beam));
    this.cylinders = scene.cylinders.map((shape) => this.addCylinder(shape));
  }

  pose(angles: ArrayLike<number>): void {
    this.kinematics.solve(angles);
    for (let i = 0; i < this.bodies.length; i++) {
      const group = this.bodies[i] as Group;
      group.matrix.fromArray(this.kinematics.matrix((this.scene.bodies[i] as Body).name));
      group.matrixWorldNeedsUpdate = true;
    }
    for (const cylinder of this.cylinders) this.placeCylinder(cylinder);
  }

  /** Points around the machine in its present pose, with the brackets down to the floor. */
  outline(): Vector[] {
    const found: Vector[] = this.extents.flatMap((points, i) => {
      const { matrix } = this.bodies[i] as Group;
      return points.map((at) => point(this.from.fromArray(at).applyMatrix4(matrix)));
    });
    for (const { at } of this.scene.anchors) found.push(at, [at[0], this.floor, at[2]]);
    return found;
  }

  /** The middle line of a body, along its longest side. */
  bodyEnds(index: number, from: Vector3, to: Vector3): void {
    const { min, max } = this.boxes[index] as Box;
    const { matrix } = this.bodies[index] as Group;
    const sides = max.map((x, i) => x - (min[i] as number));
    const long = sides.indexOf(Math.max(...sides));
    const end = (side: Vector) => min.map((x, i) => (i === long ? (side[i] as number) : (x + (max[i] as number)) / 2)) as Vector;
    from.fromArray(end(min)).applyMatrix4(matrix);
    to.fromArray(end(max)).applyMatrix4(matrix);
  }

  /** Colours a tube by what it carries, as a share of its full force. */
  showLoad(index: number, share: number): void {
    const { paint } = this.cylinders[index] as CylinderParts;
    const { unloaded, half, loaded } = this.paints;
    const twice = 2 * Math.min(1, Math.max(0, share));
    if (twice < 1) paint.color.lerpColors(unloaded, half, twice);
    else paint.color.lerpColors(half, loaded, twice - 1);
  }

  /** A point of a cylinder's tube: its middle, or another share of its length. */
  cylinderPoint(index: number, out: Vector3, share = 0.5): Vector3 {
    const { barrel, shape } = this.cylinders[index] as CylinderParts;
    return out.set(0, share * shape.tube_length, 0).applyMatrix4(barrel.matrix);
  }

  private addBody(body: Body, index: number): Group {
    const group = new Group();
    group.matrixAutoUpdate = false;
    for (const shape of body.shapes) group.add(shape.kind === "beam" ? this.link(shape, index) : solid(shape, this.paints));
    this.group.add(group);
    return group;
  }

  /** Links alternate between a fork (two plates) and a tongue (one), so that a joint closes as it would in steel. */
  private link(beam: Beam, index: number): Group {
    const group = new Group();
    const along = new Vector3().fromArray(beam.to).sub(new Vector3().fromArray(beam.from));
    const length = along.length();
    group.position.fromArray(beam.from);
    group.quaternion.setFromUnitVectors(X, along.normalize());
    const fork = index % 2 === 0;
    const thickness = (fork ? 0.26 : 0.4) * beam.depth;
    for (const z of fork ? [-0.37, 0.37] : [0]) {
      const plate = shapes.linkPlate(length, beam.width, thickness);
      plate.translate(0, 0, z * beam.depth);
      group.add(mesh(plate, fork ? this.paints.fork : this.paints.tongue));
    }
    if (fork) this.addSpacers(group, beam, length);
    for (const x of [0, length]) {
      const bearing = mesh(shapes.pin(0.46 * beam.width, 1.16 * beam.depth), this.paints.bearing);
      const bolt = mesh(shapes.pin(0.26 * beam.width, 1.34 * beam.depth), this.paints.bolt);
      bearing.position.x = x;
      bolt.position.x = x;
      group.add(bearing, bolt);
    }
    return group;
  }

  private addSpacers(group: Group, beam: Beam, length: number): void {
    const count = Math.max(2, Math.round(length / (6 * beam.width)));
    for (let i = 1; i < count; i++) {
      const spacer = mesh(shapes.pin(0.16 * beam.width, 1.08 * beam.depth), this.paints.bolt);
      spacer.position.x = (i * length) / count;
      group.add(spacer);
    }
  }

  /** A bearing is as large as what it carries: a beam or a cylinder. */
  private bearingSize(anchor: Anchor, beam: number): number {
    const carried = this.scene.cylinders.find(
      ({ base }) => base.body === GROUND && base.at.every((x, i) => Math.abs(x - (anchor.at[i] as number)) < 1e-6),
    );
    return carried === undefined ? beam : Math.min(beam, 1.5 * carried.bore);
  }

  private addAnchor(anchor: Anchor, beam: number): void {
    const group = new Group();
    group.position.fromArray(anchor.at);
    const height = anchor.at[1] - this.floor;
    const foot = 0.35 * beam;
    for (const z of [-0.78, 0.78]) {
      const plate = shapes.pedestalPlate(height - foot, 0.85 * beam, 1.5 * beam, 0.26 * beam);
      plate.translate(0, 0, z * beam);
      group.add(mesh(plate, this.paints.bracket));
    }
    const slab = mesh(shapes.footPlate(4.4 * beam, 2.9 * beam, foot), this.paints.bracket);
    slab.position.y = -height + foot;
    const axle = mesh(shapes.pin(0.3 * beam, 2.1 * beam), this.paints.bolt);
    group.add(slab, axle);
    this.group.add(group);
  }

  private addCylinder(shape: CylinderShape): CylinderParts {
    const barrel = new Group();
    const piston = new Group();
    const { bore, tube_length: length } = shape;
    const ringA = mesh(shapes.chamberRing(bore), this.paints.chamberA);
    const ringB = mesh(shapes.chamberRing(bore), this.paints.chamberB);
    ringA.position.y = 0.14 * length;
    ringB.position.y = 0.8 * length;
    const paint = this.paints.tube.clone();
    paint.color = this.paints.unloaded.clone();
    barrel.add(mesh(shapes.tube(bore, length), paint), ringA, ringB);
    barrel.add(mesh(shapes.pin(0.75 * bore, 1.1 * bore), this.paints.tube));
    piston.add(mesh(shapes.rod(shape.rod_diameter, length), this.paints.rod));
    piston.add(mesh(shapes.pin(0.55 * bore, 0.8 * bore), this.paints.tube));
    for (const group of [barrel, piston]) {
      group.matrixAutoUpdate = false;
      this.group.add(group);
    }
    return { shape, barrel, piston, paint };
  }

  private placeCylinder({ shape, barrel, piston }: CylinderParts): void {
    this.kinematics.point(shape.base, this.base);
    this.kinematics.point(shape.rod, this.end);
    this.from.fromArray(this.base);
    this.along.fromArray(this.end).sub(this.from).normalize();
    this.turn.setFromUnitVectors(Y, this.along);
    place(barrel.matrix, this.from, this.turn);
    barrel.matrixWorldNeedsUpdate = true;
    place(piston.matrix, this.from.fromArray(this.end), this.turn);
    piston.matrixWorldNeedsUpdate = true;
  }
}

function point(at: Vector3): Vector {
  return [at.x, at.y, at.z];
}

const ONE = new Vector3(1, 1, 1);

function place(matrix: Matrix4, at: Vector3, turn: Quaternion): void {
  matrix.compose(at, turn, ONE);
}

function widestBeam(scene: Scene): number {
  const beams = scene.bodies.flatMap(({ shapes: all }) => all.filter((shape) => shape.kind === "beam"));
  return Math.max(0.05, ...beams.map((beam) => beam.width));
}
