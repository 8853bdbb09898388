// Does the twin keep up with its machine? Load, late chunks and lag, in numbers and in a word.
import { formatAge } from "../format.ts";
import { need, setData, setText } from "../shell/dom.ts";
import { t } from "../words.ts";
import { Lateness } from "./lateness.ts";
import { Smooth } from "./smooth.ts";
import type { Frame } from "./wire.ts";

const SMOOTHING_MS = 3_000;
/** Above this share of real time there is no room left for a busy moment. */
const TIGHT = 0.7;
/** Share of late chunks that nobody notices. */
const FEW = 0.01;

export type Pace = "unknown" | "kept" | "tight" | "late";

export const PACE_WORDS: Record<Pace, string> = {
  unknown: t("Real time not known"),
  kept: t("Real time kept"),
  tight: t("Real time tight"),
  late: t("Twin is late"),
};

const SENTENCES: Record<Pace, string> = {
  unknown: t("No frame yet."),
  kept: t("The twin keeps up with its machine."),
  tight: t("The twin keeps up, but a busy moment would make it late."),
  late: t("The twin works off telemetry later than it should: the picture lags behind the machine."),
};

export function paceOf(load: number | null, late: number): Pace {
  if (load === null) return "unknown";
  if (late > FEW || load >= 1) return "late";
  return load > TIGHT ? "tight" : "kept";
}

export class RealtimePanel {
  pace: Pace = "unknown";
  private readonly lateness = new Lateness();
  private readonly lagUs = new Smooth(SMOOTHING_MS);
  private readonly load = new Smooth(SMOOTHING_MS);

  constructor(private readonly root: HTMLElement) {}

  show(frame: Frame | null, running: boolean, nowMs: number): void {
    this.lagUs.take(frame !== null && running ? frame.lagUs : null, nowMs);
    this.load.take(frame !== null && running ? frame.load : null, nowMs);
    if (frame !== null) this.lateness.take(frame);
    this.pace = paceOf(this.load.value, this.lateness.share);
    setData(this.root, "pace", this.pace);
    this.fact("lag", this.lagUs.value === null ? "–" : formatLag(this.lagUs.value));
    this.fact("load", this.load.value === null ? "–" : formatLoad(this.load.value));
    this.fact("late", this.lateness.text ?? "–");
    setText(need(this.root, ".realtime-words"), SENTENCES[this.pace]);
    const share = Math.min(1, this.load.value ?? 0);
    need(this.root, ".realtime-bar").setAttribute("width", (100 * share).toFixed(0));
  }

  private fact(name: string, text: string): void {
    setText(need(this.root, `[data-fact=${name}]`), text);
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
