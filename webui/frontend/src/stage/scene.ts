// The display description of a machine, as the server sends it: metres, plane x-y, gravity along -y.

export type Vector = [number, number, number];

export interface Beam {
  kind: "beam";
  from: Vector;
  to: Vector;
  width: number;
  depth: number;
}

export interface Body {
  name: string;
  parent: string;
  joint: { type: "revolute"; origin: Vector; axis: Vector; channel: string };
  shapes: Beam[];
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
  channels: { p_A: string; p_B: string; length: string; force: string };
}

export interface Scene {
  bodies: Body[];
  anchors: Anchor[];
  cylinders: CylinderShape[];
  bounds: { min: Vector; max: Vector };
}

export const GROUND = "ground";
