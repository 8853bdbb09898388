// A part is chosen by a click on it; the chosen one is lit.
import { tokenColor } from "../shell/tokens.ts";
import { linearColour } from "./colours.ts";
import { firstHit } from "./hits.ts";
import type { PartRef } from "./part_list.ts";
import type { Stage } from "./stage.ts";

/** Further than this between down and up it was a drag, px. */
const STILL_PX = 5;
/** How much of the accent colour the chosen part gives off. */
const GLOW = 0.45;

export class Picking {
  /** By place. */
  private readonly owners = new Map<number, string>();
  private down = { x: 0, y: 0 };

  constructor(
    private readonly stage: Stage,
    parts: ReadonlyArray<PartRef & { key: string }>,
    host: HTMLElement,
    chosen: (key: string | null) => void,
  ) {
    for (const part of parts) for (const place of stage.rig.partPlaces(part)) this.owners.set(place, part.key);
    host.addEventListener("pointerdown", (event) => (this.down = { x: event.clientX, y: event.clientY }));
    host.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.clientX - this.down.x, event.clientY - this.down.y) > STILL_PX) return;
      chosen(this.pick(event, host));
    });
  }

  /** Lights a part in the accent colour; null: none. */
  light(part: PartRef | null): void {
    const { glows } = this.stage.table;
    glows.fill(0);
    if (part === null) return;
    const accent = linearColour(tokenColor("--accent")).map((c) => GLOW * c);
    for (const place of this.stage.rig.partPlaces(part)) glows.set(accent, 4 * place);
  }

  private pick(event: PointerEvent, host: HTMLElement): string | null {
    const box = host.getBoundingClientRect();
    const { from, along } = this.stage.sight(event.clientX - box.left, event.clientY - box.top);
    const { triangles, rig } = this.stage;
    return this.owners.get(firstHit(triangles, rig.matrices, from, along, (place) => this.owners.has(place))) ?? null;
  }
}
