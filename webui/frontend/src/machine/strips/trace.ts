// Draws one trace of a strip in canvas pixels: 95 % band, line, and readings as dots.
import { Z95 } from "../../format.ts";
import type { History } from "../history.ts";

/** A linear map from data to canvas pixels. */
export interface Frame2D {
  left: number;
  top: number;
  width: number;
  height: number;
  xMin: number;
  xMax: number;
  yMin: number;
  yMax: number;
  ratio: number; // canvas pixels per CSS pixel
}

export interface Ink {
  line: string;
  band: string;
  dot: string;
  halo: string; // around a dot, so that it stands out from line and band
  dashed: boolean;
  stepped: boolean; // a command holds until it changes; its line shows the measured values
  model: string; // line of the open-loop model
}

/** States further apart than this are not joined by a line. */
export const GAP_S = 0.5;

export function paintTrace(
  ctx: CanvasRenderingContext2D,
  frame: Frame2D,
  history: History,
  channel: number,
  factor: number,
  ink: Ink,
): void {
  const { states } = history;
  const first = Math.max(states.start, states.lowerBound(frame.xMin) - 1);
  const last = Math.min(states.end, states.lowerBound(frame.xMax) + 1);
  const value = history.value(channel);
  const sigma = history.sigma(channel);
  if (!ink.stepped && !ink.dashed) paintModel(ctx, frame, history, channel, first, last, factor, ink);
  let from = first;
  while (from < last) {
    const to = runEnd(states.time, value, from, last);
    if (to > from) {
      paintBand(ctx, frame, states.time, value, sigma, from, to, factor, ink.band);
      paintLines(ctx, frame, history, value, from, to, factor, ink);
    }
    from = Math.max(to, from + 1);
  }
  if (!ink.stepped) paintDots(ctx, frame, history, channel, factor, ink);
}

/** Returns the end of the run of known values that begins at `from`. */
export function runEnd(time: Float64Array, value: Float32Array, from: number, last: number): number {
  let i = from;
  while (i < last && !Number.isNaN(value[i] as number)) {
    if (i > from && (time[i] as number) - (time[i - 1] as number) > GAP_S) break;
    i += 1;
  }
  return i;
}

function px(frame: Frame2D, t: number): number {
  return frame.left + ((t - frame.xMin) / (frame.xMax - frame.xMin)) * frame.width;
}

function py(frame: Frame2D, y: number): number {
  return frame.top + ((frame.yMax - y) / (frame.yMax - frame.yMin)) * frame.height;
}

function paintBand(
  ctx: CanvasRenderingContext2D,
  frame: Frame2D,
  time: Float64Array,
  value: Float32Array,
  sigma: Float32Array,
  from: number,
  to: number,
  factor: number,
  fill: string,
): void {
  if (Number.isNaN(sigma[from] as number)) return;
  ctx.beginPath();
  for (let i = from; i < to; i++) {
    ctx.lineTo(px(frame, time[i] as number), py(frame, ((value[i] as number) + Z95 * (sigma[i] as number)) * factor));
  }
  for (let i = to - 1; i >= from; i--) {
    ctx.lineTo(px(frame, time[i] as number), py(frame, ((value[i] as number) - Z95 * (sigma[i] as number)) * factor));
  }
  ctx.closePath();
  ctx.fillStyle = fill;
  ctx.fill();
}

const DASHES = [4, 3];
const SOLID: number[] = [];
const LINE_PX = 1.25;

/** Draws the twin's line; it is dashed where there was no data and the twin only simulated. */
function paintLines(
  ctx: CanvasRenderingContext2D,
  frame: Frame2D,
  history: History,
  value: Float32Array,
  from: number,
  to: number,
  factor: number,
  ink: Ink,
): void {
  const { alone, states } = history;
  let first = from;
  for (let i = from + 1; i <= to; i++) {
    if (i < to && alone[i] === alone[first]) continue;
    const start = Math.max(from, alone[first] === 1 ? first - 1 : first);
    paintLine(ctx, frame, states.time, value, start, i, factor, ink, ink.dashed || alone[first] === 1);
    first = i;
  }
}

function paintLine(
  ctx: CanvasRenderingContext2D,
  frame: Frame2D,
  time: Float64Array,
  value: Float32Array,
  from: number,
  to: number,
  factor: number,
  ink: Ink,
  dashed: boolean,
): void {
  ctx.beginPath();
  let y = py(frame, (value[from] as number) * factor);
  ctx.moveTo(px(frame, time[from] as number), y);
  for (let i = from + 1; i < to; i++) {
    const x = px(frame, time[i] as number);
    if (ink.stepped) ctx.lineTo(x, y);
    y = py(frame, (value[i] as number) * factor);
    ctx.lineTo(x, y);
  }
  ctx.lineWidth = LINE_PX * frame.ratio;
  ctx.lineJoin = "round";
  ctx.strokeStyle = ink.line;
  ctx.setLineDash(dashed ? DASHES.map((length) => length * frame.ratio) : SOLID);
  ctx.stroke();
  ctx.setLineDash(SOLID);
}

/** Draws the open-loop model behind the twin: dashed because it is simulated, and grey. */
function paintModel(
  ctx: CanvasRenderingContext2D,
  frame: Frame2D,
  history: History,
  channel: number,
  first: number,
  last: number,
  factor: number,
  ink: Ink,
): void {
  const { time } = history.states;
  const value = history.uncorrected(channel);
  const plain = { ...ink, line: ink.model };
  let from = first;
  while (from < last) {
    const to = runEnd(time, value, from, last);
    if (to > from) paintLine(ctx, frame, time, value, from, to, factor, plain, true);
    from = Math.max(to, from + 1);
  }
}

const DOT_PX = 1.6;
/** Smallest distance between dots; closer dots would hide the line and its band. */
const DOT_SPACING_PX = 9;

/** Returns the seconds between dots, a multiple of one half, so that the choice stays the same as the window moves. */
export function dotSpacing(secondsPerPx: number): number {
  return Math.max(1, Math.ceil(2 * DOT_SPACING_PX * secondsPerPx)) / 2;
}

function paintDots(
  ctx: CanvasRenderingContext2D,
  frame: Frame2D,
  history: History,
  channel: number,
  factor: number,
  ink: Ink,
): void {
  const { samples } = history;
  const measured = history.measured(channel);
  const radius = DOT_PX * frame.ratio;
  const spacing = dotSpacing(((frame.xMax - frame.xMin) / frame.width) * frame.ratio);
  let slot = -1;
  ctx.beginPath();
  for (let i = samples.lowerBound(frame.xMin); i < samples.end; i++) {
    const reading = measured[i] as number;
    const t = samples.time[i] as number;
    if (Number.isNaN(reading) || t > frame.xMax || Math.floor(t / spacing) === slot) continue;
    slot = Math.floor(t / spacing);
    const x = px(frame, t);
    const y = py(frame, reading * factor);
    ctx.moveTo(x + radius, y);
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
  }
  ctx.lineWidth = 1.5 * frame.ratio;
  ctx.strokeStyle = ink.halo;
  ctx.stroke();
  ctx.fillStyle = ink.dot;
  ctx.fill();
}
