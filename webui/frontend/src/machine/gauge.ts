// A gauge: a tile with a needle and red zones.

import { displayOf, withUnit } from "../format.ts";
import { render } from "../messages.ts";
import { need, setData, setText } from "../shell/dom.ts";
import { type Channel, type Frame, valueIn } from "../socket/machine_messages.ts";
import { needleAngle, type Range, shortNumber, zoneOf } from "./gauge_scale.ts";
import type { Status } from "./status.ts";
import { Tile } from "./tile.ts";

export class Gauge {
  private readonly tile: Tile;
  private readonly needle: Element;
  private readonly doubt: Element;
  private readonly name: string;
  private readonly range: Range;
  private readonly zones: Range[];

  constructor(
    private readonly root: HTMLElement,
    channel: Channel,
    private readonly index: number,
  ) {
    this.tile = new Tile(root, channel, index);
    this.needle = need(root, ".gauge-needle");
    this.doubt = need(root, ".gauge-doubt");
    this.name = channel.name;
    this.range = [Number(root.dataset.low), Number(root.dataset.high)];
    const { factor, unit, decimals } = displayOf(channel.quantity, channel.unit);
    const ends = root.querySelectorAll(".gauge-end");
    this.range.forEach((end, i) => setText(ends[i] as Element, withUnit(shortNumber(end * factor, decimals), unit)));
    this.zones = JSON.parse(root.dataset.zones || "[]") as Range[];
  }

  show(frame: Frame, status: Status, ageS: number | null): void {
    this.tile.show(frame, status, ageS);
    const value = valueIn(frame, this.index);
    const turn = `rotate(${needleAngle(value, this.range).toFixed(1)})`;
    if (this.needle.getAttribute("transform") !== turn) this.needle.setAttribute("transform", turn);
    setData(this.root, "zone", zoneOf(value, this.zones));
    const doubt = frame.doubts.find(({ channel }) => channel === this.name);
    setData(this.root, "doubt", doubt === undefined ? "" : "yes");
    setText(this.doubt, doubt === undefined ? "" : render(doubt.code, doubt.values));
  }

  showPaused(seconds: number): void {
    this.tile.showPaused(seconds);
  }
}
