// The camera: computes its matrix from an orbit, projects points, and returns rays through pixels.

import { cameraAxes, eyeOf, type Orbit } from "./orbit.ts";
import type { Vector } from "./scene.ts";

const FIELD_OF_VIEW = (40 * Math.PI) / 180;
const NEAR = 0.05;
const FAR = 400;

export class Camera {
  readonly fieldOfView = FIELD_OF_VIEW;
  readonly toPicture = new Float64Array(16);
  readonly eye = new Float64Array(3);
  /** Ratio of the view's width to its height. */
  aspect = 1;
  private readonly axes = new Float64Array(9);
  private readonly scales = new Float64Array(3);

  /** Moves to an orbit. Must not allocate, because a camera that follows the tool moves with every picture. */
  standAt(orbit: Orbit): void {
    const { axes, eye, scales } = this;
    const { target } = orbit;
    const sa = Math.sin(orbit.azimuth);
    const ca = Math.cos(orbit.azimuth);
    const se = Math.sin(orbit.elevation);
    const ce = Math.cos(orbit.elevation);
    // right, up, back
    axes[0] = ca;
    axes[2] = -sa;
    axes[3] = -sa * se;
    axes[4] = ce;
    axes[5] = -ca * se;
    axes[6] = sa * ce;
    axes[7] = se;
    axes[8] = ca * ce;
    for (let i = 0; i < 3; i++) eye[i] = target[i as 0 | 1 | 2] + orbit.distance * (axes[6 + i] as number);
    const zoom = 1 / Math.tan(FIELD_OF_VIEW / 2);
    scales[0] = zoom / this.aspect;
    scales[1] = zoom;
    scales[2] = (FAR + NEAR) / (NEAR - FAR);
    fillProjection(this.toPicture, axes, eye, scales);
    this.makePerspective();
  }

  /** Projects a point of the world, in place, to a point of the view: -1 to 1 across and up. */
  project(point: Float64Array): void {
    const m = this.toPicture;
    const x = point[0] as number;
    const y = point[1] as number;
    const z = point[2] as number;
    const w = (m[3] as number) * x + (m[7] as number) * y + (m[11] as number) * z + (m[15] as number);
    point[0] = ((m[0] as number) * x + (m[4] as number) * y + (m[8] as number) * z + (m[12] as number)) / w;
    point[1] = ((m[1] as number) * x + (m[5] as number) * y + (m[9] as number) * z + (m[13] as number)) / w;
  }

  /** Returns the ray from the eye through a point of the view. */
  sight(orbit: Orbit, x: number, y: number): { from: Vector; along: Vector } {
    const { right, up, back } = cameraAxes(orbit.azimuth, orbit.elevation);
    const half = Math.tan(FIELD_OF_VIEW / 2);
    const along = back.map((b, i) => x * half * this.aspect * (right[i] as number) + y * half * (up[i] as number) - b);
    return { from: eyeOf(orbit), along: along as Vector };
  }

  /** Makes the matrix a perspective one: its last row is the distance from the eye. */
  private makePerspective(): void {
    const { toPicture: m, axes, eye } = this;
    let depth = 0;
    for (let i = 0; i < 3; i++) {
      m[4 * i + 3] = -(axes[6 + i] as number);
      depth += (axes[6 + i] as number) * (eye[i] as number);
    }
    m[14] = (m[14] as number) + (2 * FAR * NEAR) / (NEAR - FAR);
    m[15] = depth;
  }
}

/**
 * Fills in a projection. Its rows are the axes (right, up, back), seen from `eye` and scaled; the last row stays 0, 0,
 * 0, 1.
 */
export function fillProjection(out: Float64Array, axes: Float64Array, eye: Float64Array, scales: Float64Array): void {
  for (let row = 0; row < 3; row++) {
    const scale = scales[row] as number;
    let shift = 0;
    for (let i = 0; i < 3; i++) {
      const along = scale * (axes[3 * row + i] as number);
      out[4 * i + row] = along;
      shift -= along * (eye[i] as number);
    }
    out[12 + row] = shift;
  }
  out[3] = 0;
  out[7] = 0;
  out[11] = 0;
  out[15] = 1;
}
