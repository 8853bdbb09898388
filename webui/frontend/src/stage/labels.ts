// Names and numbers that follow the parts of the machine, as text over the stage.
import { Vector3 } from "three";
import { displayOf, formatNumber, withUnit } from "../format.ts";
import { originOf, type Origin } from "../live/series.ts";
import { VALUE, type Channel, type Frame } from "../live/wire.ts";
import { need, setText } from "../shell/dom.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

interface Part {
  root: HTMLElement;
  values: Array<{ element: Element; channel: Channel; index: number }>;
  locate(out: Vector3): Vector3;
}

export class Labels {
  private readonly parts: Part[] = [];
  private readonly point = new Vector3();

  constructor(
    private readonly host: HTMLElement,
    private readonly stage: Stage,
    scene: Scene,
    private readonly channels: readonly Channel[],
  ) {
    scene.bodies.forEach((body, i) => {
      this.add(body.name, [["", body.joint.channel]], "above", (out) => stage.rig.bodyPoint(i, out));
    });
    scene.cylinders.forEach((cylinder, i) => {
      const { p_A, p_B } = cylinder.channels;
      const chambers: Array<[string, string]> = [["A", p_A], ["B", p_B]];
      this.add(cylinder.name, chambers, "below", (out) => stage.rig.cylinderPoint(i, out));
    });
  }

  show(frame: Frame): void {
    for (const { values } of this.parts) {
      for (const { element, channel, index } of values) {
        const { factor, decimals, unit } = displayOf(channel.quantity, channel.unit);
        const known = ((frame.flags[index] as number) & VALUE) !== 0;
        const number = formatNumber(known ? (frame.value[index] as number) * factor : NaN, Math.min(1, decimals));
        setText(element, withUnit(number, unit));
      }
    }
  }

  /** Follows the parts; call after the stage was drawn. */
  place(): void {
    if (this.host.hidden) return;
    for (const { root, locate } of this.parts) {
      const { x, y } = this.stage.project(locate(this.point));
      root.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }

  private add(name: string, values: Array<[string, string]>, side: string, locate: Part["locate"]): void {
    const template = need<HTMLTemplateElement>(document, "#stage-label-template");
    const root = need<HTMLElement>(template.content.cloneNode(true) as DocumentFragment, ".stage-label");
    root.dataset.side = side;
    setText(need(root, ".stage-label-name"), name);
    const part: Part = { root, values: [], locate };
    for (const [mark, channelName] of values) {
      const index = this.channels.findIndex((channel) => channel.name === channelName);
      const channel = this.channels[index];
      if (channel !== undefined) part.values.push({ element: this.addValue(root, mark, channel), channel, index });
    }
    this.parts.push(part);
    this.host.append(root);
  }

  private addValue(root: HTMLElement, mark: string, channel: Channel): Element {
    const template = need<HTMLTemplateElement>(document, "#stage-value-template");
    const value = need<HTMLElement>(template.content.cloneNode(true) as DocumentFragment, ".stage-value");
    const origin: Origin = originOf(channel.role);
    need(value, "use").setAttribute("href", `#mark-${origin}`);
    setText(need(value, ".stage-value-mark"), mark);
    need(value, ".stage-value-mark").toggleAttribute("hidden", mark === "");
    value.dataset.chamber = mark;
    need(root, ".stage-label-body").append(value);
    return need(value, ".stage-value-number");
  }
}
