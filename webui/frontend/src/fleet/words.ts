// Texts of the fleet page.
import { clockText } from "../messages.ts";
import type { LiveRow } from "../socket/fleet_messages.ts";
import { t } from "../words.ts";

export const LEVEL_WORDS = { act: t("Act now"), plan: t("Schedule"), stale: t("Stale"), ok: t("OK") } as const;

export const STATE_WORDS: Record<string, string> = {
  synced: t("Synced"),
  coasting: t("Predicting"),
  stale: t("Stale"),
  failed: t("Failed"),
  waiting: t("Waiting"),
  unknown: t("Unknown"),
};

export const LIVE_WORDS = {
  connecting: t("Connecting to the twins."),
  live: t("Live: updated twice a second."),
  away: t("Live updates have stopped."),
};

export const shownWords = (shown: number, total: number) => t("{shown} of {total} machines shown", { shown, total });
/** Says what is wrong, since when in the reader's local time, and what to do. */
export function reasonWords({ text, more, sinceUs }: Pick<LiveRow, "text" | "more" | "sinceUs">): string {
  const dated = sinceUs === 0 ? text : t("{text}, since {clock}", { text, clock: clockText(sinceUs) });
  return more === "" ? dated : `${dated}. ${more}`;
}

export const turnedWords = (name: string, text: string) => `${name}: ${text}`;
