// Steps and texts of the tour.
import { t } from "../words.ts";

export interface Step {
  page: "fleet" | "machine";
  /** The element that the step explains; the step is skipped if the page does not contain it. */
  anchor: string;
  title: string;
  text: string;
}

export const WORDS = {
  back: t("Back"),
  next: t("Next"),
  toMachine: t("Open the machine"),
  done: t("Done"),
  end: t("End the tour"),
};
export const countWords = (step: number, steps: number) => t("Step {step} of {steps}", { step, steps });

export const STEPS: readonly Step[] = [
  {
    page: "fleet",
    anchor: "[data-tour=summary]",
    title: t("What needs attention?"),
    text: t(
      "Every machine has one of four levels: act now, schedule, stale (no data) or OK. Select a level to see only its machines.",
    ),
  },
  {
    page: "fleet",
    anchor: "[data-tour=rows] .row:not([hidden])",
    title: t("The most urgent machine comes first"),
    text: t(
      "Each row shows the reason for the level, the age of the data, the load over the last ten minutes, the hours with data, and the fuel or energy used. Rows are updated twice a second.",
    ),
  },
  {
    page: "fleet",
    anchor: "[data-tour=filters]",
    title: t("Search and sort"),
    text: t(
      "Search by name, kind or site, and choose an order. The address of the page contains these choices: to share the view, send the address to a colleague.",
    ),
  },
  {
    page: "fleet",
    anchor: "[data-tour=views]",
    title: t("Saved views"),
    text: t("Save filters, order and layout under a name."),
  },
  {
    page: "fleet",
    anchor: "[data-tour=plan]",
    title: t("Your sites on a plan"),
    text: t("The site plan shows where machines are and which site has a problem. Click a site to filter the list."),
  },
  {
    page: "fleet",
    anchor: "[data-tour=units]",
    title: t("Units"),
    text: t("Switch between metric and US units on every page. Your account remembers the choice."),
  },
  {
    page: "machine",
    anchor: ".verdict",
    title: t("Can you trust this page now?"),
    text: t(
      "The status shows whether the values are current. Synced: the twin follows the machine. Predicting: there is a short gap in the data. Stale: there is no data. Faults are listed under the status.",
    ),
  },
  {
    page: "machine",
    anchor: ".stage",
    title: t("The machine in its current pose"),
    text: t(
      "The picture is drawn from the machine's model and moved by its twin. To turn the picture, drag it or use the arrow keys.",
    ),
  },
  {
    page: "machine",
    anchor: ".machine-now .tiles, .tiles",
    title: t("Measured, estimated, simulated"),
    text: t(
      "Filled dot: measured. Half-filled dot: estimated by the twin, with a 95 % band. Hollow dot: simulated. The age of every value is shown.",
    ),
  },
  {
    page: "machine",
    anchor: ".strips",
    title: t("The last minute"),
    text: t(
      "Points are readings, the line with the band is the twin, and the dashed line is the uncorrected model. Where the twin and the dashed line separate, the machine differs from its model.",
    ),
  },
  {
    page: "machine",
    anchor: ".consistency",
    title: t("Sensor residuals: find a faulty sensor"),
    text: t(
      "The charts show how far each reading is from the expected value, in standard deviations. A sensor that stays outside the limits is reported and excluded.",
    ),
  },
  {
    page: "machine",
    anchor: "[data-tour=help]",
    title: t("End of the tour"),
    text: t(
      "Under Help you find guides for managers, customers, maintenance and engineers. You can also start this tour again there.",
    ),
  },
];
