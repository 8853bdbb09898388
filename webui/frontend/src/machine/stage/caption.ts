// Describes the stage as text, also for screen readers: the pose, and the cylinder with the highest load.
import { displayOf, formatNumber, withUnit } from "../../format.ts";
import { type Channel, type Frame, VALUE } from "../../socket/machine_messages.ts";
import { nameOf, t } from "../../words.ts";
import { cylinderName, forcesIn, heaviest, shareOf } from "./loads.ts";
import type { CylinderShape, Scene } from "./scene.ts";

/** Describes every joint with a sensor: "Boom 18.3°, dipper −61.7°". */
export function poseInWords(frame: Frame, scene: Scene, channels: readonly Channel[]): string {
  const parts = scene.bodies.flatMap(({ joint }) => {
    const index = channels.findIndex((channel) => channel.name === joint.channel);
    const channel = channels[index];
    if (channel === undefined || channel.role !== "sensor" || ((frame.flags[index] as number) & VALUE) === 0) return [];
    const { factor, decimals, unit } = displayOf(channel.quantity, channel.unit);
    const number = formatNumber((frame.value[index] as number) * factor, Math.min(decimals - 1, 2));
    return [`${partName(channel).toLowerCase()} ${withUnit(number, unit)}`];
  });
  return parts.length > 0 ? capital(parts.join(", ")) : "";
}

/** Describes the cylinder with the highest load, its force and share; empty with fewer than two cylinders. */
export function mostInWords(frame: Frame, scene: Scene, channels: readonly Channel[]): string {
  const forces = forcesIn(frame, scene.cylinders, channels);
  const most = heaviest(forces);
  const shape = scene.cylinders[most] as CylinderShape | undefined;
  if (shape === undefined) return "";
  const force = forces[most] as number;
  const percent = Math.round(100 * shareOf(force, shape.full_force));
  const cylinder = cylinderName(scene.cylinders, most);
  const values = { name: capital(nameOf(cylinder)), force: `${formatNumber(Math.abs(force) / 1e3, 1)} kN`, percent };
  if (!cylinder.endsWith(", each")) return t("Highest load: {name}, {force} ({percent} % of full force)", values);
  return t("Highest load: {name}, {force} each ({percent} % of full force)", {
    ...values,
    name: values.name.replace(/, \S+$/, ""),
  });
}

/** Returns the part that a channel's joint moves: "Boom" for "Boom angle". */
export function partName({ name, label }: Channel): string {
  const known = nameOf(name);
  return known === name ? label.replace(/ angle$/, "") : known;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
