// The first thing to read on a machine page: is the picture true now, and how old is it?
import { formatAge, formatCalmAge } from "../format.ts";
import { need, setData, setText } from "../shell/dom.ts";
import { showStatus } from "../shell/status_pill.ts";
import { Announcer } from "./announcer.ts";
import { Lateness } from "./lateness.ts";
import { Smooth } from "./smooth.ts";
import type { Verdict } from "./status.ts";
import type { Frame } from "./wire.ts";

const SMOOTHING_MS = 3_000;

export class VerdictStrip {
  private readonly pill: HTMLElement;
  private readonly sentence: Element;
  private readonly age: Element;
  private readonly lag: Element;
  private readonly load: Element;
  private readonly late: Element;
  private readonly lateness = new Lateness();
  private readonly announcer: Announcer;
  private readonly lagUs = new Smooth(SMOOTHING_MS);
  private readonly loadShare = new Smooth(SMOOTHING_MS);

  constructor(
    private readonly root: HTMLElement,
    spoken: HTMLElement,
  ) {
    this.pill = need(root, ".pill");
    this.sentence = need(root, ".verdict-sentence");
    this.age = need(root, "[data-fact=age]");
    this.lag = need(root, "[data-fact=lag]");
    this.load = need(root, "[data-fact=load]");
    this.late = need(root, "[data-fact=late]");
    this.announcer = new Announcer((text) => setText(spoken, text));
  }

  show(verdict: Verdict, frame: Frame | null, pausedS: number | null, nowMs: number): void {
    setData(this.root, "status", verdict.status);
    showStatus(this.pill, verdict.status);
    const paused = `Paused ${formatCalmAge(pausedS ?? 0)} ago: the page holds still.`;
    setText(this.sentence, pausedS === null ? verdict.sentence : paused);
    setText(this.age, verdict.ageS === null ? "–" : formatAge(verdict.ageS));
    const running = frame !== null && (verdict.status === "synced" || verdict.status === "coasting");
    this.lagUs.take(running ? frame.lagUs : null, nowMs);
    this.loadShare.take(running ? frame.load : null, nowMs);
    setText(this.lag, this.lagUs.value === null ? "–" : formatLag(this.lagUs.value));
    setText(this.load, this.loadShare.value === null ? "–" : formatLoad(this.loadShare.value));
    if (frame !== null) this.lateness.take(frame);
    setText(this.late, this.lateness.text ?? "–");
    const wrong = frame?.findings[0]?.text ?? "";
    this.announcer.offer(`Twin ${verdict.status}. ${wrong}`.trim(), nowMs);
  }
}

/** Two digits: a third would only flicker. */
function formatLag(us: number): string {
  if (us >= 1e6) return formatAge(us / 1e6);
  const ms = us / 1e3;
  return `${ms < 100 ? Math.round(ms) : 10 * Math.round(ms / 10)} ms`;
}

function formatLoad(share: number): string {
  const percent = 100 * share;
  return percent < 1 ? "< 1 %" : `${Math.round(percent)} %`;
}
