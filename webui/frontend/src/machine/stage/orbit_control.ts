// Moves the camera with pointer, wheel and keyboard. The page can still be scrolled: the wheel zooms only a focused
// stage, and vertical swipes on a touch screen scroll the page.
import { cameraAxes, clampElevation, type Orbit } from "./orbit.ts";

const TURN_PER_PX = 0.006;
const TURN_PER_KEY = 0.1;
const ZOOM_PER_KEY = 1.15;

export class OrbitControl {
  changed = true;
  private readonly pointers = new Map<number, PointerEvent>();

  constructor(
    private readonly element: HTMLElement,
    public orbit: Orbit,
    /** zoomed: called when the user has zoomed or panned. */
    private readonly actions: { fit(): void; reset(): void; zoomed(): void },
  ) {
    element.addEventListener("pointerdown", (event) => this.press(event));
    element.addEventListener("pointermove", (event) => this.drag(event));
    for (const type of ["pointerup", "pointercancel"] as const) {
      element.addEventListener(type, (event) => this.pointers.delete(event.pointerId));
    }
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  set(orbit: Orbit): void {
    this.orbit = orbit;
    this.changed = true;
  }

  private press(event: PointerEvent): void {
    this.element.focus({ preventScroll: true });
    this.element.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event);
  }

  private drag(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) return;
    const dx = event.clientX - before.clientX;
    const dy = event.clientY - before.clientY;
    if (this.pointers.size === 2) this.pinch(event);
    else if (event.shiftKey || (event.buttons & 6) !== 0) this.pan(dx, dy);
    else this.turn(-dx * TURN_PER_PX, dy * TURN_PER_PX);
    this.pointers.set(event.pointerId, event);
  }

  private pinch(event: PointerEvent): void {
    const other = [...this.pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
    const before = this.pointers.get(event.pointerId);
    if (other === undefined || before === undefined) return;
    const length = (pointer: PointerEvent) =>
      Math.hypot(pointer.clientX - other.clientX, pointer.clientY - other.clientY);
    this.zoom(length(before) / Math.max(1, length(event)));
  }

  private wheel(event: WheelEvent): void {
    if (document.activeElement !== this.element) return;
    event.preventDefault();
    this.zoom(Math.exp(event.deltaY * 0.001));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => this.turn(-TURN_PER_KEY, 0),
      ArrowRight: () => this.turn(TURN_PER_KEY, 0),
      ArrowUp: () => this.turn(0, TURN_PER_KEY),
      ArrowDown: () => this.turn(0, -TURN_PER_KEY),
      "+": () => this.zoom(1 / ZOOM_PER_KEY),
      "=": () => this.zoom(1 / ZOOM_PER_KEY),
      "-": () => this.zoom(ZOOM_PER_KEY),
      f: () => this.actions.fit(),
      r: () => this.actions.reset(),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  }

  private turn(azimuth: number, elevation: number): void {
    this.orbit.azimuth += azimuth;
    this.orbit.elevation = clampElevation(this.orbit.elevation + elevation);
    this.changed = true;
  }

  private zoom(factor: number): void {
    this.orbit.distance = Math.min(500, Math.max(0.2, this.orbit.distance * factor));
    this.changed = true;
    this.actions.zoomed();
  }

  private pan(dx: number, dy: number): void {
    const { right, up } = cameraAxes(this.orbit.azimuth, this.orbit.elevation);
    const scale = this.orbit.distance / this.element.clientHeight;
    this.orbit.target = this.orbit.target.map(
      (x, i) => x - scale * dx * (right[i] as number) + scale * dy * (up[i] as number),
    ) as Orbit["target"];
    this.changed = true;
    this.actions.zoomed();
  }
}
