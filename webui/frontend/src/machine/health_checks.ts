// Short texts about sensors, filter and real time, which say since when something has been wrong.
import { formatCalmAge } from "../format.ts";
import { render } from "../messages.ts";
import type { Finding } from "../socket/machine_messages.ts";
import { t } from "../words.ts";
import type { Consistency } from "./health_panel.ts";
import { REALTIME_WORDS, type RealtimeState } from "./realtime_panel.ts";
import { exclusions } from "./status.ts";

export type Level = "ok" | "plan" | "off";

export interface Check {
  level: Level;
  words: string;
}

/** Codes of messages, as defined by health_code in simcore/estimate/monitor/finding.py. */
const HEALTH_CODES: Record<Consistency, string> = {
  unknown: "health.unknown",
  reliable: "health.reliable",
  unfit: "health.unfit",
  cautious: "health.cautious",
};

/** Measures for how long a value has stayed the same. */
export class Since {
  private what = "";
  private at = 0;

  take(what: string, nowMs: number): number {
    if (what !== this.what) {
      this.what = what;
      this.at = nowMs;
    }
    return (nowMs - this.at) / 1000;
  }
}

/** now: machine time of the frame, µs. */
export function sensorCheck(findings: readonly Finding[], now: number): Check {
  const named = exclusions(findings);
  if (named.length === 0) return { level: "ok", words: t("Sensors OK") };
  const longest = Math.max(...named.map(({ since }) => Math.max(0, now - since) / 1e6));
  const age = formatCalmAge(longest);
  return {
    level: "plan",
    words: t("{what} for {age}", { what: render("health.excluded", { count: named.length }), age }),
  };
}

/**
 * Describes the filter. A cautious filter is fine: it allows for errors that this machine does not have, and its bounds
 * are valid.
 */
export function filterCheck(consistency: Consistency, forS: number): Check {
  const words = render(HEALTH_CODES[consistency]);
  if (consistency === "reliable" || consistency === "cautious") return { level: "ok", words };
  if (consistency === "unknown") return { level: "off", words };
  return { level: "plan", words: t("{what} for {age}", { what: words, age: formatCalmAge(forS) }) };
}

export function realtimeCheck(realtime: RealtimeState, forS: number): Check {
  if (realtime === "kept") return { level: "ok", words: REALTIME_WORDS.kept };
  if (realtime === "unknown") return { level: "off", words: REALTIME_WORDS.unknown };
  return { level: "plan", words: t("{what} for {age}", { what: REALTIME_WORDS[realtime], age: formatCalmAge(forS) }) };
}
