// Converts colours of the style sheet into linear light for the shaders.
import type { Vector } from "./scene.ts";

/** Converts one channel of a colour from the sRGB curve, 0 to 255, to linear light, 0 to 1 (IEC 61966-2-1). */
export function linear(channel: number): number {
  const c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

/** Converts a colour as the browser computes it, "rgb(12, 34, 56)"; alpha is ignored. */
export function linearColour(rgb: string): Vector {
  const channels = rgb.match(/^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)/)?.slice(1);
  if (channels === undefined) throw new Error(`not a colour of the form rgb(r, g, b): ${rgb}`);
  return channels.map((channel) => linear(Number(channel))) as Vector;
}
