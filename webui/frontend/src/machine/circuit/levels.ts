// Finds the class of a pressure for its colour, the direction of a flow, and the position of a valve.

export const LEVELS = 6;

/** Returns the class of a pressure; pressures above `full` are in the last class. */
export function levelOf(pressure: number, full: number): number {
  if (!Number.isFinite(pressure) || !(full > 0)) return 0;
  return Math.max(0, Math.min(LEVELS - 1, Math.floor((LEVELS * pressure) / full)));
}

export type Flow = "none" | "forward" | "back";

/** Flows smaller than this, m³/s, are leakage or noise. */
export const LEAST_FLOW = 0.1 / 6e4;

export function directionOf(flow: number): Flow {
  if (!(Math.abs(flow) >= LEAST_FLOW)) return "none";
  return flow > 0 ? "forward" : "back";
}

export type Opening = "shut" | "a" | "b";

/** A valve counts as closed below this share of its travel. */
const SHUT = 0.02;

/** Returns the active position of a 4/3 valve: supply to A for a positive spool. */
export function openingOf(spool: number, limit: number): Opening {
  if (!(Math.abs(spool) > SHUT * limit)) return "shut";
  return spool > 0 ? "a" : "b";
}
