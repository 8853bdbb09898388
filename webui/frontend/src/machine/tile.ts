// A tile shows one quantity with its uncertainty, the raw reading if there is a sensor, and its age.
import { type Display, displayOf, formatBand, formatCalmAge, formatNumber, withUnit, Z95 } from "../format.ts";
import { need, setData, setIcon, setText } from "../shell/dom.ts";
import { type Channel, type Frame, MEASURED, SIGMA, VALUE } from "../socket/machine_messages.ts";
import { t } from "../words.ts";
import { originIn, seriesOf } from "./series.ts";
import type { Status } from "./status.ts";
import { exclusions, FINDING_WORDS } from "./status.ts";

export class Tile {
  private readonly display: Display;
  private readonly number: Element;
  private readonly unit: Element;
  private readonly band: Element;
  private readonly reading: HTMLElement | null;
  private readonly age: Element;
  private readonly pausedWord: HTMLElement;

  constructor(
    private readonly root: HTMLElement,
    private readonly channel: Channel,
    private readonly index: number,
  ) {
    this.display = displayOf(channel.quantity, channel.unit);
    this.number = need(root, ".tile-number");
    this.unit = need(root, ".tile-unit");
    this.band = need(root, ".tile-band");
    this.reading = root.querySelector<HTMLElement>(".tile-reading-value");
    this.age = need(root, ".tile-age-value");
    this.pausedWord = need(root, ".tile-paused");
    setData(root, "series", String(seriesOf(channel)));
    setText(this.unit, this.display.unit);
    const readingUnit = root.querySelector(".tile-reading-unit");
    if (readingUnit !== null) setText(readingUnit, withUnit("", this.display.unit));
    this.unit.classList.toggle("is-tight", this.display.unit.startsWith("°"));
  }

  show(frame: Frame, status: Status, ageS: number | null): void {
    const { factor, decimals } = this.display;
    const flags = frame.flags[this.index] as number;
    const value = flags & VALUE ? (frame.value[this.index] as number) * factor : NaN;
    setText(this.number, formatNumber(value, decimals));
    setText(this.band, flags & SIGMA ? formatBand(Z95 * (frame.sigma[this.index] as number) * factor, decimals) : "");
    if (this.reading !== null) {
      const reading = flags & MEASURED ? (frame.measured[this.index] as number) * factor : NaN;
      setText(this.reading, formatNumber(reading, decimals));
    }
    this.showNamed(frame);
    this.showOrigin(flags, status);
    this.showAge(status, ageS);
  }

  /** Marks the reading of a sensor that the twin ignores. */
  private showNamed(frame: Frame): void {
    const finding = exclusions(frame.findings).find(({ channel }) => channel === this.channel.name);
    setData(this.root, "named", finding?.kind ?? "");
    const word = this.root.querySelector(".tile-measured");
    if (word !== null)
      setText(word, `${finding === undefined ? t("measured") : (FINDING_WORDS[finding.kind] ?? finding.kind)} `);
  }

  /** Shows for how long the numbers have been held. */
  showPaused(seconds: number): void {
    this.pausedWord.hidden = false;
    this.root.toggleAttribute("data-paused", true);
    setText(this.age, t("{age} ago", { age: formatCalmAge(seconds) }));
  }

  /** Shows the age; an estimate is as old as the newest reading on which it is based. */
  private showAge(status: Status, ageS: number | null): void {
    setData(this.root, "state", status);
    this.pausedWord.hidden = true;
    this.root.toggleAttribute("data-paused", false);
    setText(this.age, ageS === null ? "–" : formatCalmAge(ageS));
  }

  /** Shows the origin of the value; without data the model only simulates. */
  private showOrigin(flags: number, status: Status): void {
    const origin = originIn(flags);
    const alone = origin === "estimated" && (status === "coasting" || status === "stale");
    setIcon(this.root, `mark-${alone ? "simulated" : origin}`);
  }
}
