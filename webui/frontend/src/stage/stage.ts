// The 3D stage: renderer, light, camera and labels around a rig. Loaded late; the rest of the page does not wait for it.
import {
  DirectionalLight,
  HemisphereLight,
  LineSegments,
  Mesh,
  NeutralToneMapping,
  PerspectiveCamera,
  PCFShadowMap,
  PlaneGeometry,
  Scene as World,
  Vector3,
  WebGLRenderer,
} from "three";
import { onThemeChange } from "../shell/tokens.ts";
import { OrbitControl } from "./orbit_control.ts";
import { Pace } from "./pace.ts";
import { makePaints, tint, type Paints } from "./paints.ts";
import { Rig } from "./rig.ts";
import type { Scene, Vector } from "./scene.ts";
import { floorGrid } from "./shapes.ts";
import { corners, eyeOf, fit, middle, outside, type Box } from "./view.ts";

const FIELD_OF_VIEW = 40;
const START = { azimuth: -0.5, elevation: 0.24 };
const MARGIN = 1.1;
const MOST_POINTS = 6_000; // what the machine once reached is forgotten beyond

export class Stage {
  readonly rig: Rig;
  private readonly renderer: WebGLRenderer;
  private readonly world = new World();
  private readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.05, 400);
  private readonly paints: Paints = makePaints();
  private readonly control: OrbitControl;
  /** Points that the machine reached when the picture had to be made larger for it. */
  private reached: Vector[] = [];
  private posed = false;
  private readonly point = new Vector3();
  private pixelRatio = Math.min(2, devicePixelRatio);
  private readonly pace = new Pace();
  private pending = true;
  private fitted = true;

  /** Throws when the browser offers no WebGL. */
  constructor(
    private readonly host: HTMLElement,
    private readonly scene: Scene,
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, powerPreference: "low-power" });
    this.rig = new Rig(scene, this.paints);
    this.control = new OrbitControl(
      host,
      { ...START, target: middle(scene.bounds), distance: 1 },
      { fit: () => this.fit(), reset: () => this.reset(), zoomed: () => (this.fitted = false) },
    );
    this.setUpRenderer();
    this.setUpWorld();
    new ResizeObserver(() => this.resize()).observe(host);
    onThemeChange(() => this.retint());
    this.resize();
  }

  /** Draws when something moved and the machine keeps up; true when it did. */
  draw(moved: boolean, now: number, sinceLastMs: number): boolean {
    this.pending ||= moved || this.control.changed;
    if (!this.pace.allow(now, sinceLastMs) || !this.pending) return false;
    this.keepInPicture();
    if (this.control.changed) this.placeCamera();
    if (this.pace.slow) this.coarsen();
    this.pending = false;
    this.renderer.render(this.world, this.camera);
    this.pace.drawn(now);
    return true;
  }

  pose(angles: ArrayLike<number>): void {
    this.rig.pose(angles);
    if (!this.posed) this.reset();
    this.posed = true;
  }

  /** The whole machine from the present side. */
  fit(): void {
    this.fitted = true;
    this.reached.push(...this.rig.outline());
    this.reached = this.reached.slice(-MOST_POINTS);
    this.show(this.reached);
  }

  /** A machine that reaches beyond the picture is shown whole again, unless somebody chose the view. */
  private keepInPicture(): void {
    const { orbit } = this.control;
    if (!this.posed || !this.fitted || this.control.changed) return;
    if (this.rig.outline().some((point) => outside(orbit, point, this.fieldOfView(), this.camera.aspect))) this.fit();
  }

  /** The whole machine from the side it was first seen. */
  reset(): void {
    this.control.set({ ...this.control.orbit, ...START });
    this.fit();
  }

  /** Goes close to a cylinder, from the present side. */
  lookAtCylinder(index: number): void {
    this.fitted = false;
    const shape = this.scene.cylinders[index];
    if (shape === undefined) return;
    const centre = this.rig.cylinderPoint(index, this.point).toArray() as Vector;
    const reach = 1.3 * shape.tube_length;
    const box: Box = {
      min: [centre[0] - reach, centre[1] - 0.7 * reach, centre[2] - 0.1],
      max: [centre[0] + reach, centre[1] + 0.7 * reach, centre[2] + 0.1],
    };
    this.show(corners(box));
  }

  /** Position of a world point in CSS pixels of the stage. */
  project(point: Vector3): Vector3 {
    point.project(this.camera);
    point.x = ((point.x + 1) / 2) * this.host.clientWidth;
    point.y = ((1 - point.y) / 2) * this.host.clientHeight;
    return point;
  }

  /** Middle of the machine in the picture. */
  middle(out: Vector3): Vector3 {
    return this.project(out.fromArray(this.control.orbit.target));
  }

  private show(points: readonly Vector[]): void {
    this.control.set(fit(this.control.orbit, points, this.fieldOfView(), this.camera.aspect, MARGIN));
  }

  private fieldOfView(): number {
    return this.camera.fov * (Math.PI / 180);
  }

  private setUpRenderer(): void {
    const { renderer } = this;
    renderer.toneMapping = NeutralToneMapping;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = PCFShadowMap;
    renderer.setPixelRatio(this.pixelRatio);
    renderer.domElement.setAttribute("aria-hidden", "true");
    this.host.prepend(renderer.domElement);
    renderer.domElement.addEventListener("webglcontextrestored", () => (this.pending = true));
  }

  private setUpWorld(): void {
    const { world } = this;
    const { bounds } = this.scene;
    const [x, , z] = middle(bounds);
    const span = Math.max(...bounds.max.map((high, i) => high - (bounds.min[i] as number)));
    const floor = new Mesh(new PlaneGeometry(6 * span, 6 * span), this.paints.shadow);
    floor.rotation.x = -Math.PI / 2;
    floor.position.set(x, this.rig.floor, z);
    floor.receiveShadow = true;
    const grid = new LineSegments(floorGrid(1.1 * span), this.paints.grid);
    grid.position.set(Math.round(x), this.rig.floor + 0.002, Math.round(z));
    world.add(this.rig.group, floor, grid, this.key(x, z, span));
    world.add(new HemisphereLight(0xffffff, 0x7d8a97, 2.1));
    const rim = new DirectionalLight(0xdfe8f5, 0.6);
    rim.position.set(x - span, 0.3 * span, z + 0.8 * span);
    world.add(rim);
    tint(this.paints);
  }

  /** High, soft light: the shadow lies close under the machine and shows where it stands. */
  private key(x: number, z: number, span: number): DirectionalLight {
    const light = new DirectionalLight(0xffffff, 2.4);
    light.position.set(x - 0.25 * span, this.rig.floor + 1.6 * span, z + 0.45 * span);
    light.target.position.set(x, this.rig.floor, z);
    light.castShadow = true;
    light.shadow.mapSize.set(1024, 512);
    light.shadow.radius = 5;
    light.shadow.bias = -0.0004;
    light.shadow.normalBias = 0.01;
    const { camera } = light.shadow;
    camera.left = -0.65 * span;
    camera.right = 0.65 * span;
    camera.top = 0.5 * span;
    camera.bottom = -0.5 * span;
    camera.far = 4 * span;
    this.world.add(light.target);
    return light;
  }

  private placeCamera(): void {
    const { orbit } = this.control;
    this.camera.position.fromArray(eyeOf(orbit));
    this.camera.lookAt(this.point.fromArray(orbit.target));
    this.control.changed = false;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.posed && this.fitted) this.fit();
    this.pending = true;
  }

  private retint(): void {
    tint(this.paints);
    this.pending = true;
  }

  private coarsen(): void {
    if (this.pixelRatio === 1) return;
    this.pixelRatio = 1;
    this.renderer.setPixelRatio(1);
  }
}
