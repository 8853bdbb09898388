// One quantity: the twin's number with its uncertainty, the raw reading where a sensor exists, and how old it is.
import { Z95, displayOf, formatBand, formatCalmAge, formatNumber, withUnit, type Display } from "../format.ts";
import { seriesOf } from "../live/series.ts";
import type { Status } from "../live/status.ts";
import { MEASURED, SIGMA, VALUE, type Channel, type Frame } from "../live/wire.ts";
import { need, setData, setText } from "../shell/dom.ts";

export class Tile {
  private readonly display: Display;
  private readonly number: Element;
  private readonly unit: Element;
  private readonly band: Element;
  private readonly reading: HTMLElement | null;
  private readonly age: Element;

  constructor(
    private readonly root: HTMLElement,
    channel: Channel,
    private readonly index: number,
  ) {
    this.display = displayOf(channel.quantity, channel.unit);
    this.number = need(root, ".tile-number");
    this.unit = need(root, ".tile-unit");
    this.band = need(root, ".tile-band");
    this.reading = root.querySelector<HTMLElement>(".tile-reading-value");
    this.age = need(root, ".tile-age");
    setData(root, "series", String(seriesOf(channel)));
    setText(this.unit, this.display.unit);
    this.unit.classList.toggle("is-tight", this.display.unit.startsWith("°"));
  }

  show(frame: Frame, status: Status, ageS: number | null): void {
    const { factor, decimals, unit } = this.display;
    const flags = frame.flags[this.index] as number;
    const value = flags & VALUE ? (frame.value[this.index] as number) * factor : NaN;
    setText(this.number, formatNumber(value, decimals));
    setText(this.band, flags & SIGMA ? formatBand(Z95 * (frame.sigma[this.index] as number) * factor, decimals) : "");
    if (this.reading !== null) {
      const reading = flags & MEASURED ? (frame.measured[this.index] as number) * factor : NaN;
      setText(this.reading, withUnit(formatNumber(reading, decimals), unit));
    }
    this.showAge(status, ageS);
  }

  /** An estimate is as old as the newest reading it rests on. */
  showAge(status: Status, ageS: number | null): void {
    setData(this.root, "state", status);
    setText(this.age, ageS === null ? "–" : formatCalmAge(ageS));
  }
}
