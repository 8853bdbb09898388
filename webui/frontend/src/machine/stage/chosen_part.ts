// Shows the selected part with its values, and a list for selecting parts without a pointer.
import { displayOf, formatCalmAge, formatNumber, withUnit } from "../../format.ts";
import { need, setIcon, setText } from "../../shell/dom.ts";
import { type Channel, type Frame, valueIn } from "../../socket/machine_messages.ts";
import { originIn } from "../series.ts";
import type { Status } from "../status.ts";
import type { Part } from "./part_list.ts";
import { WORDS } from "./words.ts";

interface Value {
  root: HTMLElement;
  number: Element;
  channel: Channel;
  index: number;
}

export class ChosenPart {
  private readonly list: HTMLSelectElement;
  private readonly host: HTMLElement;
  private readonly age: Element;
  private values: Value[] = [];

  /** chosen: called when a part was selected in the list; null if none is. */
  constructor(
    root: HTMLElement,
    private readonly parts: readonly Part[],
    private readonly channels: readonly Channel[],
    chosen: (part: Part | null) => void,
  ) {
    this.list = need<HTMLSelectElement>(root, ".stage-part-list");
    this.host = need(root, ".stage-part-values");
    this.age = need(root, ".stage-part-age");
    this.list.append(...[{ key: "", name: WORDS.noPart }, ...parts].map(({ key, name }) => new Option(name, key)));
    this.list.addEventListener("change", () => chosen(this.partOf(this.list.value)));
  }

  partOf(key: string | null): Part | null {
    return this.parts.find((part) => part.key === key) ?? null;
  }

  choose(part: Part | null): void {
    this.list.value = part?.key ?? "";
    setText(this.age, "");
    this.values = (part?.values ?? []).flatMap(({ mark, channel: name }) => {
      const index = this.channels.findIndex((channel) => channel.name === name);
      const channel = this.channels[index];
      return channel === undefined ? [] : [{ ...makeValue(mark), channel, index }];
    });
    this.host.replaceChildren(...this.values.map(({ root }) => root));
  }

  show(frame: Frame, status: Status, ageS: number | null): void {
    const alone = status === "coasting" || status === "stale";
    for (const { root, number, channel, index } of this.values) {
      const { factor, decimals, unit } = displayOf(channel.quantity, channel.unit);
      const origin = originIn(frame.flags[index] as number);
      setIcon(root, `mark-${alone && origin === "estimated" ? "simulated" : origin}`);
      setText(number, withUnit(formatNumber(valueIn(frame, index) * factor, decimals), unit));
    }
    if (this.values.length > 0) setText(this.age, ageS === null ? "–" : formatCalmAge(ageS));
  }
}

function makeValue(mark: string): { root: HTMLElement; number: Element } {
  const { content } = need<HTMLTemplateElement>(document, "#stage-value-template");
  const root = need<HTMLElement>(content.cloneNode(true) as DocumentFragment, ".stage-value");
  const letter = need(root, ".stage-value-mark");
  setText(letter, mark);
  letter.hidden = mark === "";
  root.dataset.chamber = mark;
  return { root, number: need(root, ".stage-value-number") };
}
