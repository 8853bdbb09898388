// The panel around the 3D stage: tool bar, labels and notices. Loads the 3D code after the rest of the page.
import { displayOf } from "../../format.ts";
import { need, setData, setText } from "../../shell/dom.ts";
import { InView } from "../../shell/in_view.ts";
import type { Channel, Frame } from "../../socket/machine_messages.ts";
import type { Status, Verdict } from "../status.ts";
import { Throttle } from "../throttle.ts";
import { mostInWords, poseInWords } from "./caption.ts";
import { ChosenPart } from "./chosen_part.ts";
import type { ColourBy, Colouring } from "./colouring.ts";
import type { Labels } from "./labels.ts";
import { forcesIn, heaviest } from "./loads.ts";
import { type Part, partsOf } from "./part_list.ts";
import type { Picking } from "./picking.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";
import { WORDS } from "./words.ts";

/** Labels move less often than the machine is drawn, because changing styles costs time. */
const LABELS_MS = 50;

interface Parts3D {
  stage: Stage;
  labels: Labels;
  colouring: Colouring;
  picking: Picking;
}

export class StagePanel {
  private loaded: Parts3D | null = null;
  private readonly notice: HTMLElement;
  private readonly poseWords: HTMLElement;
  private readonly mostWords: HTMLElement;
  private readonly scale: HTMLElement;
  private readonly chosen: ChosenPart;
  private readonly parts: Part[];
  private readonly view: InView;
  private readonly labelThrottle = new Throttle(LABELS_MS);
  private posed = false;
  private heaviest = 0;
  private frame: Frame | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly scene: Scene,
    private readonly channels: readonly Channel[],
  ) {
    this.notice = need(root, ".stage-notice");
    this.poseWords = need(root, ".stage-pose");
    this.mostWords = need(root, ".stage-most");
    this.scale = need(root, ".stage-scale");
    this.parts = partsOf(scene);
    this.chosen = new ChosenPart(root, this.parts, channels, (part) => this.choose(part));
    this.view = new InView(root, (seen) => {
      setData(root, "loop", seen ? "running" : "paused");
      if (!seen) this.loaded?.stage.rest();
    });
  }

  /** Loads and builds the stage after `when`; without WebGL the panel shows a notice. */
  async load(when: Promise<void> = Promise.resolve()): Promise<void> {
    await when;
    try {
      const { build } = await import("./stage_3d.ts");
      const loaded = build(this.root, this.scene, this.channels, this.parts, (key) =>
        this.choose(this.chosen.partOf(key)),
      );
      this.loaded = loaded;
      this.setUpTools(loaded);
      this.colourBy(this.scene.cylinders.length > 1 ? "force" : "none");
      setData(this.root, "state", "ready");
    } catch (error) {
      console.warn("3D stage not available:", error);
      setData(this.root, "state", "error");
      this.say(WORDS.noWebGL);
    }
  }

  /** Whether the stage is loaded and visible. */
  get seen(): boolean {
    return this.loaded !== null && this.view.seen;
  }

  /** Draws if the pose or the camera moved and the stage is visible. `now`: time of the animation frame, ms. */
  draw(angles: ArrayLike<number>, moved: boolean, now: number): void {
    if (this.loaded === null || !this.view.seen) return;
    const { stage, labels } = this.loaded;
    const drawn = stage.draw(angles, moved || !this.posed, now);
    if (drawn === "camera" || (drawn === "pose" && this.labelThrottle.due(now))) labels.place();
    if (this.posed || drawn === "nothing") return;
    setData(this.root, "posed", "yes");
    this.posed = true;
  }

  showLabels(frame: Frame, status: Status, ageS: number | null): void {
    this.frame = frame;
    this.chosen.show(frame, status, ageS);
    this.heaviest = Math.max(0, heaviest(forcesIn(frame, this.scene.cylinders, this.channels)));
    setText(this.poseWords, poseInWords(frame, this.scene, this.channels));
    setText(this.mostWords, mostInWords(frame, this.scene, this.channels));
    if (this.loaded === null || !this.view.seen) return;
    const { labels, colouring, stage } = this.loaded;
    labels.show(frame, status === "coasting" || status === "stale");
    labels.place(); // their texts, and so their widths, may have changed
    if (colouring.show(frame)) stage.refresh();
  }

  showVerdict({ status, ageS }: Verdict): void {
    if (this.root.dataset.state === "error") return;
    setData(this.root, "status", status);
    if (!this.posed) this.say(WORDS.waiting);
    else if (status === "failed") this.say(WORDS.stopped);
    else this.say(status === "stale" && ageS !== null ? WORDS.guessed(ageS) : "");
  }

  private say(text: string): void {
    this.notice.hidden = text === "";
    setText(this.notice, text);
  }

  private choose(part: Part | null): void {
    this.chosen.choose(part);
    this.loaded?.picking.light(part);
    this.loaded?.stage.refresh();
  }

  private colourBy(by: ColourBy): void {
    if (this.loaded === null) return;
    this.loaded.colouring.by = by;
    if (this.frame !== null) this.loaded.colouring.show(this.frame);
    this.loaded.stage.refresh();
    for (const button of this.root.querySelectorAll<HTMLElement>("[data-colour]")) {
      button.setAttribute("aria-pressed", String(button.dataset.colour === by));
    }
    const { factor, unit } = displayOf("pressure", "Pa");
    this.scale.hidden = by === "none";
    setText(
      need(this.scale, ".stage-scale-words"),
      WORDS.scale[by](`${Math.round(this.scene.full_pressure * factor)} ${unit}`),
    );
  }

  private setUpTools({ stage, labels }: Parts3D): void {
    const on = (tool: string, action: (button: HTMLButtonElement) => void) => {
      const button = need<HTMLButtonElement>(this.root, `[data-tool=${tool}]`);
      button.disabled = false;
      button.addEventListener("click", () => action(button));
    };
    const pressed = (button: HTMLButtonElement) => {
      const now = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(now));
      return now;
    };
    on("fit", () => stage.fit());
    on("reset", () => stage.reset());
    on("cylinder", () => stage.lookAtCylinder(this.heaviest));
    on("follow", (button) => stage.follow(pressed(button)));
    on("labels", (button) => {
      need(this.root, ".stage-labels").hidden = !pressed(button);
      labels.place();
    });
    for (const button of this.root.querySelectorAll<HTMLButtonElement>("[data-colour]")) {
      button.disabled = this.scene.cylinders.length === 0;
      button.addEventListener("click", () => this.colourBy(button.dataset.colour as ColourBy));
    }
  }
}
