// Shows the efficiency in each load class: one row per class, with its time and energy.
import { formatAge, formatNumber } from "../format.ts";
import { need, setText } from "../shell/dom.ts";
import type { Frame } from "../socket/machine_messages.ts";
import { t } from "../words.ts";
import { type LoadClass, LoadClasses, type PowerChannels } from "./load_classes.ts";

const WORDS = {
  window: (seconds: number) =>
    t("Calculated from {time} of live data since this page was opened.", { time: formatAge(seconds) }),
  nothing: t("No data processed yet."),
};
/** Least energy, J, for which an efficiency is shown. */
const LEAST_J = 100;

export class EfficiencyPanel {
  private readonly classes: LoadClasses;
  private readonly rows: Element[];
  private readonly window: Element;

  constructor(root: HTMLElement, channels: PowerChannels) {
    this.classes = new LoadClasses(channels);
    this.rows = [...root.querySelectorAll("tbody tr")];
    this.window = need(root, ".efficiency-window");
  }

  take(frame: Frame): void {
    this.classes.take(frame);
  }

  show(): void {
    const { seconds } = this.classes;
    setText(this.window, seconds === 0 ? WORDS.nothing : WORDS.window(seconds));
    this.classes.classes.forEach((each, i) => showRow(this.rows[i] as Element, each));
  }
}

function showRow(row: Element, { seconds, inJ, outJ }: LoadClass): void {
  const percent = inJ < LEAST_J ? NaN : (100 * outJ) / inJ;
  setText(need(row, "[data-cell=time]"), seconds === 0 ? "–" : formatAge(seconds));
  setText(need(row, "[data-cell=in]"), seconds === 0 ? "–" : energy(inJ));
  setText(need(row, "[data-cell=out]"), seconds === 0 ? "–" : energy(outJ));
  setText(need(row, "[data-cell=efficiency]"), percentText(percent));
  need(row, ".efficiency-bar").setAttribute("width", Number.isNaN(percent) ? "0" : Math.min(100, percent).toFixed(0));
}

function percentText(percent: number): string {
  return Number.isNaN(percent) ? "–" : `${Math.round(percent)} %`;
}

function energy(joules: number): string {
  return joules < 1e6 ? `${formatNumber(joules / 1e3, 1)} kJ` : `${formatNumber(joules / 1e6, 2)} MJ`;
}
