// The live page of one machine: receives frames and updates each part of the page at its own rate.

import { learnLabels } from "../messages.ts";
import { Banner } from "../shell/connection_banner.ts";
import { afterPaint, need, setText } from "../shell/dom.ts";
import { onThemeChange, reducedMotion } from "../shell/tokens.ts";
import { type Channel, type Frame, MessageDecoder } from "../socket/machine_messages.ts";
import { type Connection, type FrameListener, MachineSocket } from "../socket/machine_socket.ts";
import { socketUrl } from "../socket/reconnecting_socket.ts";
import { ServerClock } from "../socket/server_clock.ts";
import { learnNames, t } from "../words.ts";
import { CircuitPanel } from "./circuit/circuit_panel.ts";
import { DockedStrip } from "./circuit/docked_strip.ts";
import { EfficiencyPanel } from "./efficiency_panel.ts";
import { Gauge } from "./gauge.ts";
import { HealthPanel } from "./health_panel.ts";
import { History } from "./history.ts";
import { JitterBuffer } from "./jitter_buffer.ts";
import { PauseButton } from "./pause.ts";
import { RealtimePanel } from "./realtime_panel.ts";
import { Kinematics } from "./stage/kinematics.ts";
import type { Scene } from "./stage/scene.ts";
import { StagePanel } from "./stage/stage_panel.ts";
import { type Verdict, verdict } from "./status.ts";
import { InnovationStrip } from "./strips/innovation.ts";
import type { SteadyRange } from "./strips/range.ts";
import { type Moment, rangeFor, Strip, updateStrips } from "./strips/strip.ts";
import type { ValveOpening } from "./strips/valve_openings.ts";
import { Throttle } from "./throttle.ts";
import { Tile } from "./tile.ts";
import { VerdictStrip } from "./verdict_strip.ts";

export interface PageData {
  socket: string;
  channels: Channel[];
  /** Display names of parts that differ from their names in the description. */
  names: Record<string, string>;
  scene: Scene;
  /** Constant pressures by name, Pa. */
  sources: Record<string, number>;
  /** For each pressure channel: the spool of the valve that feeds it, and the spool's limit, V. */
  openings: Record<string, { spool: string; limit: number }>;
  powers: { in: string[]; out: Array<[string, number]>; stores: Array<[string, number]>; full: number } | null;
}

const NUMBERS_MS = 250;
const STRIPS_MS = 50;
const CALM_MS = 1_000;
const WORDS_MS = 1_000;

export class MachinePage implements FrameListener {
  private readonly clock = new ServerClock();
  private readonly history: History;
  private readonly socket: MachineSocket;
  private readonly banner: Banner;
  private readonly strip: VerdictStrip;
  private readonly stage: StagePanel;
  private readonly jitterBuffer: JitterBuffer;
  private readonly poseChannels: number[];
  private readonly tiles: Tile[] = [];
  private readonly gauges: Gauge[] = [];
  private readonly strips: Strip[] = [];
  private readonly innovations: InnovationStrip[] = [];
  private readonly health: HealthPanel;
  private readonly realtime: RealtimePanel;
  private readonly efficiency: EfficiencyPanel | null;
  private readonly circuit: CircuitPanel | null;
  private readonly pause: PauseButton;
  private readonly numbers = new Throttle(NUMBERS_MS);
  private readonly plots = new Throttle(reducedMotion() ? CALM_MS : STRIPS_MS);
  private readonly poses = new Throttle(reducedMotion() ? CALM_MS : 0);
  private readonly words = new Throttle(WORDS_MS);
  private connectionState: Connection = { state: "connecting" };
  private frameNow: Frame | null = null;
  private held: Omit<Moment, "pausedS"> = { now: 0, status: "waiting", ageS: null };
  private readonly stripsTitle: Element;
  private readonly animateNext = (now: number) => this.animate(now);
  private tellNumbersShown: () => void = () => undefined;
  private readonly numbersShown = new Promise<void>((resolve) => (this.tellNumbersShown = resolve));

  constructor(
    private readonly root: HTMLElement,
    private readonly data: PageData,
  ) {
    const { channels, scene } = data;
    learnNames(data.names);
    learnLabels(data.channels);
    this.history = new History(channels.length);
    const joints = new Kinematics(scene).channels;
    this.poseChannels = joints.map((name) => this.indexOf(name));
    this.jitterBuffer = new JitterBuffer(joints.length);
    const reader = new MessageDecoder(channels.length);
    this.socket = new MachineSocket(socketUrl(data.socket), channels, reader, this.clock, this);
    this.banner = new Banner(need(root, ".banner"), () => this.socket.retryNow());
    this.strip = new VerdictStrip(need(root, ".verdict"), need(root, ".spoken-status"));
    this.stage = new StagePanel(need(root, ".stage"), scene, channels);
    this.pause = new PauseButton(need(root, ".pause"), () => this.plots.hurry());
    this.stripsTitle = need(root, "#strips-title");
    this.addTiles();
    this.addStrips();
    this.addInnovations();
    this.health = new HealthPanel(need(root, ".health"), need(root, ".findings"));
    this.realtime = new RealtimePanel(need(root, ".realtime"));
    this.efficiency = this.makeEfficiency();
    this.circuit = this.makeCircuit();
  }

  start(): void {
    this.socket.start();
    requestAnimationFrame(this.animateNext);
    void this.stage.load(this.numbersShown); // not before: its code is large
    onThemeChange(() => [...this.strips, ...this.innovations].forEach((strip) => strip.repaint()));
  }

  past(frame: Frame): void {
    this.history.push(frame);
    this.efficiency?.take(frame);
  }

  frame(frame: Frame): void {
    if (this.frameNow === null) this.numbers.hurry();
    this.frameNow = frame;
    this.history.push(frame);
    this.efficiency?.take(frame);
    this.jitterBuffer.push(frame.t / 1e6, frame.value, this.poseChannels);
  }

  connection(connection: Connection): void {
    this.connectionState = connection;
    this.banner.show(connection, performance.now());
    this.numbers.hurry();
  }

  /** Updates the page, but only while it is visible; frames are collected in any case. */
  private animate(now: number): void {
    this.drawPose(now);
    if (this.numbers.due(now)) this.showNumbers(this.judge(now), now);
    if (this.plots.due(now)) this.drawStrips(this.judge(now), now);
    if (this.words.due(now)) this.describe();
    requestAnimationFrame(this.animateNext);
  }

  private judge(now: number): Verdict {
    return verdict(this.frameNow, this.clock.now(now), this.connectionState.state === "open");
  }

  private describe(): void {
    this.strips.forEach((strip) => strip.describe());
    this.innovations.forEach((strip) => strip.describe(this.frameNow?.findings ?? []));
  }

  /**
   * Draws the pose with every picture; neither it nor what it calls may allocate. Does nothing while the stage is
   * hidden.
   */
  private drawPose(now: number): void {
    if (this.frameNow === null || !this.stage.seen) return;
    const moving = !this.pause.paused && this.poses.due(now);
    const moved = moving && this.jitterBuffer.sample(now, !reducedMotion());
    this.stage.draw(this.jitterBuffer.pose, moved, now);
  }

  private showNumbers(judged: Verdict, now: number): void {
    this.banner.show(this.connectionState, now);
    const running = judged.status === "synced" || judged.status === "coasting";
    this.realtime.show(this.frameNow, running, now);
    this.strip.show(judged, this.frameNow, this.realtime.state, this.pause.seconds(now), now);
    this.stage.showVerdict(judged);
    const frame = this.frameNow;
    if (frame === null) return;
    const pausedS = this.pause.seconds(now);
    for (const tile of [...this.tiles, ...this.gauges]) {
      if (pausedS === null) tile.show(frame, judged.status, judged.ageS);
      else tile.showPaused(pausedS);
    }
    if (pausedS === null) {
      this.stage.showLabels(frame, judged.status, judged.ageS);
      this.health.show(frame);
      this.circuit?.show(frame, judged.status, judged.ageS);
      this.efficiency?.show();
    }
    afterPaint(this.tellNumbersShown);
  }

  private drawStrips(judged: Verdict, now: number): void {
    const pausedS = this.pause.seconds(now);
    if (pausedS === null) this.held = { now: this.machineNow(now), status: judged.status, ageS: judged.ageS };
    updateStrips(this.strips, { ...this.held, pausedS });
    for (const strip of this.innovations) strip.update({ ...this.held, pausedS });
    setText(this.stripsTitle, pausedS === null ? t("Last 60 seconds") : t("60 s before the pause"));
  }

  /**
   * Machine time, s: the time of the newest frame, continued with the server's clock, so that silence shows as a gap.
   */
  private machineNow(now: number): number {
    const frame = this.frameNow;
    return frame === null ? 0 : (frame.t + Math.max(0, this.clock.now(now) - frame.ts)) / 1e6;
  }

  private addTiles(): void {
    for (const element of this.root.querySelectorAll<HTMLElement>(".tile")) {
      const index = this.indexOf(element.dataset.channel ?? "");
      this.tiles.push(new Tile(element, this.data.channels[index] as Channel, index));
    }
    for (const element of this.root.querySelectorAll<HTMLElement>(".gauge")) {
      const index = this.indexOf(element.dataset.channel ?? "");
      this.gauges.push(new Gauge(element, this.data.channels[index] as Channel, index));
    }
  }

  /** Adds the strips; strips of the same quantity share their axis. */
  private addStrips(): void {
    const ranges = new Map<string, SteadyRange>();
    for (const element of this.root.querySelectorAll<HTMLElement>(".strip")) {
      const index = this.indexOf(element.dataset.channel ?? "");
      const main = { channel: this.data.channels[index] as Channel, index };
      const { quantity } = main.channel;
      const range = ranges.get(quantity) ?? rangeFor(main.channel);
      ranges.set(quantity, range);
      this.strips.push(
        new Strip(
          element,
          [main, ...this.simulatedBeside(main.channel)],
          this.history,
          range,
          this.openingOf(main.channel.name),
        ),
      );
    }
  }

  /** Returns null for a machine without hydraulics. */
  private makeCircuit(): CircuitPanel | null {
    const root = this.root.querySelector<HTMLElement>(".circuit");
    if (root === null) return null;
    const dock = new DockedStrip(root, this.root);
    const { channels, scene, sources } = this.data;
    return new CircuitPanel(root, channels, { full: scene.full_pressure, sources }, (channel) => dock.open(channel));
  }

  private makeEfficiency(): EfficiencyPanel | null {
    const { powers } = this.data;
    const root = this.root.querySelector<HTMLElement>(".efficiency");
    if (powers === null || root === null) return null;
    return new EfficiencyPanel(root, {
      in: powers.in.map((name) => ({ index: this.indexOf(name), sign: 1 })),
      out: powers.out.map(([name, sign]) => ({ index: this.indexOf(name), sign })),
      stores: powers.stores.map(([name, compliance]) => ({ index: this.indexOf(name), compliance })),
      full: powers.full,
    });
  }

  private openingOf(channel: string): ValveOpening | null {
    const opening = this.data.openings[channel];
    return opening === undefined ? null : { index: this.indexOf(opening.spool), limit: opening.limit };
  }

  private addInnovations(): void {
    for (const element of this.root.querySelectorAll<HTMLElement>(".innovation")) {
      const index = this.indexOf(element.dataset.channel ?? "");
      this.innovations.push(new InnovationStrip(element, this.data.channels[index] as Channel, index, this.history));
    }
  }

  /** Returns the model channels that are drawn together with a command. */
  private simulatedBeside(main: Channel): Array<{ channel: Channel; index: number }> {
    if (main.role !== "input") return [];
    const owner = (name: string) => name.slice(0, name.lastIndexOf("."));
    return this.data.channels
      .map((channel, index) => ({ channel, index }))
      .filter(
        ({ channel }) =>
          channel.role === "model" && channel.quantity === main.quantity && owner(channel.name) === owner(main.name),
      );
  }

  private indexOf(name: string): number {
    const index = this.data.channels.findIndex((channel) => channel.name === name);
    if (index < 0) throw new Error(`the machine has no channel ${name}`);
    return index;
  }
}
