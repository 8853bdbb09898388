// Colours of pressures: six classes from none to all that the supply can give.

export const LEVELS = 6;

/** Class of a pressure; pressures above the full one stay in the last class. */
export function levelOf(pressure: number, full: number): number {
  if (!Number.isFinite(pressure) || !(full > 0)) return 0;
  return Math.max(0, Math.min(LEVELS - 1, Math.floor((LEVELS * pressure) / full)));
}

export type Flow = "none" | "forward" | "back";

/** Less than this is a leak or noise, m³/s. */
export const LEAST_FLOW = 0.1 / 6e4;

export function directionOf(flow: number): Flow {
  if (!(Math.abs(flow) >= LEAST_FLOW)) return "none";
  return flow > 0 ? "forward" : "back";
}

export type Opening = "shut" | "a" | "b";

/** Share of a spool's travel below which a valve counts as shut. */
const SHUT = 0.02;

/** Which box of a 4/3 valve is in use: supply to A for a positive spool. */
export function openingOf(spool: number, limit: number): Opening {
  if (!(Math.abs(spool) > SHUT * limit)) return "shut";
  return spool > 0 ? "a" : "b";
}
