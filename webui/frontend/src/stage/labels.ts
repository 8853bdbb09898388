// Names and numbers that follow the parts of the machine, as text over the stage.
import { Vector3 } from "three";
import { displayOf, formatNumber, withUnit } from "../format.ts";
import { originOf } from "../live/series.ts";
import { VALUE, type Channel, type Frame } from "../live/wire.ts";
import { need, setData, setIcon, setText } from "../shell/dom.ts";
import { heaviest, shareOf } from "./loads.ts";
import type { CylinderShape, Scene } from "./scene.ts";
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

interface Cylinder {
  shape: CylinderShape;
  /** Place of its force in a frame. */
  force: number;
  label: HTMLElement;
}

/** A label that has its place. */
interface Taken {
  x: number;
  y: number;
  halfWidth: number;
}

interface Part {
  root: HTMLElement;
  body: HTMLElement;
  leader: HTMLElement;
  halfWidth: number;
  values: Array<{ root: HTMLElement; element: Element; channel: Channel; index: number }>;
  locate(hook: Hook): void;
}

export class Labels {
  private readonly parts: Part[] = [];
  private readonly cylinders: Cylinder[] = [];
  private readonly from = new Vector3();
  private readonly to = new Vector3();
  private readonly hook: Hook = { x: 0, y: 0, dx: 0, dy: 0, reach: 0 };

  constructor(
    private readonly host: HTMLElement,
    private readonly tools: HTMLElement,
    private readonly stage: Stage,
    scene: Scene,
    private readonly channels: readonly Channel[],
  ) {
    const several = scene.cylinders.length > 1;
    scene.bodies.forEach(({ name, joint, shapes }, i) => {
      // of a whole machine only what is measured: the picture tells the rest
      const told = joint.channel !== null && shapes.length > 0 && (!several || this.roleOf(joint.channel) === "sensor");
      if (told) this.add("body", name, [["", joint.channel]], (hook) => this.besideBody(i, hook));
    });
    scene.cylinders.forEach((shape, i) => {
      const alone = !several;
      const { p_A, p_B, force } = shape.channels;
      // of one cylinder the chambers; of several what each carries
      const values: Array<[string, string | null]> = alone ? [["A", p_A], ["B", p_B]] : [["", force]]; // prettier-ignore
      const label = this.add("cylinder", shape.name, values, (hook) => (alone ? this.belowCylinder(i, hook) : this.besideCylinder(i, hook)));
      if (!alone) this.cylinders.push({ shape, force: this.indexOf(force), label });
    });
  }

  /** `alone`: without data there is no estimate, only the model. */
  show(frame: Frame, alone: boolean): void {
    for (const part of this.parts) {
      for (const { root, element, channel, index } of part.values) {
        const origin = originOf(channel.role);
        setIcon(root, `mark-${alone && origin === "estimated" ? "simulated" : origin}`);
        const { factor, decimals, unit } = displayOf(channel.quantity, channel.unit);
        const known = ((frame.flags[index] as number) & VALUE) !== 0;
        const number = formatNumber(known ? (frame.value[index] as number) * factor : NaN, Math.min(1, decimals));
        setText(element, withUnit(number, unit));
      }
    }
    this.showLoads(frame);
    for (const part of this.parts) part.halfWidth = part.body.offsetWidth / 2;
  }

  /** Tubes by colour, and the word at the one that carries most. */
  private showLoads(frame: Frame): void {
    const forces = this.cylinders.map(({ force }) =>
      force >= 0 && ((frame.flags[force] as number) & VALUE) !== 0 ? (frame.value[force] as number) : NaN,
    );
    const most = heaviest(forces);
    this.cylinders.forEach(({ shape, label }, i) => {
      const force = forces[i] as number;
      this.stage.rig.showLoad(i, shareOf(force, shape.full_force));
      setData(label, "most", i === most ? "yes" : "no");
    });
  }

  /** Follows the parts, but not under the tool bar; call after the stage was drawn. */
  place(): void {
    if (this.host.hidden) return;
    const { hook } = this;
    const { clientWidth: width, clientHeight: height } = this.host;
    const tools = { left: this.tools.offsetLeft, bottom: this.tools.offsetTop + this.tools.offsetHeight };
    const taken: Taken[] = [];
    for (const { root, body, leader, halfWidth, locate } of this.parts) {
      if (body.offsetParent === null) continue; // hidden on a phone
      locate(hook);
      const x = clamp(hook.x + hook.dx * (hook.reach + halfWidth), halfWidth + 4, width - halfWidth - 4) - hook.x;
      const top = hook.x + x + halfWidth > tools.left - GAP_PX ? tools.bottom + GAP_PX : 0;
      const wanted = clamp(hook.y + hook.dy * (hook.reach + HALF_HEIGHT), top + HALF_HEIGHT, height - HALF_HEIGHT - 4);
      const y = freePlace(taken, hook.x + x, wanted, halfWidth) - hook.y;
      taken.push({ x: hook.x + x, y: hook.y + y, halfWidth });
      const reach = Math.hypot(x, y);
      root.style.transform = `translate(${hook.x.toFixed(1)}px, ${hook.y.toFixed(1)}px)`;
      body.style.transform = `translate(-50%, -50%) translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      leader.style.height = `${reach.toFixed(1)}px`;
      leader.style.transform = `rotate(${Math.atan2(-x, y).toFixed(3)}rad)`;
    }
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

  private roleOf(name: string | null): string | undefined {
    return this.channels[this.indexOf(name)]?.role;
  }

  private indexOf(name: string | null): number {
    return this.channels.findIndex((channel) => channel.name === name);
  }

  private add(kind: string, name: string, values: Array<[string, string | null]>, locate: Part["locate"]): HTMLElement {
    const root = copy("#stage-label-template", ".stage-label");
    const body = need(root, ".stage-label-body");
    root.dataset.kind = kind;
    setText(need(root, ".stage-label-name"), name);
    const part: Part = { root, body, leader: need(root, ".stage-leader"), halfWidth: 0, values: [], locate };
    for (const [mark, channelName] of values) {
      const index = this.indexOf(channelName);
      const channel = this.channels[index];
      if (channel !== undefined) part.values.push({ ...addValue(body, mark), channel, index });
    }
    this.parts.push(part);
    this.host.append(root);
    return root;
  }
}

/** The nearest height below at which a label covers no other. */
export function freePlace(taken: readonly Taken[], x: number, wanted: number, halfWidth: number): number {
  let y = wanted;
  for (let k = 0; k < taken.length; k++) {
    const hit = taken.find((one) => Math.abs(one.x - x) < one.halfWidth + halfWidth + GAP_PX && Math.abs(one.y - y) < 2 * HALF_HEIGHT);
    if (hit === undefined) return y;
    y = hit.y + 2 * HALF_HEIGHT + 1;
  }
  return y;
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

function clamp(x: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, x));
}
