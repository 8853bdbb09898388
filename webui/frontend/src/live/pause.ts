// Moving data can be stopped. What is stopped says so; receiving goes on behind it.
import { formatAge } from "../format.ts";
import { need, setIcon, setText } from "../shell/dom.ts";

export class PauseButton {
  private pausedAt: number | null = null;
  private heldTime = 0;
  private readonly word: Element;

  constructor(
    private readonly button: HTMLElement,
    changed: () => void,
  ) {
    this.word = need(button, ".pause-word");
    button.addEventListener("click", () => {
      this.pausedAt = this.paused ? null : performance.now();
      button.setAttribute("aria-pressed", String(this.paused));
      setIcon(button, this.paused ? "icon-play" : "icon-pause");
      this.tick(performance.now());
      changed();
    });
  }

  get paused(): boolean {
    return this.pausedAt !== null;
  }

  /** Passes the time through, or the time at which the pause began. */
  hold(time: number): number {
    if (!this.paused) this.heldTime = time;
    return this.heldTime;
  }

  tick(now: number): void {
    const text =
      this.pausedAt === null ? "Pause" : `Paused ${formatAge(Math.floor((now - this.pausedAt) / 1000)).replace(".0 ", " ")}`;
    setText(this.word, text);
    this.button.title = this.paused ? "Go on with live data" : "Stop all movement on this page";
  }
}
