// The first thing to read on a machine page: is the picture true now, and how old is it?
import { formatAge } from "../format.ts";
import { need, setData, setText } from "../shell/dom.ts";
import { showStatus } from "../shell/status_pill.ts";
import { Announcer } from "./announcer.ts";
import type { Verdict } from "./status.ts";
import type { Frame } from "./wire.ts";

export class VerdictStrip {
  private readonly pill: HTMLElement;
  private readonly sentence: Element;
  private readonly age: Element;
  private readonly lag: Element;
  private readonly load: Element;
  private readonly announcer: Announcer;

  constructor(
    private readonly root: HTMLElement,
    spoken: HTMLElement,
  ) {
    this.pill = need(root, ".pill");
    this.sentence = need(root, ".verdict-sentence");
    this.age = need(root, "[data-fact=age]");
    this.lag = need(root, "[data-fact=lag]");
    this.load = need(root, "[data-fact=load]");
    this.announcer = new Announcer((text) => setText(spoken, text));
  }

  show(verdict: Verdict, frame: Frame | null, nowMs: number): void {
    setData(this.root, "status", verdict.status);
    showStatus(this.pill, verdict.status);
    setText(this.sentence, verdict.sentence);
    setText(this.age, verdict.ageS === null ? "–" : formatAge(verdict.ageS));
    const running = frame !== null && (verdict.status === "synced" || verdict.status === "coasting");
    setText(this.lag, running ? formatLag(frame.lagUs) : "–");
    setText(this.load, running ? `${(100 * frame.load).toFixed(1)} %` : "–");
    this.announcer.offer(`Twin ${verdict.status}.`, nowMs);
  }
}

function formatLag(us: number): string {
  return us < 1e6 ? `${Math.round(us / 1e3)} ms` : formatAge(us / 1e6);
}
