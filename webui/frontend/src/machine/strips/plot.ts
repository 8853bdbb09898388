// Code that all plots of the last minute share: window, axes, synchronised cursor, arrow keys.
import uPlot from "uplot";
import { formatNumber } from "../../format.ts";
import { tokenColor } from "../../shell/tokens.ts";
import { t } from "../../words.ts";
import type { Frame2D } from "./trace.ts";

export const WINDOW_S = 60;
const TICK_S = 15;
const SYNC = uPlot.sync("strips");

export interface FleetView {
  height: number;
  held: () => boolean; // the plot is paused
  ticks: (min: number, max: number) => number[];
  tickLabel: (value: number, top: boolean) => string;
  paint: (plot: uPlot) => void;
  cursorMoved: (plot: uPlot) => void;
}

export function makePlot(host: HTMLElement, look: FleetView): uPlot {
  const plot = new uPlot(
    options(host, look),
    [
      [0, 1],
      [0, 0],
    ],
    host,
  );
  new ResizeObserver(() => {
    if (host.clientWidth > 0) plot.setSize({ width: host.clientWidth, height: look.height });
  }).observe(host);
  host.addEventListener("keydown", (event) => moveCursor(plot, event));
  host.addEventListener("blur", () => setCursor(plot, -10));
  return plot;
}

/** Moves the shared cursor by one second when an arrow key is pressed. */
function moveCursor(plot: uPlot, event: KeyboardEvent): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const width = plot.over.clientWidth;
  const present = plot.cursor.left ?? -1;
  const left = (present < 0 ? width : present) + (step * width) / WINDOW_S;
  setCursor(plot, Math.min(width, Math.max(0, left)));
}

/** Sets the cursor of this plot and of the others. */
function setCursor(plot: uPlot, left: number): void {
  plot.setCursor({ left, top: 10 });
  SYNC.pub("mousemove", plot, left, 10, plot.over.clientWidth, plot.over.clientHeight, 0);
}

/** Returns the present map from data to the canvas. */
export function viewOf(plot: uPlot, view: Frame2D): Frame2D {
  const { bbox, scales } = plot;
  view.left = bbox.left;
  view.top = bbox.top;
  view.width = bbox.width;
  view.height = bbox.height;
  view.xMin = scales.x?.min ?? 0;
  view.xMax = scales.x?.max ?? 1;
  view.yMin = scales.y?.min ?? 0;
  view.yMax = scales.y?.max ?? 1;
  view.ratio = devicePixelRatio;
  return view;
}

export function emptyView(): Frame2D {
  return { left: 0, top: 0, width: 1, height: 1, xMin: 0, xMax: 1, yMin: 0, yMax: 1, ratio: 1 };
}

/** Clips drawing to the area within the axes. */
export function clipped(plot: uPlot, draw: () => void): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw();
  ctx.restore();
}

function timeLabel(seconds: number, held: boolean): string {
  const rounded = Math.round(seconds / TICK_S) * TICK_S;
  if (rounded === 0) return held ? t("pause") : t("now");
  return `${formatNumber(rounded, 0)} s`;
}

function options(host: HTMLElement, look: FleetView): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: () => tokenColor("--ink-2"),
    grid: { stroke: () => tokenColor("--grid"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  return {
    width: Math.max(200, host.clientWidth),
    height: look.height,
    padding: [8, 14, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: false, y: false },
      sync: { key: SYNC.key, scales: [null, null] }, // by position: every strip shows the same window
    },
    scales: { x: { time: false, auto: false }, y: { auto: false } },
    series: [{}, { show: true, paths: () => null, points: { show: false } }],
    axes: [
      {
        ...axis,
        size: 24,
        gap: 4,
        splits: (_plot, _axis, _min, max) => [-60, -45, -30, -15, 0].map((s) => max + s),
        values: (plot, splits) => splits.map((t) => timeLabel(t - (plot.scales.x?.max ?? t), look.held())),
      },
      {
        ...axis,
        size: 52,
        gap: 6,
        splits: (_plot, _axis, min, max) => look.ticks(min, max),
        values: (_plot, splits) => splits.map((y, i) => look.tickLabel(y, i === splits.length - 1)),
      },
    ],
    hooks: { draw: [look.paint], setCursor: [look.cursorMoved] },
  };
}
