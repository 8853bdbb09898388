// The 3D stage: camera, lights and floor around a machine.
import { onThemeChange } from "../../shell/tokens.ts";
import { Camera } from "./camera.ts";
import { FrameBudget } from "./frame_budget.ts";
import { placeLights, spanOf } from "./light.ts";
import { machineMesh } from "./machine_mesh.ts";
import { Materials, materialCount } from "./materials.ts";
import { type Box, corners, type Free, fit, middle } from "./orbit.ts";
import { OrbitControl } from "./orbit_control.ts";
import { Renderer } from "./renderer.ts";
import { Rig } from "./rig.ts";
import type { Scene, Vector } from "./scene.ts";
import { floorGrid, floorPlane } from "./shapes.ts";
import { TransformSlots } from "./transform_slots.ts";
import type { Triangles } from "./triangles.ts";
import { UniformBlock } from "./uniform_block.ts";

/** Initial camera. Mechanisms move in a plane; a crane lifts loads on its right, on the side of this camera. */
const START = { azimuth: -0.5, elevation: 0.24 };
/**
 * Initial camera for an excavator. It digs ahead (+x) and empties on its left; this camera sees its arm from the side
 * in both places.
 */
const START_DIGGING = { azimuth: 0.72, elevation: 0.3 };
const MARGIN = 1.1;
const MOST_POINTS = 6_000; // older points of the machine's reach are dropped
/** Share of the remaining distance by which the following camera approaches the tool with every picture. */
const PULL = 0.12;

/** What a call of `draw` did: nothing, a picture from the same camera position, or a picture from another one. */
export type Drawn = "nothing" | "pose" | "camera";

export class Stage {
  readonly rig: Rig;
  readonly materials: Materials;
  readonly uniforms: UniformBlock;
  readonly triangles: Triangles;
  /** Size in CSS pixels. */
  width = 0;
  height = 0;
  private readonly camera = new Camera();
  private readonly renderer: Renderer;
  private readonly control: OrbitControl;
  /** Points around the machine in the poses for which the view was fitted. */
  private reached: Vector[] = [];
  private posed = false;
  private readonly point = new Float64Array(3);
  private pixelRatio = Math.min(2, devicePixelRatio);
  private readonly frameBudget = new FrameBudget();
  private pending = true;
  private fitted = true;
  private readonly free: Free = { top: 1, bottom: 1 };
  private readonly start: typeof START;
  private following = false;

  /** Throws if the browser does not support WebGL 2. */
  constructor(
    private readonly host: HTMLElement,
    private readonly scene: Scene,
  ) {
    const slots = new TransformSlots(scene);
    this.start = scene.fills.length > 0 ? START_DIGGING : START;
    this.uniforms = new UniformBlock(slots.count, materialCount(scene.cylinders.length));
    this.materials = new Materials(this.uniforms, scene.cylinders.length);
    this.rig = new Rig(scene, slots);
    this.triangles = machineMesh(scene, slots);
    this.renderer = this.makeRenderer();
    placeLights(this.uniforms, scene.bounds, this.rig.floor);
    this.control = new OrbitControl(
      host,
      { ...this.start, target: middle(scene.bounds), distance: 1 },
      { fit: () => this.fit(), reset: () => this.reset(), zoomed: () => (this.fitted = false) },
    );
    new ResizeObserver(() => this.resize()).observe(host);
    onThemeChange(() => this.retint());
    this.resize();
  }

  /** Draws if something moved and the frame budget allows it. Neither this nor what it calls may allocate. */
  draw(angles: ArrayLike<number>, moved: boolean, now: number): Drawn {
    this.pending ||= moved || this.control.changed;
    if (!this.frameBudget.allow(now) || !this.pending) return "nothing";
    this.pose(angles);
    if (this.following) this.goAfterTool();
    else this.keepInPicture();
    const turned = this.control.changed;
    if (turned) this.placeCamera();
    if (this.frameBudget.slow) this.coarsen();
    this.pending = false;
    this.uniforms.transforms.set(this.rig.matrices);
    this.renderer.render();
    this.frameBudget.drawn(now);
    return turned ? "camera" : "pose";
  }

  /** Notes that the stage was hidden. */
  rest(): void {
    this.frameBudget.rest();
  }

  /** Draws again although nothing has moved, for example after a change of colours. */
  refresh(): void {
    this.pending = true;
  }

  /** Keeps the tool in the middle of the view; direction and distance stay the same. */
  follow(on: boolean): void {
    this.following = on;
    this.fitted = !on;
    if (!on) this.fit();
    this.pending = true;
  }

  private pose(angles: ArrayLike<number>): void {
    this.rig.pose(angles);
    if (!this.posed) this.reset();
    this.posed = true;
  }

  /** Shows the whole machine from the present direction. */
  fit(): void {
    this.fitted = !this.following;
    this.reached.push(...this.rig.outline());
    this.reached = this.reached.slice(-MOST_POINTS);
    this.show(this.reached);
  }

  /** Fits the view again when the machine reaches beyond it, unless the user has zoomed. */
  private keepInPicture(): void {
    if (!this.posed || !this.fitted || this.control.changed) return;
    if (this.rig.reachesOut(this.camera, this.free)) this.fit();
  }

  /** Reserves CSS pixels at the top and at the bottom for labels and tools. */
  keepFree(top: number, bottom: number): void {
    const { free, height } = this;
    if (height === 0) return;
    // on a small stage the machine needs at least half
    const most = 0.5;
    const [above, below] = [Math.min(most, (2 * top) / height), Math.min(most, (2 * bottom) / height)];
    if (free.top === 1 - above && free.bottom === 1 - below) return;
    free.top = 1 - above;
    free.bottom = 1 - below;
    if (this.posed && this.fitted) this.fit();
    this.pending = true;
  }

  private goAfterTool(): void {
    const { target } = this.control.orbit;
    const { point } = this;
    this.rig.toolPoint(point);
    target[0] += PULL * ((point[0] as number) - target[0]);
    target[1] += PULL * ((point[1] as number) - target[1]);
    target[2] += PULL * ((point[2] as number) - target[2]);
    this.control.changed = true;
  }

  /** Shows the whole machine from the initial direction. */
  reset(): void {
    this.control.set({ ...this.control.orbit, ...this.start });
    this.fit();
  }

  /** Zooms to a cylinder, from the present direction. */
  lookAtCylinder(index: number): void {
    this.fitted = false;
    const shape = this.scene.cylinders[index];
    if (shape === undefined) return;
    this.rig.cylinderPoint(index, this.point);
    const [x, y, z] = [...this.point] as Vector;
    const reach = 1.3 * shape.tube_length;
    const box: Box = { min: [x - reach, y - 0.7 * reach, z - 0.1], max: [x + reach, y + 0.7 * reach, z + 0.1] };
    this.show(corners(box));
  }

  /** Projects a point of the world, in place, to CSS pixels of the stage. */
  project(point: Float64Array): void {
    this.camera.project(point);
    point[0] = (((point[0] as number) + 1) / 2) * this.width;
    point[1] = ((1 - (point[1] as number)) / 2) * this.height;
  }

  /** Returns the line of sight through a point of the picture, given in CSS pixels of the stage. */
  sight(x: number, y: number): { from: Vector; along: Vector } {
    return this.camera.sight(this.control.orbit, (2 * x) / this.width - 1, 1 - (2 * y) / this.height);
  }

  private show(points: readonly Vector[]): void {
    const { fieldOfView, aspect } = this.camera;
    this.control.set(fit(this.control.orbit, points, fieldOfView, aspect, MARGIN, this.free));
  }

  private makeRenderer(): Renderer {
    const { bounds } = this.scene;
    const [x, , z] = middle(bounds);
    const { floor } = this.rig;
    const span = spanOf(bounds);
    const ground = {
      floor: floorPlane([x, floor, z], span),
      grid: floorGrid([Math.round(x), floor + 0.002, Math.round(z)], 1.1 * span),
    };
    const canvas = document.createElement("canvas");
    canvas.setAttribute("aria-hidden", "true");
    const renderer = new Renderer(canvas, this.uniforms, this.triangles, ground, () => this.refresh());
    this.host.prepend(canvas);
    return renderer;
  }

  private placeCamera(): void {
    this.camera.standAt(this.control.orbit);
    this.uniforms.toPicture.set(this.camera.toPicture);
    this.uniforms.eye.set(this.camera.eye);
    this.control.changed = false;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    this.width = width;
    this.height = height;
    this.sizePicture();
    this.camera.aspect = width / height;
    this.control.changed = true;
    if (this.posed && this.fitted) this.fit();
    this.pending = true;
  }

  private sizePicture(): void {
    this.renderer.resize(Math.floor(this.width * this.pixelRatio), Math.floor(this.height * this.pixelRatio));
  }

  private retint(): void {
    this.materials.tint();
    this.pending = true;
  }

  private coarsen(): void {
    if (this.pixelRatio === 1) return;
    this.pixelRatio = 1;
    this.sizePicture();
  }
}
