// Zooms a drawing in its frame: fitted, or larger with scrolling and dragging.
import { need } from "../../shell/dom.ts";

const STEP = 1.25;
const LEAST = 0.4;
const MOST = 3;

export class Zoom {
  private scale: number | null = null; // null: fitted
  private readonly fitted: string;

  constructor(
    private readonly frame: HTMLElement,
    private readonly drawing: SVGSVGElement,
    private readonly tools: HTMLElement,
  ) {
    this.fitted = drawing.getAttribute("width") ?? "";
    const on = (zoom: string, action: () => void) =>
      need(tools, `[data-zoom=${zoom}]`).addEventListener("click", action);
    on("fit", () => this.set(null));
    on("in", () => this.set(this.present * STEP));
    on("out", () => this.set(this.present / STEP));
    frame.addEventListener("pointerdown", (event) => this.grab(event));
  }

  /** Screen pixels per pixel of the drawing. */
  private get present(): number {
    return this.scale ?? this.drawing.clientWidth / this.width;
  }

  private get width(): number {
    return Number(this.drawing.dataset.width);
  }

  private set(scale: number | null): void {
    this.scale = scale === null ? null : Math.min(MOST, Math.max(LEAST, scale));
    this.drawing.setAttribute("width", this.scale === null ? this.fitted : String(Math.round(this.scale * this.width)));
    this.drawing.classList.toggle("is-zoomed", this.scale !== null);
    need(this.tools, "[data-zoom=fit]").setAttribute("aria-pressed", String(this.scale === null));
  }

  /** Drags the drawing with the mouse; touch screens scroll by themselves. */
  private grab(start: PointerEvent): void {
    if (start.pointerType !== "mouse" || start.button !== 0) return;
    const { scrollLeft, scrollTop } = this.frame;
    const move = (event: PointerEvent) => {
      this.frame.scrollLeft = scrollLeft - (event.clientX - start.clientX);
      this.frame.scrollTop = scrollTop - (event.clientY - start.clientY);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", () => window.removeEventListener("pointermove", move), { once: true });
  }
}
