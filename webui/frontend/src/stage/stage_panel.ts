// The panel around the 3D stage: tool bar, labels, notices; brings three.js in when the rest of the page stands.
import { formatAge } from "../format.ts";
import type { Verdict } from "../live/status.ts";
import type { Channel, Frame } from "../live/wire.ts";
import { need, setData, setText } from "../shell/dom.ts";
import type { Labels } from "./labels.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

export class StagePanel {
  private stage: Stage | null = null;
  private labels: Labels | null = null;
  private readonly notice: HTMLElement;

  constructor(
    private readonly root: HTMLElement,
    private readonly scene: Scene,
    private readonly channels: readonly Channel[],
  ) {
    this.notice = need(root, ".stage-notice");
  }

  /** Loads and builds the stage; without WebGL the panel says so and the page goes on. */
  async load(): Promise<void> {
    try {
      const [{ Stage }, { Labels }] = await Promise.all([import("./stage.ts"), import("./labels.ts")]);
      const stage = new Stage(need(this.root, ".stage-view"), this.scene);
      this.labels = new Labels(need(this.root, ".stage-labels"), stage, this.scene, this.channels);
      this.stage = stage;
      this.setUpTools(stage);
      setData(this.root, "state", "ready");
    } catch (error) {
      console.warn("3D stage not available:", error);
      setData(this.root, "state", "error");
      this.say("3D view not available: this browser offers no WebGL. Values and strips go on.");
    }
  }

  /** Draws the pose when it moved or the camera did. */
  draw(angles: ArrayLike<number> | null, moved: boolean, elapsedMs: number): void {
    if (this.stage === null || angles === null) return;
    if (moved || this.root.dataset.posed === undefined) this.stage.pose(angles);
    const drawn = this.stage.draw(moved || this.root.dataset.posed === undefined, elapsedMs);
    setData(this.root, "posed", "yes");
    if (drawn) this.labels?.place();
  }

  showLabels(frame: Frame): void {
    this.labels?.show(frame);
  }

  showVerdict({ status, ageS }: Verdict): void {
    if (this.root.dataset.state === "error") return;
    setData(this.root, "status", status);
    const old = status === "stale" || status === "failed";
    if (this.root.dataset.posed === undefined) this.say("Waiting for the first pose");
    else this.say(old && ageS !== null ? `No data for ${formatAge(ageS)}: the last known pose` : "");
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
    on("cylinder", () => stage.lookAtCylinder(0));
    on("labels", (button) => {
      const host = need(this.root, ".stage-labels");
      host.hidden = !host.hidden;
      button.setAttribute("aria-pressed", String(!host.hidden));
      this.labels?.place();
    });
  }
}
