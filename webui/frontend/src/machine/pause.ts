// The button that pauses the page, which still receives frames meanwhile.
import { need, setIcon, setText } from "../shell/dom.ts";
import { t } from "../words.ts";

export class PauseButton {
  private pausedAt: number | null = null;
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
      this.show();
      changed();
    });
  }

  get paused(): boolean {
    return this.pausedAt !== null;
  }

  /** Returns the time since the pause began; null while not paused. */
  seconds(now: number): number | null {
    return this.pausedAt === null ? null : Math.max(0, (now - this.pausedAt) / 1000);
  }

  private show(): void {
    setText(this.word, this.paused ? t("Resume") : t("Pause"));
    this.button.title = this.paused ? t("Resume live data") : t("Freeze the values and pictures on this page");
  }
}
