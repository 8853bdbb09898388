// Steps and texts of the tour.
import { t } from "../words.ts";

export interface Step {
  page: "fleet" | "machine";
  /** The element that the step explains; a step without its anchor on the page is skipped. */
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
    title: t("Who needs you now?"),
    text: t(
      "Every machine is on one of four levels: act, plan, stale (no data) or OK. Choose one to see only those machines.",
    ),
  },
  {
    page: "fleet",
    anchor: "[data-tour=rows] .row:not([hidden])",
    title: t("The most urgent comes first"),
    text: t(
      "Each row says in words why the machine is on its level, how old its data are, its load over ten minutes, hours and energy. States arrive by themselves, twice a second.",
    ),
  },
  {
    page: "fleet",
    anchor: "[data-tour=filters]",
    title: t("Find and order"),
    text: t(
      "Search by name, kind or site, and choose an order. The address of the page holds all of it, so you can send it to a colleague.",
    ),
  },
  {
    page: "fleet",
    anchor: "[data-tour=views]",
    title: t("Views to come back to"),
    text: t("Save filters, order and layout under a name of your own."),
  },
  {
    page: "fleet",
    anchor: "[data-tour=plan]",
    title: t("Your sites on a plan"),
    text: t("The site plan shows where machines are and which site has a problem. A click on a site filters the list."),
  },
  {
    page: "fleet",
    anchor: "[data-tour=units]",
    title: t("Units"),
    text: t("Switch between metric and US units on every page. The choice stays with your account."),
  },
  {
    page: "machine",
    anchor: ".verdict",
    title: t("The verdict"),
    text: t(
      "Is the picture true now? Synced: the twin follows the machine. Coasting: a pause in the data. Stale: no data. Below it stands what is wrong, sensor by sensor.",
    ),
  },
  {
    page: "machine",
    anchor: ".stage",
    title: t("The machine as it stands"),
    text: t("Drawn from its own description and moved by its twin. Drag to turn it, or use the arrow keys."),
  },
  {
    page: "machine",
    anchor: ".machine-now .tiles, .tiles",
    title: t("Measured, estimated, simulated"),
    text: t(
      "A filled dot is measured, a half dot estimated by the twin with its 95 % band, a hollow dot simulated only. Every value says how old it is.",
    ),
  },
  {
    page: "machine",
    anchor: ".strips",
    title: t("The last minute"),
    text: t(
      "Points are readings, the line with its band is the twin, the dashed line is the model left alone. Where they part, something differs from the model.",
    ),
  },
  {
    page: "machine",
    anchor: ".honesty",
    title: t("Innovations: what fails"),
    text: t(
      "How far each reading is from what the twin expected, in standard deviations. A sensor that leaves the band for good is named and left out.",
    ),
  },
  {
    page: "machine",
    anchor: "[data-tour=help]",
    title: t("That was it"),
    text: t("Guides for managers, customers, maintenance and engineers are under Help; so is this tour."),
  },
];
