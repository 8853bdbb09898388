// The first thing to read on a machine page: is the picture true now, how old is it, and what is wrong?
import { formatAge, formatCalmAge } from "../format.ts";
import { need, setData, setIcon, setText } from "../shell/dom.ts";
import { showStatus } from "../shell/status_pill.ts";
import { t, told } from "../words.ts";
import { Announcer } from "./announcer.ts";
import { Since, filterConcern, paceConcern, sensorConcern, type Concern, type Level } from "./concerns.ts";
import { honestyOf } from "./health_panel.ts";
import type { Pace } from "./realtime_panel.ts";
import { STATUS_WORDS, type Verdict } from "./status.ts";
import type { Frame } from "./wire.ts";

const ICONS: Record<Level, string> = { ok: "icon-synced", plan: "icon-warning", off: "icon-unknown" };

export class VerdictStrip {
  private readonly pill: HTMLElement;
  private readonly sentence: Element;
  private readonly age: Element;
  private readonly concerns: HTMLElement;
  private readonly announcer: Announcer;
  private readonly honestFor = new Since();
  private readonly pacedFor = new Since();

  constructor(
    private readonly root: HTMLElement,
    spoken: HTMLElement,
  ) {
    this.pill = need(root, ".pill");
    this.sentence = need(root, ".verdict-sentence");
    this.age = need(root, "[data-fact=age]");
    this.concerns = need(root, ".concerns");
    this.announcer = new Announcer((text) => setText(spoken, text));
  }

  show(verdict: Verdict, frame: Frame | null, pace: Pace, pausedS: number | null, nowMs: number): void {
    setData(this.root, "status", verdict.status);
    showStatus(this.pill, verdict.status);
    const paused = t("Paused {age} ago: the page holds still.", { age: formatCalmAge(pausedS ?? 0) });
    setText(this.sentence, pausedS === null ? verdict.sentence : paused);
    setText(this.age, verdict.ageS === null ? "–" : formatAge(verdict.ageS));
    this.showConcerns(frame, pace, nowMs);
    const wrong = told(frame?.findings[0]?.text ?? "");
    const status = t("Twin {status}.", { status: STATUS_WORDS[verdict.status].toLowerCase() });
    this.announcer.offer(`${status} ${wrong}`.trim(), nowMs);
  }

  private showConcerns(frame: Frame | null, pace: Pace, nowMs: number): void {
    const honesty = honestyOf(frame?.health ?? null);
    this.concern("sensors", sensorConcern(frame?.findings ?? [], frame?.t ?? 0));
    this.concern("filter", filterConcern(honesty, this.honestFor.take(honesty, nowMs)));
    this.concern("pace", paceConcern(pace, this.pacedFor.take(pace, nowMs)));
    this.concerns.hidden = frame === null;
  }

  private concern(name: string, { level, words }: Concern): void {
    const item = need(this.concerns, `[data-concern=${name}]`);
    setData(item, "level", level);
    setIcon(item, ICONS[level]);
    setText(need(item, ".concern-words"), words);
  }
}
