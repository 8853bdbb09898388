// Moves the strip of a chosen pressure next to the circuit, and moves it back when another one is chosen.
import { need } from "../../shell/dom.ts";

export class DockedStrip {
  private readonly place: HTMLElement;
  private docked: { strip: HTMLElement; home: Comment } | null = null;

  /** circuit: the element with the dock and the pressures. page: the element with the strips. */
  constructor(
    private readonly circuit: HTMLElement,
    private readonly page: HTMLElement,
  ) {
    this.place = need(circuit, ".circuit-dock");
  }

  /** Docks the strip of a channel; choosing the docked channel again moves the strip back. */
  open(channel: string): void {
    const before = this.docked?.strip.dataset.channel;
    this.close();
    if (before === channel) return;
    const strip = this.page.querySelector<HTMLElement>(`.strip[data-channel="${CSS.escape(channel)}"]`);
    if (strip === null) return;
    const home = document.createComment("strip");
    strip.before(home);
    this.place.append(strip);
    this.place.hidden = false;
    this.docked = { strip, home };
    this.mark(channel);
    strip.scrollIntoView({ block: "nearest" });
    need(strip, ".strip-plot").focus({ preventScroll: true });
  }

  private close(): void {
    this.mark("");
    if (this.docked === null) return;
    this.docked.home.replaceWith(this.docked.strip);
    this.docked = null;
    this.place.hidden = true;
  }

  private mark(channel: string): void {
    for (const badge of this.circuit.querySelectorAll<SVGElement>(".c-badge")) {
      badge.setAttribute("aria-pressed", String(channel !== "" && badge.dataset.channel === channel));
    }
  }
}
