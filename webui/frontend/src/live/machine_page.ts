// The live page of one machine: frames in, everything on the screen from them, each part at its own pace.
import { InnovationStrip } from "../strips/innovation.ts";
import { Strip, rangeFor, updateStrips, type Moment } from "../strips/strip.ts";
import type { SteadyRange } from "../strips/range.ts";
import { Kinematics } from "../stage/kinematics.ts";
import type { Scene } from "../stage/scene.ts";
import { StagePanel } from "../stage/stage_panel.ts";
import { afterPaint, need, setText } from "../shell/dom.ts";
import { onThemeChange, reducedMotion } from "../shell/tokens.ts";
import { Tile } from "../tiles/tile.ts";
import { Banner } from "./banner.ts";
import { ServerClock } from "./clock.ts";
import { HealthPanel } from "./health_panel.ts";
import { History } from "./history.ts";
import { PauseButton } from "./pause.ts";
import { Playout } from "./playout.ts";
import { Rhythm } from "./rhythm.ts";
import { LiveSocket, type Connection, type Listener } from "./socket.ts";
import { verdict, type Verdict } from "./status.ts";
import { VerdictStrip } from "./verdict_strip.ts";
import { WireReader, type Channel, type Frame } from "./wire.ts";

export interface PageData {
  socket: string;
  channels: Channel[];
  scene: Scene;
}

const NUMBERS_MS = 250;
const STRIPS_MS = 50;
const CALM_MS = 1_000;
const WORDS_MS = 1_000;

export class MachinePage implements Listener {
  private readonly clock = new ServerClock();
  private readonly history: History;
  private readonly socket: LiveSocket;
  private readonly banner: Banner;
  private readonly strip: VerdictStrip;
  private readonly stage: StagePanel;
  private readonly playout: Playout;
  private readonly poseChannels: number[];
  private readonly tiles: Tile[] = [];
  private readonly strips: Strip[] = [];
  private readonly innovations: InnovationStrip[] = [];
  private readonly health: HealthPanel;
  private readonly pause: PauseButton;
  private readonly numbers = new Rhythm(NUMBERS_MS);
  private readonly plots = new Rhythm(reducedMotion() ? CALM_MS : STRIPS_MS);
  private readonly poses = new Rhythm(reducedMotion() ? CALM_MS : 0);
  private readonly words = new Rhythm(WORDS_MS);
  private connectionState: Connection = { state: "connecting" };
  private frameNow: Frame | null = null;
  private held: Omit<Moment, "pausedS"> = { now: 0, status: "waiting", ageS: null };
  private readonly stripsTitle: Element;
  private drawnAt = 0;
  private tellNumbersShown: () => void = () => undefined;
  private readonly numbersShown = new Promise<void>((resolve) => (this.tellNumbersShown = resolve));

  constructor(
    private readonly root: HTMLElement,
    private readonly data: PageData,
  ) {
    const { channels, scene } = data;
    this.history = new History(channels.length);
    const joints = new Kinematics(scene).channels;
    this.poseChannels = joints.map((name) => this.indexOf(name));
    this.playout = new Playout(joints.length);
    const reader = new WireReader(channels.length);
    this.socket = new LiveSocket(socketUrl(data.socket), channels, reader, this.clock, this);
    this.banner = new Banner(need(root, ".banner"), () => this.socket.retryNow());
    this.strip = new VerdictStrip(need(root, ".verdict"), need(root, ".spoken-status"));
    this.stage = new StagePanel(need(root, ".stage"), scene, channels);
    this.pause = new PauseButton(need(root, ".pause"), () => this.plots.hurry());
    this.stripsTitle = need(root, "#strips-title");
    this.addTiles();
    this.addStrips();
    this.addInnovations();
    this.health = new HealthPanel(need(root, ".health"), need(root, ".findings"));
  }

  start(): void {
    this.socket.start();
    requestAnimationFrame((now) => this.animate(now));
    void this.stage.load(this.numbersShown); // its code is large, and without numbers there is no pose to show
    onThemeChange(() => [...this.strips, ...this.innovations].forEach((strip) => strip.repaint()));
  }

  past(frame: Frame): void {
    this.history.push(frame);
  }

  frame(frame: Frame): void {
    if (this.frameNow === null) this.numbers.hurry();
    this.frameNow = frame;
    this.history.push(frame);
    this.playout.push(frame.t / 1e6, frame.value, this.poseChannels);
  }

  connection(connection: Connection): void {
    this.connectionState = connection;
    this.banner.show(connection, performance.now());
    this.numbers.hurry();
  }

  /** Runs only while the page is visible: the browser stops it otherwise, and frames are still collected. */
  private animate(now: number): void {
    const elapsed = now - this.drawnAt;
    this.drawnAt = now;
    const judged = verdict(this.frameNow, this.clock.now(now), this.connectionState.state === "open");
    this.drawPose(now, elapsed);
    if (this.numbers.due(now)) this.showNumbers(judged, now);
    if (this.plots.due(now)) this.drawStrips(judged, now);
    if (this.words.due(now)) this.describe();
    requestAnimationFrame((next) => this.animate(next));
  }

  private describe(): void {
    this.strips.forEach((strip) => strip.describe());
    this.innovations.forEach((strip) => strip.describe(this.frameNow?.findings ?? []));
  }

  private drawPose(now: number, elapsed: number): void {
    if (this.frameNow === null) return;
    const moving = !this.pause.paused && this.poses.due(now);
    const moved = moving && this.playout.sample(elapsed / 1000, !reducedMotion());
    this.stage.draw(this.playout.pose, moved, now, elapsed);
  }

  private showNumbers(judged: Verdict, now: number): void {
    this.banner.show(this.connectionState, now);
    this.strip.show(judged, this.frameNow, this.pause.seconds(now), now);
    this.stage.showVerdict(judged);
    this.pause.tick(now);
    const frame = this.frameNow;
    if (frame === null) return;
    const pausedS = this.pause.seconds(now);
    for (const tile of this.tiles) {
      if (pausedS === null) tile.show(frame, judged.status, judged.ageS);
      else tile.showPaused(pausedS);
    }
    if (pausedS === null) this.stage.showLabels(frame, judged.status);
    if (pausedS === null) this.health.show(frame);
    afterPaint(this.tellNumbersShown);
  }

  private drawStrips(judged: Verdict, now: number): void {
    const pausedS = this.pause.seconds(now);
    if (pausedS === null) this.held = { now: this.machineNow(now), status: judged.status, ageS: judged.ageS };
    updateStrips(this.strips, { ...this.held, pausedS });
    for (const strip of this.innovations) strip.update({ ...this.held, pausedS });
    setText(this.stripsTitle, pausedS === null ? "Last 60 seconds" : "60 s before the pause");
  }

  /** Machine time in s: the newest state, carried on by the server's clock, so that silence shows as a gap. */
  private machineNow(now: number): number {
    const frame = this.frameNow;
    return frame === null ? 0 : (frame.t + Math.max(0, this.clock.now(now) - frame.ts)) / 1e6;
  }

  private addTiles(): void {
    for (const element of this.root.querySelectorAll<HTMLElement>(".tile")) {
      const index = this.indexOf(element.dataset.channel ?? "");
      this.tiles.push(new Tile(element, this.data.channels[index] as Channel, index));
    }
  }

  /** Strips of one quantity share their axis. */
  private addStrips(): void {
    const ranges = new Map<string, SteadyRange>();
    for (const element of this.root.querySelectorAll<HTMLElement>(".strip")) {
      const index = this.indexOf(element.dataset.channel ?? "");
      const main = { channel: this.data.channels[index] as Channel, index };
      const { quantity } = main.channel;
      const range = ranges.get(quantity) ?? rangeFor(main.channel);
      ranges.set(quantity, range);
      this.strips.push(new Strip(element, [main, ...this.simulatedBeside(main.channel)], this.history, range));
    }
  }

  private addInnovations(): void {
    for (const element of this.root.querySelectorAll<HTMLElement>(".innovation")) {
      const index = this.indexOf(element.dataset.channel ?? "");
      this.innovations.push(new InnovationStrip(element, this.data.channels[index] as Channel, index, this.history));
    }
  }

  /** A command is drawn together with what the model makes of it. */
  private simulatedBeside(main: Channel): Array<{ channel: Channel; index: number }> {
    if (main.role !== "input") return [];
    return this.data.channels
      .map((channel, index) => ({ channel, index }))
      .filter(({ channel }) => channel.role === "model" && channel.quantity === main.quantity);
  }

  private indexOf(name: string): number {
    const index = this.data.channels.findIndex((channel) => channel.name === name);
    if (index < 0) throw new Error(`the machine has no channel ${name}`);
    return index;
  }
}

function socketUrl(path: string): string {
  const url = new URL(path, location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}
