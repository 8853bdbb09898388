// Shows names and values as labels over the stage that follow the parts of the machine.
import { displayOf, formatNumber, withUnit } from "../../format.ts";
import { need, setData, setIcon, setText } from "../../shell/dom.ts";
import { type Channel, type Frame, VALUE } from "../../socket/machine_messages.ts";
import { nameOf } from "../../words.ts";
import { originOf } from "../series.ts";
import { partName } from "./caption.ts";
import { LabelBoxes, rowHeight, spreadLabels } from "./label_layout.ts";
import { cylinderName, firstOfPairs, forcesIn, heaviest, shareOf } from "./loads.ts";
import { PixelStyles } from "./pixel_styles.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

const GAP_PX = 6;
/** Labels of joints are above the machine, those of cylinders below. */
const ROW_ABOVE = 0;
const ROW_BELOW = 1;
/** Custom properties for the style sheet: position of the part, and position of the text relative to it. */
const POSITION = ["--hook-x", "--hook-y", "--text-x", "--text-y"] as const;

interface Value {
  root: HTMLElement;
  element: Element;
  channel: Channel;
  index: number;
  full: number;
  /** The shown number in units of its last digit, and the shown percentage. */
  digits: number;
  percent: number;
}

interface Part {
  kind: "body" | "cylinder";
  body: HTMLElement;
  position: PixelStyles;
  values: Value[];
  /** Finds the point of the world that the label belongs to. */
  locate(point: Float64Array): void;
}

export class Labels {
  private readonly parts: Part[] = [];
  /** Labels by cylinder; absent for the second cylinder of a pair, and for a single cylinder. */
  private readonly cylinders = new Map<number, HTMLElement>();
  private readonly boxes: LabelBoxes;
  /** Values of POSITION for each label. */
  private readonly positions: Float64Array;
  private readonly hook = new Float64Array(3);
  private readonly end = new Float64Array(3);
  /** The tool bar's lower edge. */
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
      // every link of a mechanism; of a machine the joints with sensors
      if (!alone && channel.role !== "sensor") return;
      this.add("body", alone ? nameOf(name) : partName(channel), [["", joint.channel]], (point) =>
        this.middleOfBody(i, point),
      );
    });
    const firsts = firstOfPairs(scene.cylinders);
    scene.cylinders.forEach((shape, i) => {
      const { p_A, p_B, force } = shape.channels;
      // chamber pressures of a single cylinder; forces of several
      if (alone)
        this.add(
          "cylinder",
          nameOf(shape.name),
          [
            ["A", p_A],
            ["B", p_B],
          ],
          (point) => this.stage.rig.cylinderPoint(i, point),
        );
      else if (firsts[i] === i) {
        const name = nameOf(cylinderName(scene.cylinders, i));
        this.cylinders.set(
          i,
          this.add(
            "cylinder",
            name,
            [["", force]],
            (point) => this.stage.rig.cylinderPoint(firsts.lastIndexOf(i), point),
            shape.full_force,
          ),
        );
      }
    });
    this.boxes = new LabelBoxes(this.parts.length);
    this.parts.forEach(({ kind }, i) => (this.boxes.row[i] = kind === "body" ? ROW_ABOVE : ROW_BELOW));
    this.positions = new Float64Array(POSITION.length * this.parts.length);
    const sizes = new ResizeObserver(() => this.keepOffTools());
    sizes.observe(host);
    sizes.observe(tools);
  }

  /** Shows the values of a frame. `alone`: there is no data, so the values are simulated, not estimated. */
  show(frame: Frame, alone: boolean): void {
    for (const part of this.parts) for (const value of part.values) showValue(value, frame, alone);
    this.showMost(frame);
    this.parts.forEach(({ body }, i) => {
      this.boxes.halfWidth[i] = body.offsetWidth / 2;
      this.boxes.halfHeight[i] = body.offsetHeight / 2;
    });
    const [above, below] = [rowHeight(this.boxes, ROW_ABOVE), rowHeight(this.boxes, ROW_BELOW)];
    this.stage.keepFree(this.toolsBottom + (above && above + GAP_PX), below && below + GAP_PX);
  }

  /** Marks the cylinder with the highest load. */
  private showMost(frame: Frame): void {
    const { cylinders } = this.scene;
    if (cylinders.length < 2) return;
    const most = firstOfPairs(cylinders)[heaviest(forcesIn(frame, cylinders, this.channels))] ?? -1;
    for (const [i, label] of this.cylinders) setData(label, "most", i === most ? "yes" : "no");
  }

  /** Moves the labels to their parts, in rows above and below the machine; call it after drawing. */
  place(): void {
    if (this.host.hidden) return;
    const { parts, boxes, positions } = this;
    for (let i = 0; i < parts.length; i++) this.hang(i);
    spreadLabels(boxes, GAP_PX, this.stage.width);
    for (let i = 0; i < parts.length; i++) {
      if (boxes.halfWidth[i] === 0) continue;
      const at = POSITION.length * i;
      positions[at + 2] = (boxes.x[i] as number) - (positions[at] as number);
      positions[at + 3] = this.rowAt(i) - (positions[at + 1] as number);
      (parts[i] as Part).position.show(positions, at);
    }
  }

  /** Moves a label above or below its part. */
  private hang(i: number): void {
    const { boxes, hook, positions } = this;
    (this.parts[i] as Part).locate(hook);
    this.stage.project(hook);
    boxes.x[i] = hook[0] as number;
    positions[POSITION.length * i] = hook[0] as number;
    positions[POSITION.length * i + 1] = hook[1] as number;
  }

  /** Vertical centre of a label in its row. */
  private rowAt(i: number): number {
    const half = this.boxes.halfHeight[i] as number;
    return this.boxes.row[i] === ROW_ABOVE ? this.toolsBottom + GAP_PX + half : this.stage.height - GAP_PX - half;
  }

  private keepOffTools(): void {
    this.toolsBottom = this.tools.offsetTop + this.tools.offsetHeight;
  }

  private middleOfBody(index: number, point: Float64Array): void {
    this.stage.rig.bodyEnds(index, point, this.end);
    for (let i = 0; i < 3; i++) point[i] = ((point[i] as number) + (this.end[i] as number)) / 2;
  }

  private indexOf(name: string | null): number {
    return this.channels.findIndex((channel) => channel.name === name);
  }

  /** full: force at the highest pressure, N; 0 for a value without a percentage. */
  private add(
    kind: Part["kind"],
    name: string,
    values: Array<[string, string | null]>,
    locate: Part["locate"],
    full = 0,
  ): HTMLElement {
    const root = copy("#stage-label-template", ".stage-label");
    const body = need(root, ".stage-label-body");
    root.dataset.kind = kind;
    setText(need(root, ".stage-label-name"), name);
    const part: Part = { kind, body, position: new PixelStyles(root.style, POSITION), values: [], locate };
    for (const [mark, channelName] of values) {
      const index = this.indexOf(channelName);
      const channel = this.channels[index];
      if (channel !== undefined)
        part.values.push({ ...addValue(body, mark), channel, index, full, digits: NaN, percent: NaN });
    }
    this.parts.push(part);
    this.host.append(root);
    return root;
  }
}

/** Shows a value; makes new text only if the shown digits change. */
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
