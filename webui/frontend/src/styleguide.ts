// Entry point of the style guide: the live components with fixed, invented data.
import { CircuitPanel } from "./machine/circuit/circuit_panel.ts";
import { History } from "./machine/history.ts";
import type { Scene } from "./machine/stage/scene.ts";
import { StagePanel } from "./machine/stage/stage_panel.ts";
import type { Status } from "./machine/status.ts";
import { InnovationStrip } from "./machine/strips/innovation.ts";
import { rangeFor, Strip, updateStrips } from "./machine/strips/strip.ts";
import { need } from "./shell/dom.ts";
import { showToast } from "./shell/toast.ts";
import { onThemeChange } from "./shell/tokens.ts";
import {
  type Channel,
  emptyFrame,
  type Frame,
  INNOVATION,
  MEASURED,
  SIGMA,
  UNCORRECTED,
  VALUE,
} from "./socket/machine_messages.ts";

const CHANNELS: Channel[] = [
  { name: "hose.p", label: "Hose pressure", unit: "Pa", quantity: "pressure", role: "sensor" },
  { name: "cylinder.p_A", label: "Piston chamber pressure", unit: "Pa", quantity: "pressure", role: "estimate" },
  { name: "valve.command", label: "Valve command", unit: "V", quantity: "voltage", role: "input" },
  { name: "valve.spool", label: "Valve spool", unit: "V", quantity: "voltage", role: "model" },
  { name: "link.angle", label: "Link angle", unit: "rad", quantity: "angle", role: "estimate" },
];
const FLAGS = [
  VALUE | SIGMA | MEASURED | UNCORRECTED | INNOVATION,
  VALUE | SIGMA | UNCORRECTED,
  VALUE | MEASURED,
  VALUE,
  VALUE | SIGMA,
];
const NOW = 1_000;
const SILENT: Partial<Record<Status, number>> = { coasting: 3, stale: 12 };

const SCENE: Scene = {
  bodies: [
    {
      name: "link",
      parent: "ground",
      joint: { type: "revolute", origin: [0, 0, 0], axis: [0, 0, 1], start: 0, channel: "link.angle" },
      shapes: [{ kind: "beam", from: [0, 0, 0], to: [2, 0, 0], width: 0.2, depth: 0.2 }],
    },
  ],
  anchors: [
    { name: "bearing", at: [0, 0, 0] },
    { name: "foot", at: [-1, 0, 0] },
  ],
  cylinders: [
    {
      name: "cylinder",
      base: { body: "ground", at: [-1, 0, 0] },
      rod: { body: "link", at: [1, 0, 0] },
      bore: 0.12,
      rod_diameter: 0.06,
      tube_length: 0.9,
      full_force: 1e5,
      channels: { p_A: "cylinder.p_A", p_B: "hose.p", length: "", force: "" },
    },
  ],
  bounds: { min: [-1.3, -0.2, -0.3], max: [1.8, 1.9, 0.3] },
  full_pressure: 70e5,
  fills: [],
  payload: null,
};

/** Fills in an invented machine at time t: slow waves, and an uncertainty that grows without data. */
function sample(frame: Frame, t: number, alone: number): Frame {
  const wave = Math.sin(t / 4);
  const command = wave > 0.4 ? 6 : wave < -0.4 ? -6 : 0;
  const jitter = 0.5e5 * Math.sin(t * 91.7) * Math.cos(t * 37.3);
  frame.t = t * 1e6;
  frame.tSample = alone > 0 ? frame.tSample : t * 1e6;
  frame.status = alone > 0.5 ? "coasting" : "synced";
  frame.value.set([31e5 + 5e5 * wave, 28e5 + 4e5 * Math.sin(t / 4 - 0.3), command, 0.96 * command, 1.0]);
  frame.sigma.set([0.2e5 * (1 + alone), 0.75e5 * (1 + alone), 0, 0, 0.002]);
  frame.measured.set([31e5 + 5e5 * wave + jitter, 0, command, 0, 0]);
  frame.uncorrected.set([32e5 + 6e5 * Math.sin(t / 4 - 0.5), 30e5 + 5e5 * Math.sin(t / 4 - 0.6), 0, 0, 0]);
  frame.innovation.set([4 * jitter, 0, 0, 0, 0]);
  frame.spread.set([0.6e5, 0, 0, 0, 0]);
  frame.flags.set(FLAGS);
  return frame;
}

function historyUntil(status: Status): History {
  const history = new History(CHANNELS.length);
  if (status === "waiting") return history;
  const silent = SILENT[status] ?? 0;
  const end = NOW - Math.max(0, silent - 5);
  const frame = emptyFrame(CHANNELS.length);
  for (let t = NOW - 62; t <= end; t += 0.05) history.push(sample(frame, t, Math.max(0, t - (NOW - silent))));
  return history;
}

function showStrips(): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-guide=strips] .strip")) {
    const status = element.dataset.state as Status;
    const index = CHANNELS.findIndex((channel) => channel.name === element.dataset.channel);
    const traces = [{ channel: CHANNELS[index] as Channel, index }];
    if (index === 2) traces.push({ channel: CHANNELS[3] as Channel, index: 3 });
    const strip = new Strip(element, traces, historyUntil(status), rangeFor(CHANNELS[index] as Channel));
    updateStrips([strip], { now: NOW, status, ageS: SILENT[status] ?? 0.1, pausedS: null });
    strip.describe();
    onThemeChange(() => strip.repaint());
  }
}

function showInnovations(): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-guide=innovations] .innovation")) {
    const strip = new InnovationStrip(element, CHANNELS[0] as Channel, 0, historyUntil("synced"));
    strip.update({ now: NOW, status: "synced", ageS: 0.1, pausedS: null });
    strip.describe([]);
    onThemeChange(() => strip.repaint());
  }
}

async function showStage(): Promise<void> {
  const panel = new StagePanel(need(document, ".stage"), SCENE, CHANNELS);
  const pose = [1.0];
  await panel.load();
  panel.showLabels(sample(emptyFrame(CHANNELS.length), NOW, 0), "synced", 0.1);
  const draw = (now: number) => {
    panel.draw(pose, false, now);
    panel.showVerdict({ status: "synced", ageS: 0.1, sentence: "" });
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
}

function showCircuit(): void {
  const circuit = new CircuitPanel(
    need(document, ".circuit"),
    CHANNELS,
    { full: 76e5, sources: { pump: 76e5, tank: 1e5 } },
    () => undefined,
  );
  circuit.show(sample(emptyFrame(CHANNELS.length), NOW, 0), "synced", 0.1);
}

showStrips();
showCircuit();
showInnovations();
void showStage();
need(document, "[data-guide=toast]").addEventListener("click", () =>
  showToast("The twin is in step with the machine again."),
);
