// Shades the times at which a valve was open, behind the pressure that the valve feeds.
import { openingOf } from "../circuit/levels.ts";
import type { History } from "../history.ts";
import type { Frame2D } from "./trace.ts";

/** The spool channel of a valve, and the spool's limit, V. */
export interface ValveOpening {
  index: number;
  limit: number;
}

/** Calls back for every interval in which the valve was open. */
export function eachOpening(
  history: History,
  { index, limit }: ValveOpening,
  from: number,
  to: number,
  found: (start: number, end: number) => void,
): void {
  const { states } = history;
  const spool = history.value(index);
  let start = NaN;
  let last = NaN;
  for (let i = states.lowerBound(from); i < states.end && (states.time[i] as number) <= to; i++) {
    const t = states.time[i] as number;
    const open = openingOf(spool[i] as number, limit) !== "shut";
    if (open && Number.isNaN(start)) start = t;
    if (!open && !Number.isNaN(start)) {
      found(start, t);
      start = NaN;
    }
    last = t;
  }
  if (!Number.isNaN(start)) found(start, last);
}

export function paintOpenings(
  ctx: CanvasRenderingContext2D,
  view: Frame2D,
  history: History,
  opening: ValveOpening,
  shade: string,
): void {
  const scale = view.width / (view.xMax - view.xMin);
  ctx.fillStyle = shade;
  eachOpening(history, opening, view.xMin, view.xMax, (start, end) => {
    ctx.fillRect(view.left + (start - view.xMin) * scale, view.top, Math.max(1, (end - start) * scale), view.height);
  });
}
