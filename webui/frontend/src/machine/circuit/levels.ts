// Classes of pressures for colouring, directions of flow, and positions of valves.

export const LEVELS = 6;

/** Class of a pressure; pressures above `full` are in the last class. */
export function levelOf(pressure: number, full: number): number {
  if (!Number.isFinite(pressure) || !(full > 0)) return 0;
  return Math.max(0, Math.min(LEVELS - 1, Math.floor((LEVELS * pressure) / full)));
}

export type Flow = "none" | "forward" | "back";

/** Smaller flows, m³/s, are leakage or noise. */
export const LEAST_FLOW = 0.1 / 6e4;

export function directionOf(flow: number): Flow {
  if (!(Math.abs(flow) >= LEAST_FLOW)) return "none";
  return flow > 0 ? "forward" : "back";
}

export type Opening = "shut" | "a" | "b";

/** Below this share of its travel a valve counts as closed. */
const SHUT = 0.02;

/** The active position of a 4/3 valve: supply to A for a positive spool. */
export function openingOf(spool: number, limit: number): Opening {
  if (!(Math.abs(spool) > SHUT * limit)) return "shut";
  return spool > 0 ? "a" : "b";
}
