// What is wrong beside the state itself, and since when: sensors, the filter, real time. A word each.
import { formatCalmAge } from "../format.ts";
import type { Finding } from "../socket/machine_messages.ts";
import { t, tn } from "../words.ts";
import type { Honesty } from "./health_panel.ts";
import { REALTIME_WORDS, type RealtimeState } from "./realtime_panel.ts";

export type Level = "ok" | "plan" | "off";

export interface Check {
  level: Level;
  words: string;
}

const FILTER_WORDS: Record<Honesty, string> = {
  unknown: t("Filter not judged yet"),
  honest: t("Filter honest"),
  sure: t("Filter too sure"),
  cautious: t("Filter cautious"),
};

/** Since when something has been as it is, by a clock in ms. */
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
  const named = findings.filter(({ channel }) => channel !== "");
  if (named.length === 0) return { level: "ok", words: t("Sensors sound") };
  const longest = Math.max(...named.map(({ since }) => Math.max(0, now - since) / 1e6));
  const age = formatCalmAge(longest);
  return {
    level: "plan",
    words: tn("{n} sensor left out for {age}", "{n} sensors left out for {age}", named.length, { age }),
  };
}

/** A cautious filter is no concern: it allows for errors that this machine does not have, and its bounds hold. */
export function filterCheck(honesty: Honesty, forS: number): Check {
  if (honesty === "honest" || honesty === "cautious") return { level: "ok", words: FILTER_WORDS[honesty] };
  if (honesty === "unknown") return { level: "off", words: FILTER_WORDS.unknown };
  return { level: "plan", words: t("{what} for {age}", { what: FILTER_WORDS[honesty], age: formatCalmAge(forS) }) };
}

export function realtimeCheck(realtime: RealtimeState, forS: number): Check {
  if (realtime === "kept") return { level: "ok", words: REALTIME_WORDS.kept };
  if (realtime === "unknown") return { level: "off", words: REALTIME_WORDS.unknown };
  return { level: "plan", words: t("{what} for {age}", { what: REALTIME_WORDS[realtime], age: formatCalmAge(forS) }) };
}
