// The panel around the 3D stage: tool bar, labels, notices; brings three.js in when the rest of the page stands.
import { formatAge } from "../format.ts";
import type { Status, Verdict } from "../live/status.ts";
import type { Channel, Frame } from "../live/wire.ts";
import { need, setData, setText } from "../shell/dom.ts";
import { mostInWords, poseInWords } from "./caption.ts";
import type { Labels } from "./labels.ts";
import { forcesIn, heaviest } from "./loads.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

export class StagePanel {
  private stage: Stage | null = null;
  private labels: Labels | null = null;
  private readonly notice: HTMLElement;
  private readonly poseWords: HTMLElement;
  private readonly mostWords: HTMLElement;
  private heaviest = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly scene: Scene,
    private readonly channels: readonly Channel[],
  ) {
    this.notice = need(root, ".stage-notice");
    this.poseWords = need(root, ".stage-pose");
    this.mostWords = need(root, ".stage-most");
    need(root, ".stage-scale").hidden = scene.cylinders.length < 2;
  }

  /** Fetches and builds the stage when told; without WebGL the panel says so and the page goes on. */
  async load(when: Promise<void> = Promise.resolve()): Promise<void> {
    await when;
    try {
      const [{ Stage }, { Labels }] = await Promise.all([import("./stage.ts"), import("./labels.ts")]);
      const stage = new Stage(need(this.root, ".stage-view"), this.scene);
      this.labels = new Labels(need(this.root, ".stage-labels"), need(this.root, ".stage-tools"), stage, this.scene, this.channels);
      this.stage = stage;
      this.setUpTools(stage);
      setData(this.root, "state", "ready");
    } catch (error) {
      console.warn("3D stage not available:", error);
      setData(this.root, "state", "error");
      this.say("3D view not available: this browser offers no WebGL. Values and strips go on.");
    }
  }

  /** Draws the pose when it moved or the camera did. Times are those of the animation frame, in ms. */
  draw(angles: ArrayLike<number>, moved: boolean, now: number, sinceLastMs: number): void {
    if (this.stage === null) return;
    const first = this.root.dataset.posed === undefined;
    if (moved || first) this.stage.pose(angles);
    if (this.stage.draw(moved || first, now, sinceLastMs)) this.labels?.place();
    setData(this.root, "posed", "yes");
  }

  showLabels(frame: Frame, status: Status): void {
    this.labels?.show(frame, status === "coasting" || status === "stale");
    this.labels?.place(); // their words, and so their widths, may be others now
    this.heaviest = Math.max(0, heaviest(forcesIn(frame, this.scene.cylinders, this.channels)));
    setText(this.poseWords, poseInWords(frame, this.scene, this.channels));
    setText(this.mostWords, mostInWords(frame, this.scene, this.channels));
  }

  showVerdict({ status, ageS }: Verdict): void {
    if (this.root.dataset.state === "error") return;
    setData(this.root, "status", status);
    if (this.root.dataset.posed === undefined) this.say("Waiting for the first pose");
    else if (status === "failed") this.say("The twin stopped: the last known pose");
    else this.say(status === "stale" && ageS !== null ? `No data for ${formatAge(ageS)}: the pose is the model's guess` : "");
  }

  private say(text: string): void {
    this.notice.hidden = text === "";
    setText(this.notice, text);
  }

  private setUpTools(stage: Stage): void {
    const on = (tool: string, action: (button: HTMLButtonElement) => void) => {
      const button = need<HTMLButtonElement>(this.root, `[data-tool=${tool}]`);
      button.disabled = false;
      button.addEventListener("click", () => action(button));
    };
    on("fit", () => stage.fit());
    on("reset", () => stage.reset());
    on("cylinder", () => stage.lookAtCylinder(this.heaviest));
    on("labels", (button) => {
      const host = need(this.root, ".stage-labels");
      host.hidden = !host.hidden;
      button.setAttribute("aria-pressed", String(!host.hidden));
      this.labels?.place();
    });
  }
}
