// Texts of the stage.
import { formatAge } from "../../format.ts";
import { t } from "../../words.ts";
import type { ColourBy } from "./colouring.ts";

export const WORDS = {
  noWebGL: t("The 3D view needs WebGL 2, which this browser does not support. Values and charts still work."),
  waiting: t("Waiting for the first data"),
  stopped: t("The twin stopped. This is its last pose."),
  guessed: (ageS: number) => t("No data for {age}. The pose is predicted.", { age: formatAge(ageS) }),
  scale: {
    none: () => "",
    force: () => t("0 to 100 % of full force"),
    pressure: (full: string) => t("chamber pressure 0 to {full}", { full }),
  } satisfies Record<ColourBy, (full: string) => string>,
  noPart: t("Select a part"),
};
