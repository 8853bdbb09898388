// What cylinders carry: the share of the full force of each, which carries most, and which work as a pair.
import { type Channel, type Frame, valueIn } from "../../socket/machine_messages.ts";
import type { CylinderShape } from "./scene.ts";

/** Share of the full force, 0 to 1; nothing known is nothing shown. */
export function shareOf(force: number, full: number): number {
  return Number.isFinite(force) && full > 0 ? Math.min(1, Math.abs(force) / full) : 0;
}

/** The cylinder with the largest force; -1 where there is no choice to make. */
export function heaviest(forces: readonly number[]): number {
  if (forces.length < 2) return -1;
  let most = -1;
  forces.forEach((force, i) => {
    if (Number.isFinite(force) && (most < 0 || Math.abs(force) > Math.abs(forces[most] as number))) most = i;
  });
  return most;
}

/** Cylinders on the same chambers carry alike: the index of the first of them, by cylinder. */
export function firstOfPairs(cylinders: readonly CylinderShape[]): number[] {
  const chambers = ({ channels }: CylinderShape) => `${channels.p_A}|${channels.p_B}`;
  return cylinders.map((shape, i) => {
    const first = cylinders.findIndex((other) => chambers(other) === chambers(shape));
    return shape.channels.p_A === null ? i : first;
  });
}

/** What people call a cylinder of a machine that has several. */
export function cylinderName(cylinders: readonly CylinderShape[], index: number): string {
  const firsts = firstOfPairs(cylinders);
  const together = firsts.filter((first) => first === firsts[index]).length;
  const name = (cylinders[firsts[index] as number] as CylinderShape).name;
  return together > 1 ? `${name} cylinders, each` : `${name} cylinder`;
}

/** Force of every cylinder in a frame, N; NaN where it is not known. */
export function forcesIn(frame: Frame, cylinders: readonly CylinderShape[], channels: readonly Channel[]): number[] {
  return cylinders.map((shape) =>
    valueIn(
      frame,
      channels.findIndex((channel) => channel.name === shape.channels.force),
    ),
  );
}
