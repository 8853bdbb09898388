// What a sensor has, in a word.
import { t } from "../words.ts";

export const KIND_WORDS: Record<string, string> = {
  silent: t("silent"),
  stuck: t("stuck"),
  biased: t("biased"),
  outlying: t("outlying"),
};
