// The display description of a machine, as the server sends it, in metres; the plane is x-y, gravity acts along -y.

export type Vector = [number, number, number];

export interface Beam {
  kind: "beam";
  from: Vector;
  to: Vector;
  width: number;
  depth: number;
}

export type Finish = "frame" | "arm" | "steel" | "dark" | "glass" | "rubber" | "load";

/** An outline extruded along an axis. The outline's coordinates are x, y along z; y, z along x; z, x along y. */
export interface Prism {
  kind: "prism";
  outline: Array<[number, number]>;
  width: number;
  at: Vector;
  along: "x" | "y" | "z";
  finish: Finish;
}

export interface Bar {
  kind: "bar";
  from: Vector;
  to: Vector;
  radius: number;
  finish: Finish;
}

export interface Wheel {
  kind: "wheel";
  at: Vector;
  radius: number;
  width: number;
  finish: Finish;
}

export type Shape = Beam | Prism | Bar | Wheel;

export interface Body {
  name: string;
  parent: string;
  /** start: coordinate of a joint without a channel. */
  joint: { type: string; origin: Vector; axis: Vector; start: number; channel: string | null };
  shapes: Shape[];
}

export interface Anchor {
  name: string;
  at: Vector;
}

export interface CylinderEnd {
  body: string;
  at: Vector;
}

export interface CylinderShape {
  name: string;
  base: CylinderEnd;
  rod: CylinderEnd;
  bore: number;
  rod_diameter: number;
  tube_length: number;
  /** Force of the piston at the highest supply pressure, N. */
  full_force: number;
  channels: { p_A: string | null; p_B: string | null; length: string | null; force: string | null };
}

export interface Scene {
  bodies: Body[];
  anchors: Anchor[];
  cylinders: CylinderShape[];
  bounds: { min: Vector; max: Vector };
  /** Highest pressure of the supply, Pa. */
  full_pressure: number;
  /** Soil in buckets: position and width of each bucket, m, and its volume when full, m³. */
  fills: Fill[];
  /** Load on a hook, and its usual mass, kg. */
  payload: { body: string; usual: number; channel: string | null } | null;
}

export interface Fill {
  body: string;
  at: Vector;
  width: number;
  full: number;
  channel: string | null;
}

export const GROUND = "ground";
