// Selects a part on a click and highlights it.
import { tokenColor } from "../../shell/tokens.ts";
import { linearColour } from "./colours.ts";
import type { PartRef } from "./part_list.ts";
import { firstHit } from "./ray_casting.ts";
import type { Stage } from "./stage.ts";

/** A pointer that moved further than this, px, was dragged and not clicked. */
const STILL_PX = 5;
/** Share of the accent colour that a highlighted part emits. */
const GLOW = 0.45;

export class Picking {
  /** Keys of parts by slot. */
  private readonly owners = new Map<number, string>();
  private down = { x: 0, y: 0 };

  constructor(
    private readonly stage: Stage,
    parts: ReadonlyArray<PartRef & { key: string }>,
    host: HTMLElement,
    chosen: (key: string | null) => void,
  ) {
    for (const part of parts) for (const slot of stage.rig.partSlots(part)) this.owners.set(slot, part.key);
    host.addEventListener("pointerdown", (event) => (this.down = { x: event.clientX, y: event.clientY }));
    host.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.clientX - this.down.x, event.clientY - this.down.y) > STILL_PX) return;
      chosen(this.pick(event, host));
    });
  }

  /** Highlights a part in the accent colour; null for none. */
  light(part: PartRef | null): void {
    const { glows } = this.stage.uniforms;
    glows.fill(0);
    if (part === null) return;
    const accent = linearColour(tokenColor("--accent")).map((c) => GLOW * c);
    for (const slot of this.stage.rig.partSlots(part)) glows.set(accent, 4 * slot);
  }

  private pick(event: PointerEvent, host: HTMLElement): string | null {
    const box = host.getBoundingClientRect();
    const { from, along } = this.stage.sight(event.clientX - box.left, event.clientY - box.top);
    const { triangles, rig } = this.stage;
    return this.owners.get(firstHit(triangles, rig.matrices, from, along, (slot) => this.owners.has(slot))) ?? null;
  }
}
