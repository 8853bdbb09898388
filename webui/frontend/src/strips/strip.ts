// A live strip: the last minute of one quantity. uPlot gives axes and cursor; the trace is painted from the history.
import uPlot from "uplot";
import { displayOf, formatAge, formatBand, formatNumber, withUnit, type Display } from "../format.ts";
import type { History } from "../live/history.ts";
import { originOf, seriesOf } from "../live/series.ts";
import type { Status } from "../live/status.ts";
import type { Channel } from "../live/wire.ts";
import { need, setData, setText } from "../shell/dom.ts";
import { tokenColor, withAlpha } from "../shell/tokens.ts";
import { paintTrace, type Frame2D, type Ink } from "./paint.ts";
import { PARTS, SteadyRange } from "./range.ts";
import { at, extent, rows, takeaway, type Extent } from "./summary.ts";

export const WINDOW_S = 60;
const TICK_S = 15;
const TABLE_STEP_S = 5;
const HEIGHT = 148;
const SYNC = uPlot.sync("strips");

interface Trace {
  channel: Channel;
  index: number;
  ink: Ink;
}

/** What a strip needs to know about the present moment. */
export interface Moment {
  now: number; // right edge of the window, machine time in s
  status: Status;
  ageS: number | null;
}

export class Strip {
  private readonly display: Display;
  private readonly range: SteadyRange;
  private readonly plot: uPlot;
  private readonly host: HTMLElement;
  private readonly table: HTMLElement;
  private readonly readout: HTMLElement;
  private readonly notice: HTMLElement;
  private readonly summary: HTMLElement;
  private readonly traces: Trace[];
  private readonly view: Frame2D = { left: 0, top: 0, width: 1, height: 1, xMin: 0, xMax: 1, yMin: 0, yMax: 1, ratio: 1 };
  private readonly seen: Extent = { low: 0, high: 0 };
  private silence = "";
  private sentence = "";
  private moment: Moment = { now: WINDOW_S, status: "waiting", ageS: null };

  constructor(
    private readonly root: HTMLElement,
    channels: ReadonlyArray<{ channel: Channel; index: number }>,
    private readonly history: History,
  ) {
    const main = (channels[0] as { channel: Channel }).channel;
    this.display = displayOf(main.quantity, main.unit);
    this.range = new SteadyRange(this.display.minSpan);
    this.traces = channels.map((item) => ({ ...item, ink: inkOf(item.channel) }));
    this.host = need(root, ".strip-plot");
    this.table = need(root, ".strip-table");
    this.readout = need(root, ".strip-readout");
    this.notice = need(root, ".strip-notice");
    this.summary = need(root, ".strip-takeaway");
    setData(root, "series", String(seriesOf(main)));
    this.nameCompanion();
    this.plot = new uPlot(this.options(), [[0, 1], [0, 0]], this.host);
    this.listen();
  }

  /** Draws the window that ends now. */
  update(moment: Moment): void {
    this.moment = moment;
    this.fitRange();
    const { plot, range } = this;
    plot.batch(() => {
      plot.setScale("x", { min: moment.now - WINDOW_S, max: moment.now });
      plot.setScale("y", { min: range.min, max: range.max });
    });
    setData(this.root, "state", moment.status);
    this.showReadout(plot);
    this.showNotice();
  }

  /** The slower part: words and rows. */
  describe(): void {
    this.sentence = takeaway(this.history, this.main.index, this.moment.now, WINDOW_S, this.display);
    const label = `${this.main.channel.label}, last ${WINDOW_S} seconds. ${this.sentence} ${this.silence}`;
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
    new ResizeObserver(() => this.resize()).observe(this.host);
    const toggle = need<HTMLButtonElement>(this.root, ".strip-table-toggle");
    toggle.addEventListener("click", () => {
      this.table.hidden = !this.table.hidden;
      toggle.setAttribute("aria-expanded", String(!this.table.hidden));
      if (!this.table.hidden) this.fillTable();
    });
    this.host.addEventListener("keydown", (event) => this.moveCursor(event));
    this.host.addEventListener("blur", () => this.setCursor(-10));
  }

  private resize(): void {
    const width = this.host.clientWidth;
    if (width > 0) this.plot.setSize({ width, height: HEIGHT });
  }

  /** Arrow keys carry the shared cursor along the axis, one second at a time. */
  private moveCursor(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const width = this.plot.over.clientWidth;
    const present = this.plot.cursor.left ?? -1;
    const left = (present < 0 ? width : present) + (step * width) / WINDOW_S;
    this.setCursor(Math.min(width, Math.max(0, left)));
  }

  /** Sets the cursor here and on the neighbours. */
  private setCursor(left: number): void {
    const { plot } = this;
    plot.setCursor({ left, top: 10 });
    SYNC.pub("mousemove", plot, left, 10, plot.over.clientWidth, plot.over.clientHeight, 0);
  }

  private fitRange(): void {
    let low = Infinity;
    let high = -Infinity;
    for (const { index } of this.traces) {
      extent(this.history, index, this.moment.now - WINDOW_S, this.display.factor, true, this.seen);
      low = Math.min(low, this.seen.low);
      high = Math.max(high, this.seen.high);
    }
    this.range.fit(low, high);
  }

  /** The newest value above the plot; below it the value under the cursor or, without one, the sentence. */
  private showReadout(plot: uPlot): void {
    setText(this.readout, this.history.states.length === 0 ? "" : this.valueText(this.lastTime(), false));
    const left = plot.cursor.left ?? -1;
    if (left < 0) return setText(this.summary, this.sentence);
    const t = plot.posToVal(left, "x");
    setText(this.summary, `${formatNumber(t - this.moment.now, 1)} s: ${this.valueText(t, true)}`);
  }

  private valueText(t: number, withReading: boolean): string {
    const { value, half, measured } = at(this.history, this.main.index, t);
    const { factor, decimals, unit } = this.display;
    const number = withUnit(formatNumber(value * factor, decimals), unit);
    const band = Number.isNaN(half) ? "" : ` ${formatBand(half * factor, decimals)}`;
    const reading = `, measured ${withUnit(formatNumber(measured * factor, decimals), unit)}`;
    return `${number}${band}${withReading && !Number.isNaN(measured) ? reading : ""}`;
  }

  private showNotice(): void {
    this.silence = this.silenceText();
    this.notice.hidden = this.silence === "";
    setText(this.notice, this.silence);
  }

  private silenceText(): string {
    const { status, ageS } = this.moment;
    if (this.history.states.length === 0) return "Waiting for the first frame";
    if (status !== "stale" && status !== "failed") return "";
    const { value } = at(this.history, this.main.index, this.lastTime());
    const last = withUnit(formatNumber(value * this.display.factor, this.display.decimals), this.display.unit);
    if (status === "failed") return `The twin stopped, last value ${last}`;
    return ageS === null ? "No data yet" : `No data for ${formatAge(ageS)}, last value ${last}`;
  }

  private lastTime(): number {
    const { states } = this.history;
    return states.length === 0 ? 0 : Math.min(this.moment.now, states.time[states.end - 1] as number);
  }

  private fillTable(): void {
    const { factor, decimals } = this.display;
    const cell = (x: number) => (Number.isNaN(x) ? "–" : formatNumber(x * factor, decimals));
    const body = need(this.table, "tbody");
    body.replaceChildren(
      ...rows(this.history, this.main.index, this.moment.now, WINDOW_S, TABLE_STEP_S).map((row) => {
        const tr = document.createElement("tr");
        for (const text of [formatNumber(-row.secondsAgo, 0), cell(row.value), cell(row.half), cell(row.measured)]) {
          tr.insertCell().textContent = text;
        }
        return tr;
      }),
    );
    setText(need(this.table, ".strip-table-unit"), this.display.unit);
  }

  private paint(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const { view } = this;
    view.left = bbox.left;
    view.top = bbox.top;
    view.width = bbox.width;
    view.height = bbox.height;
    view.xMin = plot.scales.x?.min ?? 0;
    view.xMax = plot.scales.x?.max ?? 1;
    view.yMin = plot.scales.y?.min ?? 0;
    view.yMax = plot.scales.y?.max ?? 1;
    view.ratio = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (let i = this.traces.length - 1; i >= 0; i--) {
      const { index, ink } = this.traces[i] as Trace;
      paintTrace(ctx, view, this.history, index, this.display.factor, ink);
    }
    ctx.restore();
  }

  /** Every other tick; the top one names the unit. */
  private tickLabel(value: number, index: number): string {
    if (index % 2 === 1) return "";
    const number = formatNumber(value, 3).replace(/\.?0+$/, "");
    return index === PARTS ? withUnit(number, this.display.unit) : number;
  }

  private options(): uPlot.Options {
    const axis: uPlot.Axis = {
      stroke: () => tokenColor("--ink-2"),
      grid: { stroke: () => tokenColor("--grid"), width: 1 },
      ticks: { show: false },
      font: "12px system-ui, sans-serif",
    };
    return {
      width: Math.max(200, this.host.clientWidth),
      height: HEIGHT,
      padding: [8, 14, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: false, y: false },
        sync: { key: SYNC.key, scales: [null, null] }, // by place: every strip shows the same window
      },
      scales: { x: { time: false, auto: false }, y: { auto: false } },
      series: [{}, { show: true, paths: () => null, points: { show: false } }],
      axes: [
        {
          ...axis,
          size: 24,
          gap: 4,
          splits: (_plot, _axis, _min, max) => [-60, -45, -30, -15, 0].map((s) => max + s),
          values: (plot, splits) => splits.map((t) => timeLabel(t - (plot.scales.x?.max ?? t))),
        },
        {
          ...axis,
          size: 52,
          gap: 6,
          splits: (_plot, _axis, min, max) => [0, 1, 2, 3, PARTS].map((i) => min + (i * (max - min)) / PARTS),
          values: (_plot, splits) => splits.map((y, i) => this.tickLabel(y, i)),
        },
      ],
      hooks: { draw: [(plot) => this.paint(plot)], setCursor: [(plot) => this.showReadout(plot)] },
    };
  }
}

function timeLabel(seconds: number): string {
  const rounded = Math.round(seconds / TICK_S) * TICK_S;
  return rounded === 0 ? "now" : `${formatNumber(rounded, 0)} s`;
}

/** Measured and estimated are solid, simulated is dashed; a command holds between its changes. */
function inkOf(channel: Channel): Ink {
  const color = tokenColor(`--series-${seriesOf(channel)}`);
  return {
    line: color,
    band: withAlpha(color, 0.2),
    dot: tokenColor("--ink"),
    dashed: originOf(channel.role) === "simulated",
    stepped: channel.role === "input",
  };
}
