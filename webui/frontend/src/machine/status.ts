// What can honestly be said about the twin right now. A status in a frame is only as good as the frame is fresh.
import { formatAge } from "../format.ts";
import type { Frame } from "../socket/machine_messages.ts";
import { t, tn, told } from "../words.ts";

export type Status = "waiting" | "synced" | "coasting" | "stale" | "failed";

export const STATUS_WORDS: Record<Status, string> = {
  waiting: t("Waiting"),
  synced: t("Synced"),
  coasting: t("Coasting"),
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
  outlying: t("outlying"),
};

/** Frames come about every 50 ms; silent for this long, the last one no longer speaks for the machine. */
const FRAME_SILENCE_S = 2;
/** Without a connection there is nothing to wait for. */
const LOST_SILENCE_S = 0.5;
/** As long as the platform lets a twin coast. */
const STALE_S = 5;

export interface Verdict {
  status: Status;
  /** Age of the last sample from the machine; null when there never was one. */
  ageS: number | null;
  sentence: string;
}

type FrameFacts = Pick<Frame, "status" | "reason" | "ts" | "tSample" | "received"> & Partial<Pick<Frame, "findings">>;

export function verdict(frame: FrameFacts | null, serverNowUs: number, connected = true): Verdict {
  if (frame === null) {
    const sentence = connected ? t("No data from this machine yet.") : t("Not connected yet.");
    return { status: "waiting", ageS: null, sentence };
  }
  const silence = secondsSince(frame.ts, serverNowUs);
  const ageS = frame.tSample === 0 ? null : secondsSince(frame.received, serverNowUs);
  if (frame.status === "failed") {
    return { status: "failed", ageS, sentence: told(frame.reason) || t("The twin stopped; no reason was given.") };
  }
  if (ageS === null) return { status: "waiting", ageS, sentence: t("No data from this machine yet.") };
  if (!connected && silence >= LOST_SILENCE_S) {
    return { status: "stale", ageS, sentence: t("Nothing received for {age}.", { age: formatAge(silence) }) };
  }
  if (frame.status === "stale" || ageS >= STALE_S) {
    return { status: "stale", ageS, sentence: t("No data for {age}.", { age: formatAge(ageS) }) };
  }
  if (silence >= FRAME_SILENCE_S) {
    return { status: "stale", ageS, sentence: t("The twin has sent nothing for {age}.", { age: formatAge(silence) }) };
  }
  if (frame.status === "coasting") {
    return {
      status: "coasting",
      ageS,
      sentence: t("No data for {age}; the model runs on alone.", { age: formatAge(ageS) }),
    };
  }
  return { status: "synced", ageS, sentence: followed(frame.findings ?? []) };
}

/** A twin that follows with fewer eyes says so. */
function followed(findings: Frame["findings"]): string {
  const left = findings.filter(({ channel }) => channel !== "").length;
  if (left === 0) return t("The twin follows the machine.");
  return tn(
    "The twin follows the machine without one sensor.",
    "The twin follows the machine without {n} sensors.",
    left,
  );
}

function secondsSince(thenUs: number, nowUs: number): number {
  return Math.max(0, (nowUs - thenUs) / 1e6);
}
