import assert from "node:assert/strict";
import { test } from "node:test";
import { mostInWords, poseInWords } from "../src/machine/stage/caption.ts";
import { cylinderName, firstOfPairs } from "../src/machine/stage/loads.ts";
import { fit, type Orbit } from "../src/machine/stage/orbit.ts";
import type { CylinderShape, Scene } from "../src/machine/stage/scene.ts";
import { boxOf, extremes } from "../src/machine/stage/solids.ts";
import { type Channel, emptyFrame, VALUE } from "../src/socket/machine_messages.ts";

function cylinder(name: string, chambers: string): CylinderShape {
  const end = { body: "ground", at: [0, 0, 0] as [number, number, number] };
  const channels = { p_A: `${chambers}.p_A`, p_B: `${chambers}.p_B`, length: null, force: `${name}.force` };
  return { name, base: end, rod: end, bore: 0.1, rod_diameter: 0.05, tube_length: 1, full_force: 2e5, channels };
}

const CYLINDERS = [cylinder("boom", "boom"), cylinder("boom right", "boom"), cylinder("dipper", "dipper")];
const CHANNELS: Channel[] = [
  { name: "boom.angle", label: "Boom angle", unit: "rad", quantity: "angle", role: "sensor" },
  { name: "rocker.angle", label: "Rocker angle", unit: "rad", quantity: "angle", role: "estimate" },
  ...["boom", "boom right", "dipper"].map(
    (name): Channel => ({ name: `${name}.force`, label: name, unit: "N", quantity: "force", role: "estimate" }),
  ),
];
const joint = (channel: string) => ({ type: "revolute", origin: [0, 0, 0], axis: [0, 0, 1], start: 0, channel });
const SCENE = {
  bodies: ["boom.angle", "rocker.angle"].map((channel) => ({
    name: channel,
    parent: "ground",
    joint: joint(channel),
    shapes: [],
  })),
  anchors: [],
  cylinders: CYLINDERS,
  bounds: { min: [0, 0, 0], max: [1, 1, 1] },
} as unknown as Scene;

function frameWith(values: number[]) {
  const frame = emptyFrame(values.length);
  frame.value.set(values);
  frame.flags.fill(VALUE);
  return frame;
}

test("two cylinders on the same chambers are one pair", () => {
  assert.deepEqual(firstOfPairs(CYLINDERS), [0, 0, 2]);
  assert.equal(cylinderName(CYLINDERS, 1), "boom cylinders, each");
  assert.equal(cylinderName(CYLINDERS, 2), "dipper cylinder");
});

test("the caption tells what a sensor watches and which cylinder carries most", () => {
  const frame = frameWith([Math.PI / 4, 1, -5e4, -5e4, 1.5e5]);
  assert.equal(poseInWords(frame, SCENE, CHANNELS), "Boom 45.0°");
  assert.equal(mostInWords(frame, SCENE, CHANNELS), "Highest load: Dipper cylinder, 150.0 kN (75 % of full force)");
  frame.value.set([0, 0, -1.6e5, -1.6e5, 1.5e5]);
  assert.match(mostInWords(frame, SCENE, CHANNELS), /^Highest load: Boom cylinders, 160.0 kN each \(80 %/);
});

test("without numbers the caption is silent", () => {
  const frame = frameWith([0, 0, 0, 0, 0]);
  frame.flags.fill(0);
  assert.equal(poseInWords(frame, SCENE, CHANNELS) + mostInWords(frame, SCENE, CHANNELS), "");
});

test("a body without a shape takes no room in the picture", () => {
  const beam = { kind: "beam", from: [0, 0, 0], to: [2, 0, 0], width: 0.2, depth: 0.2 } as const;
  const points = [[], [{ ...beam, from: [0, 0, 0], to: [2, 0, 0] }]].flatMap((shapes) =>
    shapes.flatMap((shape) => extremes(shape as never)),
  );
  const start: Orbit = { target: [0, 0, 0], azimuth: 0.3, elevation: 0.2, distance: 1 };
  const orbit = fit(start, points, 0.7, 1.5);
  assert.ok(Number.isFinite(orbit.distance));
  assert.ok(!Number.isFinite(boxOf([]).min[0]));
});
