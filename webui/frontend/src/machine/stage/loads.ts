// Computes loads of cylinders: the share of the full force, the cylinder with the highest load, and pairs.
import { type Channel, type Frame, valueIn } from "../../socket/machine_messages.ts";
import type { CylinderShape } from "./scene.ts";

/** Returns the share of the full force, 0 to 1; 0 if unknown. */
export function shareOf(force: number, full: number): number {
  return Number.isFinite(force) && full > 0 ? Math.min(1, Math.abs(force) / full) : 0;
}

/** Returns the index of the cylinder with the largest force; -1 with fewer than two cylinders. */
export function heaviest(forces: readonly number[]): number {
  if (forces.length < 2) return -1;
  let most = -1;
  forces.forEach((force, i) => {
    if (Number.isFinite(force) && (most < 0 || Math.abs(force) > Math.abs(forces[most] as number))) most = i;
  });
  return most;
}

/** Returns for each cylinder the index of the first cylinder with the same chambers. */
export function firstOfPairs(cylinders: readonly CylinderShape[]): number[] {
  const chambers = ({ channels }: CylinderShape) => `${channels.p_A}|${channels.p_B}`;
  return cylinders.map((shape, i) => {
    const first = cylinders.findIndex((other) => chambers(other) === chambers(shape));
    return shape.channels.p_A === null ? i : first;
  });
}

/** Returns the display name of a cylinder, for a machine that has several. */
export function cylinderName(cylinders: readonly CylinderShape[], index: number): string {
  const firsts = firstOfPairs(cylinders);
  const together = firsts.filter((first) => first === firsts[index]).length;
  const name = (cylinders[firsts[index] as number] as CylinderShape).name;
  return together > 1 ? `${name} cylinders, each` : `${name} cylinder`;
}

/** Returns the force of every cylinder in a frame, N; NaN if unknown. */
export function forcesIn(frame: Frame, cylinders: readonly CylinderShape[], channels: readonly Channel[]): number[] {
  return cylinders.map((shape) =>
    valueIn(
      frame,
      channels.findIndex((channel) => channel.name === shape.channels.force),
    ),
  );
}
