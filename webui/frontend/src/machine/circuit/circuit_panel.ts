// The live hydraulic circuit: shows pressures as colours and numbers, flows as arrows, and positions of spools and
// pistons.
import { displayOf, formatBand, formatCalmAge, formatNumber, withUnit, Z95 } from "../../format.ts";
import { need, setData, setIcon, setText } from "../../shell/dom.ts";
import { type Channel, type Frame, SIGMA, valueIn } from "../../socket/machine_messages.ts";
import { type Origin, originIn } from "../series.ts";
import type { Status } from "../status.ts";
import { directionOf, levelOf, openingOf } from "./levels.ts";
import { WORDS } from "./words.ts";
import { Zoom } from "./zoom.ts";

/** How pistons are drawn, px: retracted position and travel. */
const TRAVEL: Record<string, { from: number; by: number }> = {
  cylinder: { from: -38, by: 36 },
  "cylinder-short": { from: -24, by: 20 },
};

/** Highest pressure of the supply, and the constant pressures by name, Pa. */
export interface Pressures {
  full: number;
  sources: Record<string, number>;
}

interface Part {
  element: SVGElement;
  name: string;
  index: number; // of its channel; -1: none
}

interface Badge extends Part {
  number: Element;
  wires: SVGElement[];
}

interface Travelling extends Part {
  piston: Element;
  kind: string;
  low: number;
  high: number;
}

export class CircuitPanel {
  private readonly badges: Badge[] = [];
  private readonly arrows: Part[] = [];
  private readonly readings: Part[] = [];
  private readonly valves: Part[] = [];
  private readonly cylinders: Travelling[] = [];
  private readonly parts: Part[] = [];
  private readonly readout: Element;
  private readonly age: Element;
  private pointed: Part | null = null;

  /** open: called when the pressure of a channel was chosen. */
  constructor(
    private readonly root: HTMLElement,
    private readonly channels: readonly Channel[],
    private readonly pressures: Pressures,
    private readonly open: (channel: string) => void,
  ) {
    this.readout = need(root, ".circuit-readout");
    this.age = need(root, ".circuit-age-value");
    const { factor, unit } = displayOf("pressure", "Pa");
    setText(need(root, ".circuit-full"), WORDS.full(`${Math.round(pressures.full * factor)} ${unit}`));
    const unitOf = (quantity: string) => displayOf(quantity, "").unit;
    setText(need(root, ".circuit-hint"), WORDS.units(unitOf("pressure"), unitOf("flow"), unitOf("force")));
    this.collect();
    for (const [node, pressure] of Object.entries(pressures.sources)) {
      for (const wire of this.wiresOf(node)) wire.dataset.level = String(levelOf(pressure, pressures.full));
    }
    new Zoom(need(root, ".circuit-frame"), need<SVGSVGElement>(root, ".circuit-drawing"), need(root, ".circuit-tools"));
  }

  show(frame: Frame, status: Status, ageS: number | null): void {
    setData(this.root, "state", status);
    const alone = status === "coasting" || status === "stale";
    for (const badge of this.badges) this.showPressure(badge, frame, alone);
    for (const { element, index } of this.arrows)
      setAttribute(element, "data-flow", directionOf(valueIn(frame, index)));
    for (const { element, index } of this.readings) setText(element, this.number(frame, index));
    for (const { element, index } of this.valves) {
      setAttribute(element, "data-open", openingOf(valueIn(frame, index), Number(element.dataset.high)));
    }
    for (const cylinder of this.cylinders) showTravel(cylinder, valueIn(frame, cylinder.index));
    setText(this.age, ageS === null ? "–" : formatCalmAge(ageS));
    if (this.pointed !== null) setText(this.readout, this.inWords(this.pointed, frame, alone, ageS));
  }

  private collect(): void {
    const all = <T extends SVGElement>(selector: string) => [...this.root.querySelectorAll<T>(selector)];
    for (const element of all(".c-badge")) this.addBadge(this.part(element));
    for (const element of all(".c-arrow")) this.arrows.push(this.part(element));
    for (const element of all(".c-reading")) this.readings.push(this.part(element));
    for (const element of all(".c-symbol")) {
      const part = this.part(element);
      this.parts.push(part);
      const { kind = "", low, high } = element.dataset;
      if (kind === "directional") this.valves.push(part);
      if (kind in TRAVEL) {
        const piston = need(element, ".c-piston");
        this.cylinders.push({ ...part, piston, kind, low: Number(low), high: Number(high) });
      }
    }
    for (const part of [...this.badges, ...this.parts]) this.listen(part);
  }

  private part(element: SVGElement): Part {
    const index = this.channels.findIndex(({ name }) => name === element.dataset.channel);
    return { element, name: element.querySelector("title")?.textContent ?? "", index };
  }

  private addBadge(part: Part): void {
    const { element, index } = part;
    const wires = this.wiresOf(element.dataset.node ?? "");
    this.badges.push({ ...part, number: need(element, ".c-number"), wires });
    const channel = this.channels[index];
    if (channel === undefined) return;
    const choose = () => this.open(channel.name);
    element.addEventListener("click", choose);
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose();
    });
  }

  private wiresOf(node: string): SVGElement[] {
    const name = CSS.escape(node);
    return [...this.root.querySelectorAll<SVGElement>(`.c-wire[data-node="${name}"], .c-joint[data-node="${name}"]`)];
  }

  private listen(part: Part): void {
    const enter = () => (this.pointed = part);
    const leave = () => {
      this.pointed = null;
      setText(this.readout, WORDS.hint);
    };
    part.element.addEventListener("pointerenter", enter);
    part.element.addEventListener("focus", enter);
    part.element.addEventListener("pointerleave", leave);
    part.element.addEventListener("blur", leave);
  }

  private showPressure({ element, index, number, wires }: Badge, frame: Frame, alone: boolean): void {
    const value = valueIn(frame, index);
    setText(number, this.number(frame, index));
    const level = String(levelOf(value, this.pressures.full));
    if (element.dataset.level !== level) for (const part of [element, ...wires]) part.dataset.level = level;
    setIcon(element, `mark-${originAt(frame, index, alone)}`);
  }

  private number(frame: Frame, index: number): string {
    const channel = this.channels[index];
    if (channel === undefined) return "–";
    const { factor, decimals } = displayOf(channel.quantity, channel.unit);
    return formatNumber(valueIn(frame, index) * factor, Math.min(1, decimals));
  }

  private numberWithUnit(frame: Frame, index: number): string {
    const channel = this.channels[index];
    return channel === undefined
      ? "–"
      : withUnit(this.number(frame, index), displayOf(channel.quantity, channel.unit).unit);
  }

  private inWords({ name, index }: Part, frame: Frame, alone: boolean, ageS: number | null): string {
    const channel = this.channels[index];
    if (channel === undefined) return WORDS.notLive(name);
    const { factor, decimals } = displayOf(channel.quantity, channel.unit);
    const sure = (frame.flags[index] as number) & SIGMA;
    const band = sure ? ` ${formatBand(Z95 * (frame.sigma[index] as number) * factor, decimals)}` : "";
    return WORDS.part(name, this.numberWithUnit(frame, index) + band, originAt(frame, index, alone), ageS);
  }
}

/** Returns the origin of a value; without data the model only simulates. */
function originAt(frame: Frame, index: number, alone: boolean): Origin {
  const origin = originIn(frame.flags[index] ?? 0);
  return alone && origin === "estimated" ? "simulated" : origin;
}

function showTravel({ piston, kind, low, high }: Travelling, length: number): void {
  if (Number.isNaN(length)) return;
  const { from, by } = TRAVEL[kind] as { from: number; by: number };
  const share = Math.min(1, Math.max(0, (length - low) / (high - low)));
  setAttribute(piston, "transform", `translate(${(from + by * share).toFixed(1)})`);
}

function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
