// Defines the colours of quantities, the same on every page, and the origins of values.

import { type Channel, FUSED, GIVEN, type Role } from "../socket/machine_messages.ts";
import { t } from "../words.ts";

const BY_QUANTITY: Record<string, number> = {
  pressure: 3,
  angle: 4,
  rate: 5,
  force: 6,
  voltage: 7,
  length: 8,
  flow: 5,
  power: 6,
};

/** Returns the number of the `--series-n` token; chamber A is always 1 and chamber B always 2. */
export function seriesOf(channel: Pick<Channel, "name" | "quantity">): number {
  if (channel.name.endsWith(".p_A")) return 1;
  if (channel.name.endsWith(".p_B")) return 2;
  return BY_QUANTITY[channel.quantity] ?? 8;
}

export type Origin = "measured" | "estimated" | "simulated";

export const ORIGIN_WORDS: Record<Origin, string> = {
  measured: t("measured"),
  estimated: t("estimated"),
  simulated: t("simulated"),
};

/**
 * Returns the origin of the twin's value. For a sensor channel it is an estimate; the raw reading is shown next to it.
 */
export function originOf(role: Role): Origin {
  switch (role) {
    case "input":
      return "measured";
    case "model":
      return "simulated";
    case "sensor":
    case "estimate":
      return "estimated";
  }
}

/** Returns the origin of a value in a frame, from its flags. */
export function originIn(flags: number): Origin {
  if (flags & GIVEN) return "measured";
  return flags & FUSED ? "estimated" : "simulated";
}
