// Names and numbers that follow the parts of the machine, as text over the stage.
import { Vector3 } from "three";
import { displayOf, formatNumber, withUnit } from "../format.ts";
import { originOf } from "../live/series.ts";
import { VALUE, type Channel, type Frame } from "../live/wire.ts";
import { need, setData, setIcon, setText } from "../shell/dom.ts";
import { cylinderName, firstOfPairs, forcesIn, heaviest, shareOf } from "./loads.ts";
import type { Scene } from "./scene.ts";
import { spread, type Tag } from "./spread.ts";
import type { Stage } from "./stage.ts";

const LEADER_PX = 16;
const HALF_HEIGHT = 13;
const GAP_PX = 4;

/** Where a label hangs: a point of the picture, the direction away from the part, and how far. */
interface Hook {
  x: number;
  y: number;
  dx: number;
  dy: number;
  reach: number;
}

interface Part {
  root: HTMLElement;
  body: HTMLElement;
  leader: HTMLElement;
  tag: Tag;
  values: Array<{ root: HTMLElement; element: Element; channel: Channel; index: number; full: number }>;
  locate(hook: Hook): void;
}

export class Labels {
  private readonly parts: Part[] = [];
  /** By cylinder; none where one label serves a pair or there is only one cylinder. */
  private readonly cylinders = new Map<number, HTMLElement>();
  private readonly from = new Vector3();
  private readonly to = new Vector3();
  private readonly hook: Hook = { x: 0, y: 0, dx: 0, dy: 0, reach: 0 };

  constructor(
    private readonly host: HTMLElement,
    private readonly tools: HTMLElement,
    private readonly stage: Stage,
    private readonly scene: Scene,
    private readonly channels: readonly Channel[],
  ) {
    const alone = scene.cylinders.length === 1;
    scene.bodies.forEach(({ name, joint, shapes }, i) => {
      const channel = this.channels[this.indexOf(joint.channel)];
      if (channel === undefined || shapes.length === 0) return;
      // of a mechanism every link; of a machine what its operator moves
      if (!alone && channel.role !== "sensor") return;
      this.add("body", alone ? name : partName(channel.label), [["", joint.channel]], (hook) => this.besideBody(i, hook));
    });
    const firsts = firstOfPairs(scene.cylinders);
    scene.cylinders.forEach((shape, i) => {
      const { p_A, p_B, force } = shape.channels;
      // of one cylinder the chambers; of several what each carries
      if (alone) this.add("cylinder", shape.name, [["A", p_A], ["B", p_B]], (hook) => this.belowCylinder(i, hook)); // prettier-ignore
      else if (firsts[i] === i) {
        const name = cylinderName(scene.cylinders, i);
        this.cylinders.set(i, this.add("cylinder", name, [["", force]], (hook) => this.besideCylinder(i, hook), shape.full_force));
      }
    });
  }

  /** `alone`: without data there is no estimate, only the model. */
  show(frame: Frame, alone: boolean): void {
    for (const part of this.parts) {
      for (const { root, element, channel, index, full } of part.values) {
        const origin = originOf(channel.role);
        setIcon(root, `mark-${alone && origin === "estimated" ? "simulated" : origin}`);
        const { factor, decimals, unit } = displayOf(channel.quantity, channel.unit);
        const known = ((frame.flags[index] as number) & VALUE) !== 0;
        const number = formatNumber(known ? (frame.value[index] as number) * factor : NaN, Math.min(1, decimals));
        const share = known && full > 0 ? `, ${Math.round(100 * shareOf(frame.value[index] as number, full))} %` : "";
        setText(element, withUnit(number, unit) + share);
      }
    }
    this.showLoads(frame);
    for (const part of this.parts) {
      part.tag.halfWidth = part.body.offsetWidth / 2;
      part.tag.halfHeight = part.body.offsetHeight / 2 || HALF_HEIGHT;
    }
  }

  /** Tubes by colour, and the word at the one that carries most. */
  private showLoads(frame: Frame): void {
    const { cylinders } = this.scene;
    if (cylinders.length < 2) return;
    const forces = forcesIn(frame, cylinders, this.channels);
    const most = firstOfPairs(cylinders)[heaviest(forces)] ?? -1;
    cylinders.forEach((shape, i) => this.stage.rig.showLoad(i, shareOf(forces[i] as number, shape.full_force)));
    for (const [i, label] of this.cylinders) setData(label, "most", i === most ? "yes" : "no");
  }

  /** Follows the parts, apart from each other and not under the tool bar; call after the stage was drawn. */
  place(): void {
    if (this.host.hidden) return;
    const { hook } = this;
    const { clientWidth: width, clientHeight: height } = this.host;
    const tools = { left: this.tools.offsetLeft, bottom: this.tools.offsetTop + this.tools.offsetHeight };
    const shown = this.parts.filter(({ tag }) => tag.halfWidth > 0);
    const hooks = shown.map(({ tag, locate }) => {
      locate(hook);
      tag.x = clamp(hook.x + hook.dx * (hook.reach + tag.halfWidth), tag.halfWidth + 4, width - tag.halfWidth - 4);
      tag.y = hook.y + hook.dy * (hook.reach + tag.halfHeight);
      return { x: hook.x, y: hook.y };
    });
    const top = (tag: Tag) => (tag.x + tag.halfWidth > tools.left - GAP_PX ? tools.bottom + GAP_PX : GAP_PX);
    spread(shown.map(({ tag }) => tag), GAP_PX, top, height - GAP_PX); // prettier-ignore
    shown.forEach(({ root, body, leader, tag }, i) => {
      const from = hooks[i] as { x: number; y: number };
      const [x, y] = [tag.x - from.x, tag.y - from.y];
      root.style.transform = `translate(${from.x.toFixed(1)}px, ${from.y.toFixed(1)}px)`;
      body.style.transform = `translate(-50%, -50%) translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      leader.style.height = `${Math.hypot(x, y).toFixed(1)}px`;
      leader.style.transform = `rotate(${Math.atan2(-x, y).toFixed(3)}rad)`;
    });
  }

  /** Outside of the mechanism: across the beam, away from the middle of the picture's machine. */
  private besideBody(index: number, hook: Hook): void {
    const { from, to, stage } = this;
    stage.rig.bodyEnds(index, from, to);
    stage.project(from);
    stage.project(to);
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    hook.x = (from.x + to.x) / 2;
    hook.y = (from.y + to.y) / 2;
    hook.dx = (to.y - from.y) / length;
    hook.dy = (from.x - to.x) / length;
    hook.reach = LEADER_PX;
    stage.middle(from);
    if (hook.dx * (hook.x - from.x) + hook.dy * (hook.y - from.y) < 0) {
      hook.dx = -hook.dx;
      hook.dy = -hook.dy;
    }
  }

  /** On the floor in front of the cylinder, so that the rod stays in sight. */
  private belowCylinder(index: number, hook: Hook): void {
    const { from, to, stage } = this;
    stage.rig.cylinderPoint(index, from);
    to.copy(from).setY(stage.rig.floor);
    stage.project(from);
    stage.project(to);
    hook.x = from.x;
    hook.y = from.y;
    hook.dx = 0;
    hook.dy = 1;
    hook.reach = Math.max(0, to.y - from.y) + LEADER_PX;
  }

  /** Beside the tube, on its lower side. */
  private besideCylinder(index: number, hook: Hook): void {
    const { from, to, stage } = this;
    stage.rig.cylinderPoint(index, from, 0.2);
    stage.rig.cylinderPoint(index, to, 0.8);
    stage.project(from);
    stage.project(to);
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    hook.x = (from.x + to.x) / 2;
    hook.y = (from.y + to.y) / 2;
    hook.dx = (to.y - from.y) / length;
    hook.dy = (from.x - to.x) / length;
    if (hook.dy < 0) {
      hook.dx = -hook.dx;
      hook.dy = -hook.dy;
    }
    hook.reach = 2 * LEADER_PX;
  }

  private indexOf(name: string | null): number {
    return this.channels.findIndex((channel) => channel.name === name);
  }

  /** full: the force that is all a cylinder can give, N; of other values there is no share to tell. */
  private add(kind: string, name: string, values: Array<[string, string | null]>, locate: Part["locate"], full = 0): HTMLElement {
    const root = copy("#stage-label-template", ".stage-label");
    const body = need(root, ".stage-label-body");
    root.dataset.kind = kind;
    setText(need(root, ".stage-label-name"), name);
    const part: Part = { root, body, leader: need(root, ".stage-leader"), tag: { x: 0, y: 0, halfWidth: 0, halfHeight: HALF_HEIGHT }, values: [], locate };
    for (const [mark, channelName] of values) {
      const index = this.indexOf(channelName);
      const channel = this.channels[index];
      if (channel !== undefined) part.values.push({ ...addValue(body, mark), channel, index, full });
    }
    this.parts.push(part);
    this.host.append(root);
    return root;
  }
}

function addValue(body: HTMLElement, chamber: string): { root: HTMLElement; element: Element } {
  const value = copy("#stage-value-template", ".stage-value");
  const letter = need(value, ".stage-value-mark");
  setText(letter, chamber);
  letter.hidden = chamber === "";
  value.dataset.chamber = chamber;
  body.append(value);
  return { root: value, element: need(value, ".stage-value-number") };
}

function copy(template: string, selector: string): HTMLElement {
  const { content } = need<HTMLTemplateElement>(document, template);
  return need(content.cloneNode(true) as DocumentFragment, selector);
}

/** "Boom angle" turns the boom. */
export function partName(label: string): string {
  return label.replace(/ angle$/, "");
}

function clamp(x: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, x));
}
