// The site plan: colours machines and sites by level; a click on a site filters by that site.
import { setData, setIcon } from "../shell/dom.ts";
import { LEVELS } from "../socket/fleet_messages.ts";
import type { MachineRow } from "./row.ts";
import type { FleetView } from "./view.ts";

export class Plan {
  private readonly dots = new Map<string, SVGElement>();
  private readonly sites: SVGElement[];

  constructor(root: ParentNode, choose: (site: string) => void) {
    for (const dot of root.querySelectorAll<SVGElement>(".plan-dot")) this.dots.set(dot.dataset.machine ?? "", dot);
    this.sites = [...root.querySelectorAll<SVGElement>(".plan-site")];
    for (const site of this.sites) site.addEventListener("click", () => choose(site.dataset.site ?? ""));
  }

  show(rows: readonly MachineRow[], view: FleetView): void {
    this.forget(new Set(rows.map(({ id }) => id)));
    const worst = new Map<string, number>();
    for (const row of rows) {
      worst.set(row.site, Math.min(worst.get(row.site) ?? Infinity, LEVELS.indexOf(row.level)));
      const dot = this.dots.get(row.id);
      if (dot === undefined) continue;
      setData(dot as unknown as HTMLElement, "level", row.level);
      setIcon(dot, `icon-${row.level}`);
      dot.toggleAttribute("data-out", row.root.hidden === true);
      const title = dot.querySelector("title");
      if (title !== null) title.textContent = `${row.name}: ${row.text}`;
    }
    for (const site of this.sites) {
      const id = site.dataset.site ?? "";
      site.dataset.level = LEVELS[worst.get(id) ?? LEVELS.length - 1] ?? "ok";
      site.toggleAttribute("data-chosen", view.site === id);
    }
  }

  /** Removes machines that this person may no longer see. */
  private forget(known: ReadonlySet<string>): void {
    for (const [id, dot] of this.dots) {
      if (known.has(id)) continue;
      dot.remove();
      this.dots.delete(id);
    }
  }
}
