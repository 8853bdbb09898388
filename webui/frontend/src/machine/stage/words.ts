// Texts of the stage.
import { formatAge } from "../../format.ts";
import { t } from "../../words.ts";
import type { ColourBy } from "./colouring.ts";

export const WORDS = {
  noWebGL: t("3D view not available: this browser offers no WebGL. Values and strips go on."),
  waiting: t("Waiting for the first pose"),
  stopped: t("The twin stopped: the last known pose"),
  guessed: (ageS: number) => t("No data for {age}: the pose is the model's guess", { age: formatAge(ageS) }),
  scale: {
    none: () => "",
    force: () => t("0 to 100 % of full force"),
    pressure: (full: string) => t("chambers 0 to {full}", { full }),
  } satisfies Record<ColourBy, (full: string) => string>,
  noPart: t("No part chosen"),
};
