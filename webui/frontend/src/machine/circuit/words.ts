// Texts of the circuit.
import { formatCalmAge } from "../../format.ts";
import { t } from "../../words.ts";
import { ORIGIN_WORDS, type Origin } from "../series.ts";

export const WORDS = {
  units: (pressure: string, flow: string, force: string) =>
    t("Pressures in {pressure}, flows in {flow}, forces in {force}. Select a pressure to see its last minute.", {
      pressure,
      flow,
      force,
    }),
  hint: t("Hover or tap a part for details."),
  part: (name: string, value: string, origin: Origin, ageS: number | null) =>
    `${name}: ${value}, ${ORIGIN_WORDS[origin]}, ${ageS === null ? t("no data yet") : formatCalmAge(ageS)}`,
  notLive: (name: string) => t("{name}: no live value", { name }),
  full: (value: string) => t("0 to {value}", { value }),
};
