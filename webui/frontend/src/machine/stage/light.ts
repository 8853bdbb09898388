// Places the lights and the view of the shadow map.
import { fillProjection } from "./camera.ts";
import { type Box, middle } from "./orbit.ts";
import type { Vector } from "./scene.ts";
import type { UniformBlock } from "./uniform_block.ts";
import { cross, unit } from "./vectors.ts";

/** Half width and half height of the shadow map's view, relative to the span of the machine. */
const SHOWN = { across: 0.65, up: 0.5 };
const NEAREST = 0.5;

export function spanOf(bounds: Box): number {
  return Math.max(...bounds.max.map((high, i) => high - (bounds.min[i] as number)));
}

/** Places a high key light, so that the shadow lies close under the machine, and a rim light behind on the left. */
export function placeLights(uniforms: UniformBlock, bounds: Box, floor: number): void {
  const span = spanOf(bounds);
  const [x, , z] = middle(bounds);
  const key: Vector = [-0.25 * span, 1.6 * span, 0.45 * span];
  uniforms.key.set(unit(key));
  uniforms.rim.set(unit([x - span, 0.3 * span, z + 0.8 * span]));
  uniforms.toShadow.set(shadowView(key, [x, floor, z], span));
}

/** Returns the view along parallel light from the direction `arm` towards a target. */
function shadowView(arm: Vector, target: Vector, span: number): Float64Array {
  const back = unit(arm);
  const right = unit([back[2], 0, -back[0]]);
  const up = cross(back, right);
  const far = 4 * span;
  const eye = target.map((t, i) => t + (arm[i] as number));
  const scales = [1 / (SHOWN.across * span), 1 / (SHOWN.up * span), -2 / (far - NEAREST)];
  const view = new Float64Array(16);
  fillProjection(
    view,
    Float64Array.from([...right, ...up, ...back]),
    Float64Array.from(eye),
    Float64Array.from(scales),
  );
  view[14] = (view[14] as number) - (far + NEAREST) / (far - NEAREST);
  return view;
}
