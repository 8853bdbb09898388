// Shows whether the twin keeps up with its machine: load, late chunks and lag.
import { formatAge } from "../format.ts";
import { need, setData, setText } from "../shell/dom.ts";
import type { Frame } from "../socket/machine_messages.ts";
import { t } from "../words.ts";
import { LateChunks } from "./late_chunks.ts";

const SMOOTHING_MS = 3_000;
/** Above this share of real time, too little reserve is left for a busy moment. */
const TIGHT = 0.7;
/** Share of late chunks that has no visible effect. */
const FEW = 0.01;

export type RealtimeState = "unknown" | "kept" | "tight" | "late";

export const REALTIME_WORDS: Record<RealtimeState, string> = {
  unknown: t("Timing unknown"),
  kept: t("On time"),
  tight: t("Barely on time"),
  late: t("Live view delayed"),
};

const SENTENCES: Record<RealtimeState, string> = {
  unknown: t("No data from the twin yet."),
  kept: t("The twin keeps up with its machine."),
  tight: t("The twin keeps up with its machine, but has little computing time to spare."),
  late: t("Telemetry is processed late, so this page lags behind the machine."),
};

export function realtimeStateOf(load: number | null, late: number): RealtimeState {
  if (load === null) return "unknown";
  if (late > FEW || load >= 1) return "late";
  return load > TIGHT ? "tight" : "kept";
}

/** Smooths a number exponentially, so that it can be read although it jitters. */
export class SmoothedNumber {
  value: number | null = null;
  private at = 0;

  constructor(private readonly timeMs: number) {}

  /** Takes the newest number; null resets the smoothing. */
  take(number: number | null, nowMs: number): void {
    if (number === null || this.value === null) this.value = number;
    else this.value += (1 - Math.exp((this.at - nowMs) / this.timeMs)) * (number - this.value);
    this.at = nowMs;
  }
}

export class RealtimePanel {
  state: RealtimeState = "unknown";
  private readonly lateChunks = new LateChunks();
  private readonly lagUs = new SmoothedNumber(SMOOTHING_MS);
  private readonly load = new SmoothedNumber(SMOOTHING_MS);

  constructor(private readonly root: HTMLElement) {}

  show(frame: Frame | null, running: boolean, nowMs: number): void {
    this.lagUs.take(frame !== null && running ? frame.lagUs : null, nowMs);
    this.load.take(frame !== null && running ? frame.load : null, nowMs);
    if (frame !== null) this.lateChunks.take(frame);
    this.state = realtimeStateOf(this.load.value, this.lateChunks.share);
    setData(this.root, "pace", this.state);
    this.fact("lag", this.lagUs.value === null ? "–" : formatLag(this.lagUs.value));
    this.fact("load", this.load.value === null ? "–" : formatLoad(this.load.value));
    this.fact("late", this.lateChunks.text ?? "–");
    setText(need(this.root, ".realtime-words"), SENTENCES[this.state]);
    const share = Math.min(1, this.load.value ?? 0);
    need(this.root, ".realtime-bar").setAttribute("width", (100 * share).toFixed(0));
  }

  private fact(name: string, text: string): void {
    setText(need(this.root, `[data-fact=${name}]`), text);
  }
}

/** Formats a lag with two digits, because a third would flicker. */
function formatLag(us: number): string {
  if (us >= 1e6) return formatAge(us / 1e6);
  const ms = us / 1e3;
  return `${ms < 100 ? Math.round(ms) : 10 * Math.round(ms / 10)} ms`;
}

function formatLoad(share: number): string {
  const percent = 100 * share;
  return percent < 1 ? "< 1 %" : `${Math.round(percent)} %`;
}
