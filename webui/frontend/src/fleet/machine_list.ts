// The list of machines: decides which are shown and in which order, and counts the machines at each level.
import { need, setText } from "../shell/dom.ts";
import { LEVELS } from "../socket/fleet_messages.ts";
import { MachineRow } from "./row.ts";
import { compare, type FleetView, shows } from "./view.ts";
import { shownWords } from "./words.ts";

export class MachineList {
  rows: readonly MachineRow[];
  private readonly list: HTMLElement;
  private readonly none: HTMLElement;
  private readonly told: Element;

  constructor(private readonly root: HTMLElement) {
    this.list = need(root, ".rows");
    this.none = need(root, ".fleet-none");
    this.told = need(root, "[data-shown]");
    this.rows = [...this.list.querySelectorAll<HTMLElement>(".row")].map((element) => new MachineRow(element));
  }

  /** Removes all other rows. */
  keep(machines: ReadonlySet<string>): void {
    for (const row of this.rows) if (!machines.has(row.id)) row.root.remove();
    this.rows = this.rows.filter(({ id }) => machines.has(id));
  }

  show(view: FleetView): void {
    this.root.dataset.layout = view.layout;
    let shown = 0;
    for (const row of this.rows) {
      row.root.hidden = !shows(view, row);
      if (!row.root.hidden) shown += 1;
    }
    this.none.hidden = shown > 0;
    setText(this.told, shownWords(shown, this.rows.length));
    for (const level of LEVELS) {
      const count = this.rows.filter((row) => row.level === level).length;
      setText(need(this.root, `[data-count=${level}]`), String(count));
    }
  }

  /**
   * Sorts the rows, but not while the pointer or the focus is on the list, so that a click does not hit another
   * machine.
   */
  arrange(view: FleetView, atOnce: boolean): void {
    const busy = this.list.matches(":hover") || this.list.contains(document.activeElement);
    if (busy && !atOnce) return;
    const wanted = [...this.rows].sort((a, b) => compare(view, a, b));
    wanted.forEach((row, i) => {
      if (this.list.children[i] !== row.root) this.list.insertBefore(row.root, this.list.children[i] ?? null);
    });
  }
}
