// Names and numbers that follow the parts of the machine, as text over the stage.
import { displayOf, formatNumber, withUnit } from "../format.ts";
import { originOf } from "../live/series.ts";
import { VALUE, type Channel, type Frame } from "../live/wire.ts";
import { need, setData, setIcon, setText } from "../shell/dom.ts";
import { nameOf } from "../words.ts";
import { partName } from "./caption.ts";
import { cylinderName, firstOfPairs, forcesIn, heaviest, shareOf } from "./loads.ts";
import { PixelStyles } from "./pixel_styles.ts";
import type { Scene } from "./scene.ts";
import { spread, Tags } from "./spread.ts";
import type { Stage } from "./stage.ts";

const LEADER_PX = 16;
const HALF_HEIGHT = 13;
const EDGE_PX = 4;
const GAP_PX = 4;
/** Where a label hangs, and where its text is from there; in the style sheet it is moved so. */
const POSITION = ["--hook-x", "--hook-y", "--text-x", "--text-y"] as const;

/** Where a label hangs: a point of the picture, the direction away from the part, and how far. */
const X = 0;
const Y = 1;
const DX = 2;
const DY = 3;
const REACH = 4;

interface Value {
  root: HTMLElement;
  element: Element;
  channel: Channel;
  index: number;
  full: number;
  /** What stands there, in units of its last digit and percent. */
  digits: number;
  percent: number;
}

interface Part {
  body: HTMLElement;
  position: PixelStyles;
  values: Value[];
  locate(hook: Float64Array): void;
}

export class Labels {
  private readonly parts: Part[] = [];
  /** By cylinder; none where one label serves a pair or there is only one cylinder. */
  private readonly cylinders = new Map<number, HTMLElement>();
  private readonly tags: Tags;
  /** Four numbers for each label. */
  private readonly positions: Float64Array;
  private readonly from = new Float64Array(3);
  private readonly to = new Float64Array(3);
  private readonly hook = new Float64Array(5);
  /** The tool bar's left and lower edge. */
  private toolsLeft = Infinity;
  private toolsBottom = 0;

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
      this.add("body", alone ? nameOf(name) : partName(channel), [["", joint.channel]], (hook) => this.besideBody(i, hook));
    });
    const firsts = firstOfPairs(scene.cylinders);
    scene.cylinders.forEach((shape, i) => {
      const { p_A, p_B, force } = shape.channels;
      // of one cylinder the chambers; of several what each carries
      if (alone) this.add("cylinder", nameOf(shape.name), [["A", p_A], ["B", p_B]], (hook) => this.belowCylinder(i, hook)); // prettier-ignore
      else if (firsts[i] === i) {
        const name = nameOf(cylinderName(scene.cylinders, i));
        this.cylinders.set(i, this.add("cylinder", name, [["", force]], (hook) => this.besideCylinder(i, hook), shape.full_force));
      }
    });
    this.tags = new Tags(this.parts.length);
    this.positions = new Float64Array(POSITION.length * this.parts.length);
    const sizes = new ResizeObserver(() => this.keepOffTools());
    sizes.observe(host);
    sizes.observe(tools);
  }

  /** `alone`: without data there is no estimate, only the model. */
  show(frame: Frame, alone: boolean): void {
    for (const part of this.parts) for (const value of part.values) showValue(value, frame, alone);
    this.showMost(frame);
    this.parts.forEach(({ body }, i) => {
      this.tags.halfWidth[i] = body.offsetWidth / 2;
      this.tags.halfHeight[i] = body.offsetHeight / 2 || HALF_HEIGHT;
    });
  }

  /** The word at the cylinder that carries most. */
  private showMost(frame: Frame): void {
    const { cylinders } = this.scene;
    if (cylinders.length < 2) return;
    const most = firstOfPairs(cylinders)[heaviest(forcesIn(frame, cylinders, this.channels))] ?? -1;
    for (const [i, label] of this.cylinders) setData(label, "most", i === most ? "yes" : "no");
  }

  /** Follows the parts, apart from each other and not under the tool bar; call after the stage was drawn. */
  place(): void {
    if (this.host.hidden) return;
    const { parts, tags, positions } = this;
    for (let i = 0; i < parts.length; i++) this.hang(i);
    spread(tags, GAP_PX, this.stage.height - GAP_PX);
    for (let i = 0; i < parts.length; i++) {
      if (tags.halfWidth[i] === 0) continue;
      const at = POSITION.length * i;
      positions[at + 2] = (tags.x[i] as number) - (positions[at] as number);
      positions[at + 3] = (tags.y[i] as number) - (positions[at + 1] as number);
      (parts[i] as Part).position.show(positions, at);
    }
  }

  /** A label beside its part, within the picture. */
  private hang(i: number): void {
    const { tags, hook, positions } = this;
    (this.parts[i] as Part).locate(hook);
    const half = tags.halfWidth[i] as number;
    const reach = hook[REACH] as number;
    const x = (hook[X] as number) + (hook[DX] as number) * (reach + half);
    tags.x[i] = Math.min(this.stage.width - half - EDGE_PX, Math.max(half + EDGE_PX, x));
    tags.y[i] = (hook[Y] as number) + (hook[DY] as number) * (reach + (tags.halfHeight[i] as number));
    const underTools = (tags.x[i] as number) + half > this.toolsLeft - GAP_PX;
    tags.top[i] = underTools ? this.toolsBottom + GAP_PX : GAP_PX;
    positions[POSITION.length * i] = hook[X] as number;
    positions[POSITION.length * i + 1] = hook[Y] as number;
  }

  private keepOffTools(): void {
    const { offsetLeft, offsetTop, offsetHeight } = this.tools;
    this.toolsLeft = offsetLeft;
    this.toolsBottom = offsetTop + offsetHeight;
  }

  /** Outside of the mechanism: across the beam, away from the middle of the picture's machine. */
  private besideBody(index: number, hook: Float64Array): void {
    const { from, to, stage } = this;
    stage.rig.bodyEnds(index, from, to);
    stage.project(from);
    stage.project(to);
    hangBetween(from, to, hook);
    hook[REACH] = LEADER_PX;
    stage.middle(from);
    const outX = (hook[X] as number) - (from[0] as number);
    const outY = (hook[Y] as number) - (from[1] as number);
    const outwards = (hook[DX] as number) * outX + (hook[DY] as number) * outY;
    if (outwards < 0) turnRound(hook);
  }

  /** On the floor in front of the cylinder, so that the rod stays in sight. */
  private belowCylinder(index: number, hook: Float64Array): void {
    const { from, to, stage } = this;
    stage.rig.cylinderPoint(index, from);
    to.set(from);
    to[1] = stage.rig.floor;
    stage.project(from);
    stage.project(to);
    hook[X] = from[0] as number;
    hook[Y] = from[1] as number;
    hook[DX] = 0;
    hook[DY] = 1;
    hook[REACH] = Math.max(0, (to[1] as number) - (from[1] as number)) + LEADER_PX;
  }

  /** Beside the tube, on its lower side. */
  private besideCylinder(index: number, hook: Float64Array): void {
    const { from, to, stage } = this;
    stage.rig.cylinderPoint(index, from, 0.2);
    stage.rig.cylinderPoint(index, to, 0.8);
    stage.project(from);
    stage.project(to);
    hangBetween(from, to, hook);
    if ((hook[DY] as number) < 0) turnRound(hook);
    hook[REACH] = 2 * LEADER_PX;
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
    const part: Part = { body, position: new PixelStyles(root.style, POSITION), values: [], locate };
    for (const [mark, channelName] of values) {
      const index = this.indexOf(channelName);
      const channel = this.channels[index];
      if (channel !== undefined) part.values.push({ ...addValue(body, mark), channel, index, full, digits: NaN, percent: NaN });
    }
    this.parts.push(part);
    this.host.append(root);
    return root;
  }
}

/** Numbers become text only when their digits are others than those that stand there. */
function showValue(value: Value, frame: Frame, alone: boolean): void {
  const { channel, index, full } = value;
  const origin = originOf(channel.role);
  setIcon(value.root, `mark-${alone && origin === "estimated" ? "simulated" : origin}`);
  const { factor, decimals: most, unit } = displayOf(channel.quantity, channel.unit);
  const decimals = Math.min(1, most);
  const known = ((frame.flags[index] as number) & VALUE) !== 0;
  const number = known ? (frame.value[index] as number) * factor : NaN;
  const digits = Math.round(number * 10 ** decimals);
  const percent = known && full > 0 ? Math.round(100 * shareOf(frame.value[index] as number, full)) : -1;
  if (digits === value.digits && percent === value.percent) return;
  value.digits = digits;
  value.percent = percent;
  setText(value.element, withUnit(formatNumber(number, decimals), unit) + (percent < 0 ? "" : `, ${percent} %`));
}

/** Between two points of the picture, and across the line through them. */
function hangBetween(from: Float64Array, to: Float64Array, hook: Float64Array): void {
  const x = (to[0] as number) - (from[0] as number);
  const y = (to[1] as number) - (from[1] as number);
  const length = Math.sqrt(x * x + y * y) || 1;
  hook[X] = (from[0] as number) + x / 2;
  hook[Y] = (from[1] as number) + y / 2;
  hook[DX] = y / length;
  hook[DY] = -x / length;
}

function turnRound(hook: Float64Array): void {
  hook[DX] = -(hook[DX] as number);
  hook[DY] = -(hook[DY] as number);
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
