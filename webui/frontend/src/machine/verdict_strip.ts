// The top line of a machine page: says whether the twin is up to date, how old the data is, and what is wrong.
import { formatAge, formatCalmAge } from "../format.ts";
import { Announcer } from "../shell/announcer.ts";
import { need, setData, setIcon, setText } from "../shell/dom.ts";
import type { Frame } from "../socket/machine_messages.ts";
import { t } from "../words.ts";
import { type Check, filterCheck, type Level, realtimeCheck, Since, sensorCheck } from "./health_checks.ts";
import { consistencyOf, findingText } from "./health_panel.ts";
import type { RealtimeState } from "./realtime_panel.ts";
import { STATUS_ICONS, STATUS_WORDS, type Status, type Verdict } from "./status.ts";

const ICONS: Record<Level, string> = { ok: "icon-synced", plan: "icon-warning", off: "icon-unknown" };

export class VerdictStrip {
  private readonly pill: HTMLElement;
  private readonly sentence: Element;
  private readonly age: Element;
  private readonly concerns: HTMLElement;
  private readonly announcer: Announcer;
  private readonly consistentFor = new Since();
  private readonly realtimeFor = new Since();

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

  show(verdict: Verdict, frame: Frame | null, realtime: RealtimeState, pausedS: number | null, nowMs: number): void {
    setData(this.root, "status", verdict.status);
    showStatus(this.pill, verdict.status);
    const paused = t("Paused {age} ago.", { age: formatCalmAge(pausedS ?? 0) });
    setText(this.sentence, pausedS === null ? verdict.sentence : paused);
    setText(this.age, verdict.ageS === null ? "–" : formatAge(verdict.ageS));
    this.showChecks(frame, realtime, nowMs);
    const first = frame?.findings[0];
    const wrong = frame === null || first === undefined ? "" : findingText(first, frame.t);
    const status = t("Twin: {status}.", { status: STATUS_WORDS[verdict.status].toLowerCase() });
    this.announcer.offer(`${status} ${wrong}`.trim(), nowMs);
  }

  private showChecks(frame: Frame | null, realtime: RealtimeState, nowMs: number): void {
    const consistency = consistencyOf(frame?.health ?? null);
    this.concern("sensors", sensorCheck(frame?.findings ?? [], frame?.t ?? 0));
    this.concern("filter", filterCheck(consistency, this.consistentFor.take(consistency, nowMs)));
    this.concern("pace", realtimeCheck(realtime, this.realtimeFor.take(realtime, nowMs)));
    this.concerns.hidden = frame === null;
  }

  private concern(name: string, { level, words }: Check): void {
    const item = need(this.concerns, `[data-concern=${name}]`);
    setData(item, "level", level);
    setIcon(item, ICONS[level]);
    setText(need(item, ".concern-words"), words);
  }
}

/** Shows the status as a colour, an icon and a word. */
function showStatus(pill: HTMLElement, status: Status): void {
  setData(pill, "status", status);
  setIcon(pill, STATUS_ICONS[status]);
  setText(need(pill, ".pill-word"), STATUS_WORDS[status]);
}
