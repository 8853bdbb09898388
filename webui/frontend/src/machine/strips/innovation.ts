// Plots the innovations of one sensor in the last minute, in standard deviations. For a consistent filter, 95 % are
// within two.
import type uPlot from "uplot";
import { formatNumber } from "../../format.ts";
import { need, setData, setText } from "../../shell/dom.ts";
import { InView } from "../../shell/in_view.ts";
import { tokenColor } from "../../shell/tokens.ts";
import type { Channel, Finding } from "../../socket/machine_messages.ts";
import { t } from "../../words.ts";
import type { History } from "../history.ts";
import { seriesOf } from "../series.ts";
import { exclusions, FINDING_WORDS } from "../status.ts";
import { beyondTwo, innovationAt } from "./innovation_summary.ts";
import { clipped, emptyView, makePlot, viewOf, WINDOW_S } from "./plot.ts";
import type { Moment } from "./strip.ts";

const LIMIT = 4; // σ shown; larger innovations are drawn at the edge
const HEIGHT = 148;
const DOT_PX = 1.3;

function sigmas(nu: number): string {
  return Number.isNaN(nu) ? "–" : `${formatNumber(nu, 1)} σ`;
}

export class InnovationStrip {
  private readonly plot: uPlot;
  private readonly host: HTMLElement;
  private readonly readout: Element;
  private readonly note: HTMLElement;
  private readonly view = emptyView();
  private readonly inView: InView;
  private moment: Moment = { now: WINDOW_S, status: "waiting", ageS: null, pausedS: null };
  private sentence = t("Waiting for the first reading");

  constructor(
    private readonly root: HTMLElement,
    private readonly channel: Channel,
    private readonly index: number,
    private readonly history: History,
  ) {
    this.host = need(root, ".innovation-plot");
    this.inView = new InView(root);
    this.readout = need(root, ".innovation-readout");
    this.note = need(root, ".innovation-note");
    setData(root, "series", String(seriesOf(channel)));
    this.plot = makePlot(this.host, {
      height: HEIGHT,
      held: () => this.moment.pausedS !== null,
      ticks: () => [-3, -2, 0, 2, 3],
      tickLabel: (value, top) => (top ? `${value} σ` : formatNumber(value, 0)),
      paint: (plot) => clipped(plot, () => this.paint(plot)),
      cursorMoved: (plot) => this.showNote(plot),
    });
  }

  update(moment: Moment): void {
    const turned = (moment.pausedS === null) !== (this.moment.pausedS === null);
    this.moment = moment;
    if (!this.inView.seen) return;
    this.plot.batch(() => {
      this.plot.setScale("x", { min: moment.now - WINDOW_S, max: moment.now });
      this.plot.setScale("y", { min: -LIMIT, max: LIMIT });
    });
    if (turned) this.plot.redraw(false, true);
    setData(this.root, "state", moment.status);
  }

  /** Updates the text, less often than the plot. A sensor with a finding is still judged, but the filter ignores it. */
  describe(findings: readonly Finding[]): void {
    const finding = exclusions(findings).find(({ channel }) => channel === this.channel.name);
    const { read, beyond } = beyondTwo(this.history, this.index, this.moment.now, WINDOW_S);
    const share = read === 0 ? 0 : Math.round((100 * beyond) / read);
    this.sentence =
      read === 0
        ? t("No readings in these 60 s.")
        : t("{share} % of the readings are outside ± 2 σ (expected: 5 %).", { share });
    if (finding !== undefined)
      this.sentence = t("Sensor excluded ({kind}). {sentence}", {
        kind: FINDING_WORDS[finding.kind] ?? finding.kind,
        sentence: this.sentence,
      });
    setData(this.root, "named", finding === undefined ? "" : finding.kind);
    setText(this.readout, sigmas(innovationAt(this.history, this.index, this.history.sampleTime)));
    this.host.setAttribute(
      "aria-label",
      `${t("Residuals of {label} over 60 seconds.", { label: this.channel.label })} ${this.sentence}`,
    );
    this.showNote(this.plot);
  }

  repaint(): void {
    this.plot.redraw(true, true);
  }

  private showNote(plot: uPlot): void {
    const left = plot.cursor.left ?? -1;
    if (left < 0) {
      setText(this.note, this.sentence);
      return;
    }
    const time = plot.posToVal(left, "x");
    setText(
      this.note,
      `${formatNumber(time - this.moment.now, 1)} s: ${sigmas(innovationAt(this.history, this.index, time))}`,
    );
  }

  private paint(plot: uPlot): void {
    const { ctx } = plot;
    const view = viewOf(plot, this.view);
    this.paintLimits(ctx);
    const { states } = this.history;
    const normalised = this.history.innovation(this.index);
    const radius = DOT_PX * view.ratio;
    ctx.beginPath();
    for (let i = states.lowerBound(view.xMin); i < states.end && (states.time[i] as number) <= view.xMax; i++) {
      const nu = normalised[i] as number;
      if (Number.isNaN(nu)) continue;
      const x = view.left + (((states.time[i] as number) - view.xMin) / (view.xMax - view.xMin)) * view.width;
      const y = this.height(Math.max(-LIMIT + 0.1, Math.min(LIMIT - 0.1, nu)));
      ctx.moveTo(x + radius, y);
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
    }
    ctx.fillStyle = tokenColor(`--series-${seriesOf(this.channel)}`);
    ctx.fill();
  }

  /** Draws lines at two and three standard deviations. */
  private paintLimits(ctx: CanvasRenderingContext2D): void {
    const { view } = this;
    for (const [limit, token, dashes] of [
      [2, "--ink-3", [6, 4]],
      [3, "--act", []],
    ] as const) {
      ctx.beginPath();
      for (const side of [-limit, limit]) {
        ctx.moveTo(view.left, this.height(side));
        ctx.lineTo(view.left + view.width, this.height(side));
      }
      ctx.setLineDash(dashes.map((length) => length * view.ratio));
      ctx.lineWidth = view.ratio;
      ctx.strokeStyle = tokenColor(token);
      ctx.stroke();
    }
    ctx.setLineDash([]);
  }

  private height(nu: number): number {
    const { view } = this;
    return view.top + ((view.yMax - nu) / (view.yMax - view.yMin)) * view.height;
  }
}
