// Lists the parts of a machine that can be selected: visible bodies, and cylinders.
import { nameOf } from "../../words.ts";
import { cylinderName } from "./loads.ts";
import type { Scene } from "./scene.ts";

export interface PartRef {
  kind: "body" | "cylinder";
  index: number;
}

export interface Part extends PartRef {
  key: string;
  name: string;
  /** Channels to show, with the mark in front of each number. */
  values: Array<{ mark: string; channel: string }>;
}

export function partsOf(scene: Scene): Part[] {
  const bodies = scene.bodies.flatMap(({ name, joint, shapes }, index): Part[] => {
    if (shapes.length === 0) return [];
    const values = joint.channel === null ? [] : [{ mark: "", channel: joint.channel }];
    return [{ kind: "body", index, key: `body-${index}`, name: capital(nameOf(name)), values }];
  });
  const cylinders = scene.cylinders.map((shape, index): Part => {
    const { p_A, p_B, length, force } = shape.channels;
    const all = [
      ["", force],
      ["A", p_A],
      ["B", p_B],
      ["", length],
    ] as const;
    const values = all.flatMap(([mark, channel]) => (channel === null ? [] : [{ mark, channel }]));
    const several = scene.cylinders.length > 1;
    const name = several
      ? `${shape.name} cylinder`
      : cylinderName(scene.cylinders, index).replace("cylinder cylinder", "cylinder");
    return { kind: "cylinder", index, key: `cylinder-${index}`, name: capital(nameOf(name)), values };
  });
  return [...bodies, ...cylinders];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
