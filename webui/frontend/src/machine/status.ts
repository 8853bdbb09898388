// Determines the present status of the twin. The status in a frame is valid only while the frame is fresh.
import { formatAge } from "../format.ts";
import { render } from "../messages.ts";
import type { Frame } from "../socket/machine_messages.ts";
import { t } from "../words.ts";

export type Status = "waiting" | "synced" | "coasting" | "stale" | "failed";

export const STATUS_WORDS: Record<Status, string> = {
  waiting: t("Waiting"),
  synced: t("Synced"),
  coasting: t("Predicting"),
  stale: t("Stale"),
  failed: t("Failed"),
};

export const STATUS_ICONS: Record<Status, string> = {
  waiting: "icon-waiting",
  synced: "icon-synced",
  coasting: "icon-coasting",
  stale: "icon-stale",
  failed: "icon-failed",
};

/** Kinds of findings about a sensor. */
export const FINDING_WORDS: Record<string, string> = {
  silent: t("silent"),
  stuck: t("stuck"),
  biased: t("biased"),
  disagrees: t("disagrees"),
  outlying: t("outlying"),
};

/** Kinds of findings that the twin allows for: no sensor is excluded (simcore/estimate/monitor/finding.py). */
const NOTES = new Set(["quantised", "offset", "cause"]);

/** Returns the findings about sensors that the twin excludes. */
export function exclusions<T extends { kind: string; channel: string }>(findings: readonly T[]): T[] {
  return findings.filter(({ kind, channel }) => channel !== "" && !NOTES.has(kind));
}

/** Frames arrive about every 50 ms; after this time, s, the last one is out of date. */
const FRAME_SILENCE_S = 2;
/** Time, s, after which the last frame is out of date if there is no connection. */
const LOST_SILENCE_S = 0.5;
/** Time, s, for which the platform lets a twin predict without data. */
const STALE_S = 5;

export interface Verdict {
  status: Status;
  /** Age of the last sample from the machine; null if there was none. */
  ageS: number | null;
  sentence: string;
}

type FrameFacts = Pick<Frame, "status" | "ts" | "tSample" | "received"> &
  Partial<Pick<Frame, "findings" | "code" | "values" | "failures" | "retryS">>;

export function verdict(frame: FrameFacts | null, serverNowUs: number, connected = true): Verdict {
  if (frame === null) {
    const sentence = connected ? t("No data from this machine yet.") : t("Not connected to the server yet.");
    return { status: "waiting", ageS: null, sentence };
  }
  const silence = secondsSince(frame.ts, serverNowUs);
  const ageS = frame.tSample === 0 ? null : secondsSince(frame.received, serverNowUs);
  if (frame.status === "failed") {
    return { status: "failed", ageS, sentence: failureText(frame) };
  }
  if (ageS === null) return { status: "waiting", ageS, sentence: t("No data from this machine yet.") };
  if (!connected && silence >= LOST_SILENCE_S) {
    const sentence = t("Nothing received from the server for {age}.", { age: formatAge(silence) });
    return { status: "stale", ageS, sentence };
  }
  if (frame.status === "stale" || ageS >= STALE_S) {
    const sentence = frame.code ? render(frame.code, frame.values) : render("status.silent", { age: ageS });
    return { status: "stale", ageS, sentence };
  }
  if (silence >= FRAME_SILENCE_S) {
    return { status: "stale", ageS, sentence: t("No update from the twin for {age}.", { age: formatAge(silence) }) };
  }
  if (frame.status === "coasting") {
    return { status: "coasting", ageS, sentence: render("status.predicting", { age: ageS }) };
  }
  return { status: "synced", ageS, sentence: followed(frame.findings ?? []) };
}

/** Says what stopped the twin, with the code that leads to the technical detail, and when it tries again. */
function failureText({ code, values, failures = 0, retryS = 0 }: FrameFacts): string {
  const known = code || "twin.stopped";
  const text = `${render(known, values)} (${known})`;
  return failures < 2 ? text : `${text}. ${render("twin.retry", { count: failures, retry: retryS })}`;
}

/** Describes a twin that follows its machine, with the sensors that it ignores. */
function followed(findings: Frame["findings"]): string {
  const count = exclusions(findings).length;
  return count === 0 ? render("status.well") : render("status.excluded", { count });
}

function secondsSince(thenUs: number, nowUs: number): number {
  return Math.max(0, (nowUs - thenUs) / 1e6);
}
