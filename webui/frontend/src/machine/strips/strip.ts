// A live strip: the last minute of one quantity. uPlot draws axes and cursor; the trace is drawn from the history.
import type uPlot from "uplot";
import { type Display, displayOf, formatBand, formatCalmAge, formatNumber, withUnit } from "../../format.ts";
import { need, setData, setText } from "../../shell/dom.ts";
import { InView } from "../../shell/in_view.ts";
import { tokenColor, withAlpha } from "../../shell/tokens.ts";
import type { Channel } from "../../socket/machine_messages.ts";
import { t } from "../../words.ts";
import { openingOf } from "../circuit/levels.ts";
import type { History } from "../history.ts";
import { originOf, seriesOf } from "../series.ts";
import type { Status } from "../status.ts";
import { clipped, emptyView, makePlot, viewOf, WINDOW_S } from "./plot.ts";
import { SteadyRange, ticks } from "./range.ts";
import { type Extent, pairAt, picture, rows, stateAt, takeaway } from "./summary.ts";
import { type Ink, paintTrace } from "./trace.ts";
import { paintOpenings, type ValveOpening } from "./valve_openings.ts";

const TABLE_STEP_S = 5;
const HEIGHT = 168;

interface Trace {
  channel: Channel;
  index: number;
  ink: Ink;
}

/** The present moment, for all strips. */
export interface Moment {
  now: number; // right edge of the window, machine time in s
  status: Status;
  ageS: number | null;
  pausedS: number | null; // time since the pause
}

/** Returns the value axis of a quantity; strips of the same quantity share it. */
export function rangeFor({ quantity, unit }: Channel): SteadyRange {
  const { minSpan, floor } = displayOf(quantity, unit);
  return new SteadyRange(minSpan, floor);
}

/** Draws the windows that end now; strips that share an axis get the same limits. */
export function updateStrips(strips: readonly Strip[], moment: Moment): void {
  const seen = strips.filter((strip) => strip.isSeen);
  for (const range of new Set(seen.map((strip) => strip.range))) {
    const all: Extent = { low: Infinity, high: -Infinity };
    for (const strip of seen) if (strip.range === range) strip.widen(moment.now, all);
    range.fit(all.low, all.high);
  }
  for (const strip of strips) strip.update(moment);
}

export class Strip {
  private readonly display: Display;
  private readonly plot: uPlot;
  private readonly host: HTMLElement;
  private readonly table: HTMLElement;
  private readonly readout: HTMLElement;
  private readonly readoutMark: SVGElement;
  private readonly summary: HTMLElement;
  private readonly traces: Trace[];
  private readonly view = emptyView();
  private readonly inView: InView;
  private readonly seen: Extent = { low: 0, high: 0 };
  private notice = "";
  private sentence = "";
  private moment: Moment = { now: WINDOW_S, status: "waiting", ageS: null, pausedS: null };

  constructor(
    private readonly root: HTMLElement,
    channels: ReadonlyArray<{ channel: Channel; index: number }>,
    private readonly history: History,
    readonly range: SteadyRange,
    private readonly opening: ValveOpening | null = null,
  ) {
    this.inView = new InView(root);
    const main = (channels[0] as { channel: Channel }).channel;
    this.display = displayOf(main.quantity, main.unit);
    this.traces = channels.map((item) => ({ ...item, ink: inkOf(item.channel) }));
    this.host = need(root, ".strip-plot");
    this.table = need(root, ".strip-table");
    this.readout = need(root, ".strip-readout-value");
    this.readoutMark = need<SVGElement>(root, ".strip-readout .mark");
    this.summary = need(root, ".strip-takeaway");
    setData(root, "series", String(seriesOf(main)));
    this.nameCompanion();
    this.plot = makePlot(this.host, {
      height: HEIGHT,
      held: () => this.moment.pausedS !== null,
      ticks,
      tickLabel: (value, top) => this.tickLabel(value, top),
      paint: (plot) => clipped(plot, () => this.paint(plot)),
      cursorMoved: (plot) => this.showReadout(plot),
    });
    this.listen();
  }

  /** Whether the strip is visible; hidden strips are not drawn. */
  get isSeen(): boolean {
    return this.inView.seen;
  }

  /** Widens the extent to include everything in the window. */
  widen(now: number, all: Extent): void {
    for (const { index } of this.traces) {
      picture(this.history, index, now - WINDOW_S, this.display.factor, this.seen);
      all.low = Math.min(all.low, this.seen.low);
      all.high = Math.max(all.high, this.seen.high);
    }
  }

  /** Draws the window that ends now, within the limits of the range. */
  update(moment: Moment): void {
    const turned = (moment.pausedS === null) !== (this.moment.pausedS === null);
    this.moment = moment;
    const { plot, range } = this;
    if (!this.isSeen) return;
    plot.batch(() => {
      plot.setScale("x", { min: moment.now - WINDOW_S, max: moment.now });
      plot.setScale("y", { min: range.min, max: range.max });
    });
    if (turned) plot.redraw(false, true); // the label at the end of the axis changed
    setData(this.root, "state", moment.status);
    this.notice = this.noticeText();
    this.showReadout(plot);
  }

  /** Updates texts and rows, less often than the plot. */
  describe(): void {
    this.sentence = takeaway(this.history, this.main.index, this.moment.now, WINDOW_S, this.display);
    const what = t("{label} over {seconds} seconds.", { label: this.main.channel.label, seconds: WINDOW_S });
    const label = `${what} ${this.sentence} ${this.notice}`;
    this.host.setAttribute("aria-label", label);
    this.showReadout(this.plot);
    if (!this.table.hidden) this.fillTable();
  }

  repaint(): void {
    for (const trace of this.traces) trace.ink = inkOf(trace.channel);
    this.plot.redraw(true, true);
  }

  private get main(): Trace {
    return this.traces[0] as Trace;
  }

  private nameCompanion(): void {
    const companion = this.traces[1];
    if (companion === undefined) return;
    need(this.root, ".strip-companion").hidden = false;
    setText(need(this.root, ".strip-companion-label"), companion.channel.label);
  }

  private listen(): void {
    const toggle = need<HTMLButtonElement>(this.root, ".strip-table-toggle");
    toggle.addEventListener("click", () => {
      this.table.hidden = !this.table.hidden;
      toggle.setAttribute("aria-expanded", String(!this.table.hidden));
      if (!this.table.hidden) this.fillTable();
    });
  }

  /** Shows the newest value above the plot; below it the value under the cursor or, without a cursor, a remark. */
  private showReadout(plot: uPlot): void {
    const { states, alone } = this.history;
    const last = this.lastTime();
    const newest = Math.min(states.end, states.lowerBound(last) + 1) - 1;
    const { value, half } = stateAt(this.history, this.main.index, last);
    setText(this.readout, states.length === 0 ? "" : `${this.text(value)}${this.bandText(half)}`);
    this.readoutMark.toggleAttribute("hidden", this.main.ink.stepped || states.length === 0 || alone[newest] !== 1);
    const left = plot.cursor.left ?? -1;
    setData(this.summary, "kind", left < 0 && this.notice !== "" ? "notice" : "");
    if (left < 0) setText(this.summary, this.notice || this.sentence);
    else setText(this.summary, this.pairText(plot.posToVal(left, "x")));
  }

  private pairText(at: number): string {
    const pair = pairAt(this.history, this.main.index, at, this.main.ink.stepped);
    const { value, half, measured, model } = pair;
    const parts = [`${formatNumber(pair.t - this.moment.now, 1)} s: ${this.text(value)}${this.bandText(half)}`];
    if (!Number.isNaN(measured)) parts.push(t("measured {value}", { value: this.text(measured) }));
    if (!Number.isNaN(model) && !this.main.ink.stepped)
      parts.push(t("uncorrected {value}", { value: this.text(model) }));
    if (this.wasOpen(pair.t)) parts.push(t("valve open"));
    return parts.join(", ");
  }

  private wasOpen(at: number): boolean {
    if (this.opening === null) return false;
    const spool = stateAt(this.history, this.opening.index, at, true).value;
    return openingOf(spool, this.opening.limit) !== "shut";
  }

  private text(value: number): string {
    const { factor, decimals, unit } = this.display;
    return withUnit(formatNumber(value * factor, decimals), unit);
  }

  private bandText(half: number): string {
    return Number.isNaN(half) ? "" : ` ${formatBand(half * this.display.factor, this.display.decimals)}`;
  }

  /** Returns a remark while the plot is paused, empty or not synced; otherwise empty text. */
  private noticeText(): string {
    const { status, ageS, pausedS } = this.moment;
    if (pausedS !== null) return t("Paused {age} ago", { age: formatCalmAge(pausedS) });
    if (this.history.states.length === 0) return t("Waiting for the first data");
    if (status === "synced" || status === "waiting") return "";
    if (ageS === null) return t("No data yet");
    const age = formatCalmAge(ageS);
    if (status === "coasting") return t("No data for {age}; dashed line: model only", { age });
    const last = this.lastKnown(age);
    return status === "failed" ? t("The twin stopped. {last}", { last }) : last;
  }

  /**
   * Returns the last value based on data of the machine: its reading or, without a sensor, the estimate at that time.
   */
  private lastKnown(age: string): string {
    const { history } = this;
    const reading = history.lastReadings[this.main.index] as number;
    if (!Number.isNaN(reading))
      return t("No data for {age}. Last measured {value}", { age, value: this.text(reading) });
    const { value } = stateAt(history, this.main.index, history.sampleTime);
    return Number.isNaN(value)
      ? t("No data for {age}", { age })
      : t("Last estimate {value}, {age} ago", { value: this.text(value), age });
  }

  private lastTime(): number {
    const { states } = this.history;
    return states.length === 0 ? 0 : Math.min(this.moment.now, states.time[states.end - 1] as number);
  }

  private fillTable(): void {
    const { factor, decimals } = this.display;
    const { now } = this.moment;
    const cell = (x: number) => (Number.isNaN(x) ? "–" : formatNumber(x * factor, decimals));
    const body = need(this.table, "tbody");
    body.replaceChildren(
      ...rows(this.history, this.main.index, now, WINDOW_S, TABLE_STEP_S, this.main.ink.stepped).map((row) => {
        const tr = document.createElement("tr");
        const numbers = [row.value, row.half, row.measured, row.model].map(cell);
        for (const text of [formatNumber(row.t - now, 1), ...numbers]) tr.insertCell().textContent = text;
        return tr;
      }),
    );
    setText(need(this.table, ".strip-table-unit"), this.display.unit);
  }

  private paint(plot: uPlot): void {
    const view = viewOf(plot, this.view);
    if (this.opening !== null)
      paintOpenings(plot.ctx, view, this.history, this.opening, withAlpha(tokenColor("--series-7"), 0.16));
    for (let i = this.traces.length - 1; i >= 0; i--) {
      const { index, ink } = this.traces[i] as Trace;
      paintTrace(plot.ctx, view, this.history, index, this.display.factor, ink);
    }
  }

  /** Returns the label of a tick; the top tick shows the unit. */
  private tickLabel(value: number, top: boolean): string {
    const number = formatNumber(value, 3).replace(/[.,]?0+$/, "");
    return top ? withUnit(number, this.display.unit) : number;
  }
}

/** Chooses the line: solid for measured and estimated values, dashed for simulated ones, and steps for a command. */
function inkOf(channel: Channel): Ink {
  const color = tokenColor(`--series-${seriesOf(channel)}`);
  return {
    line: color,
    band: withAlpha(color, 0.4),
    dot: tokenColor("--ink"),
    halo: tokenColor("--panel"),
    dashed: originOf(channel.role) === "simulated",
    stepped: channel.role === "input",
    model: tokenColor("--ink-2"),
  };
}
