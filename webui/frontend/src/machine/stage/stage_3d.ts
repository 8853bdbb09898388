// Builds everything that draws the stage. It is imported late, so that its code is in a separate chunk.

import { need } from "../../shell/dom.ts";
import type { Channel } from "../../socket/machine_messages.ts";
import { Colouring } from "./colouring.ts";
import { Labels } from "./labels.ts";
import type { Part } from "./part_list.ts";
import { Picking } from "./picking.ts";
import type { Scene } from "./scene.ts";
import { Stage } from "./stage.ts";

/** Throws if the browser does not support WebGL 2. */
export function build(
  root: HTMLElement,
  scene: Scene,
  channels: readonly Channel[],
  parts: readonly Part[],
  chosen: (key: string | null) => void,
): { stage: Stage; labels: Labels; colouring: Colouring; picking: Picking } {
  const host = need<HTMLElement>(root, ".stage-view");
  const stage = new Stage(host, scene);
  return {
    stage,
    labels: new Labels(need(root, ".stage-labels"), need(root, ".stage-tools"), stage, scene, channels),
    colouring: new Colouring(stage.rig, stage.materials, scene, channels),
    picking: new Picking(stage, parts, host, chosen),
  };
}
