// Texts of the stage.
import { formatAge } from "../../format.ts";
import { t } from "../../words.ts";
import type { ColourBy } from "./colouring.ts";

export const WORDS = {
  noWebGL: t("3D view not available: this browser has no WebGL 2. Values and charts still work."),
  waiting: t("Waiting for the first pose"),
  stopped: t("The twin stopped: last known pose"),
  guessed: (ageS: number) => t("No data for {age}: predicted pose", { age: formatAge(ageS) }),
  scale: {
    none: () => "",
    force: () => t("0 to 100 % of full force"),
    pressure: (full: string) => t("chambers 0 to {full}", { full }),
  } satisfies Record<ColourBy, (full: string) => string>,
  noPart: t("Select a part"),
};
