// Colours the tubes of cylinders by force or by chamber pressure, and shows loads.
import { type Channel, type Frame, valueIn } from "../../socket/machine_messages.ts";
import { shareOf } from "./loads.ts";
import type { Materials } from "./materials.ts";
import type { Rig } from "./rig.ts";
import type { Scene } from "./scene.ts";

/** Changes of a share below this are not drawn. */
const VISIBLE = 0.01;

export type ColourBy = "none" | "force" | "pressure";

interface Indices {
  force: number;
  a: number;
  b: number;
  full: number; // N
}

export class Colouring {
  by: ColourBy = "none";
  private readonly shown: number[] = [];
  private changed = false;
  private readonly cylinders: Indices[];
  private readonly fills: number[];
  private readonly payload: number;

  constructor(
    private readonly rig: Rig,
    private readonly materials: Materials,
    private readonly scene: Scene,
    channels: readonly Channel[],
  ) {
    const at = (name: string | null) => channels.findIndex((channel) => channel.name === name);
    this.cylinders = scene.cylinders.map(({ channels: own, full_force: full }) => ({
      force: at(own.force),
      a: at(own.p_A),
      b: at(own.p_B),
      full,
    }));
    this.fills = scene.fills.map(({ channel }) => at(channel));
    this.payload = at(scene.payload?.channel ?? null);
  }

  /**
   * Updates what a frame changes besides the pose: colours, soil in the bucket, load on the hook. Returns true if
   * visible.
   */
  show(frame: Frame): boolean {
    this.changed = false;
    let slot = 0;
    for (let i = 0; i < this.cylinders.length; i++) {
      const { force, a, b, full } = this.cylinders[i] as Indices;
      const loaded = this.by === "force" ? shareOf(valueIn(frame, force), full) : 0;
      const pressed = this.by === "pressure" ? this.scene.full_pressure : 0;
      const shareA = Math.max(loaded, shareOf(valueIn(frame, a), pressed));
      const shareB = Math.max(loaded, shareOf(valueIn(frame, b), pressed));
      const [differsA, differsB] = [this.note(slot++, shareA), this.note(slot++, shareB)];
      if (differsA || differsB) this.materials.colour(i, shareA, shareB);
    }
    for (let i = 0; i < this.fills.length; i++) {
      const volume = valueIn(frame, this.fills[i] as number) || 0;
      if (this.note(slot++, volume)) this.rig.showFill(i, volume);
    }
    const mass = valueIn(frame, this.payload) || 0;
    if (this.payload >= 0 && this.note(slot, mass / (this.scene.payload?.usual ?? 1))) this.rig.showPayload(mass);
    return this.changed;
  }

  /** Stores a shown value; returns true if it changed visibly. */
  private note(slot: number, value: number): boolean {
    if (Math.abs(value - (this.shown[slot] ?? NaN)) < VISIBLE) return false;
    this.shown[slot] = value;
    this.changed = true;
    return true;
  }
}
