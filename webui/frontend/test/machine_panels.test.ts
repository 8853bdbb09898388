import "./english.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { needleAngle, shortNumber, zoneOf } from "../src/machine/gauge_scale.ts";
import { filterCheck, realtimeCheck, Since, sensorCheck } from "../src/machine/health_checks.ts";
import { History } from "../src/machine/history.ts";
import { LoadClasses } from "../src/machine/load_classes.ts";
import { realtimeStateOf } from "../src/machine/realtime_panel.ts";
import { partsOf } from "../src/machine/stage/part_list.ts";
import type { Scene } from "../src/machine/stage/scene.ts";
import { eachOpening } from "../src/machine/strips/valve_openings.ts";
import { emptyFrame, VALUE } from "../src/socket/machine_messages.ts";

test("a needle goes from end to end of its scale and no further", () => {
  assert.deepEqual(
    [0, 50, 100, 200, -10, NaN].map((x) => needleAngle(x, [0, 100])),
    [-120, 0, 120, 120, -120, -120],
  );
  assert.equal(needleAngle(0, [-8, 8]), 0);
});

test("the ends of a scale are written in few digits", () => {
  assert.deepEqual(
    [0, 2399.5, -8.19, 110.4, 9.57].map((x) => shortNumber(x, 2)),
    ["0", "2400", "\u22128.2", "110", "9.6"],
  );
});

test("a value is red from one end of a zone to the other", () => {
  assert.deepEqual(
    [79, 80, 100, 101, NaN].map((x) => zoneOf(x, [[80, 100]])),
    ["plain", "red", "red", "plain", "plain"],
  );
  assert.equal(zoneOf(5, []), "plain");
});

/** Three channels: a pump, a rod, and a motor whose power counts the other way; then a pressure. */
function countedClasses(compliance: number) {
  const out = [
    { index: 1, sign: 1 },
    { index: 2, sign: -1 },
  ];
  const classes = new LoadClasses({ in: [{ index: 0, sign: 1 }], out, stores: [{ index: 3, compliance }], full: 1000 });
  const frame = emptyFrame(4);
  frame.status = "synced";
  frame.flags.fill(VALUE);
  const at = (t: number, values: number[]) => {
    frame.t = t * 1e6;
    frame.value.set(values);
    classes.take(frame);
  };
  return { classes, frame, at };
}

test("energies add up by load class, and what sinks gives to the oil", () => {
  const { classes, frame, at } = countedClasses(2e-12);
  at(10, [800, 400, -200, 0]); // the first frame only starts the clock
  at(10.25, [800, 400, -200, 1e7]); // a motor takes power: its sign is turned; oil is pressed together
  at(10.5, [800, -300, 100, 0]); // a sinking load gives power back, a braking motor too, and 100 J come out of the oil
  at(11.5, [800, 400, 0, 0]); // a gap
  at(11.75, [50, 0, 0, 0]);
  const [idle, , , heavy] = classes.classes;
  assert.deepEqual(heavy, { upTo: Infinity, seconds: 0.5, inJ: 400 + 100 + 100, outJ: 150 });
  assert.deepEqual(idle, { upTo: 0.1, seconds: 0.25, inJ: 12.5, outJ: 0 });
  assert.equal(classes.seconds, 0.75);
  frame.status = "coasting";
  at(12, [800, 400, 0, 0]);
  assert.equal(classes.seconds, 0.75, "a model left alone says nothing about efficiency");
});

test("a boom that bounces on its oil makes no energy", () => {
  const compliance = 2e-11; // m³/Pa
  const { classes, at } = countedClasses(compliance);
  const step = 0.002; // s
  const energy = (t: number) => 900 + 800 * Math.cos(2 * Math.PI * 2 * t); // J in the oil; the mass has the rest
  for (let t = 0; t < 5; t += step) {
    const power = (energy(t - step) - energy(t)) / step;
    at(t, [20, power, 0, Math.sqrt((2 * energy(t)) / compliance)]);
  }
  const [idle] = classes.classes;
  assert.ok(idle !== undefined && idle.outJ > 10_000, "it bounces");
  assert.ok(idle.outJ < idle.inJ, `${idle.outJ} J out of ${idle.inJ} J`);
});

test("stretches in which a valve was open are found with their ends", () => {
  const history = new History(1);
  const frame = emptyFrame(1);
  frame.flags.fill(VALUE);
  [0, 0, 5, 5, 0, -5, -5].forEach((spool, i) => {
    frame.t = (100 + i) * 1e6;
    frame.value[0] = spool;
    history.push(frame);
  });
  const found: Array<[number, number]> = [];
  eachOpening(history, { index: 0, limit: 10 }, 0, 1e9, (start, end) => found.push([start, end]));
  assert.deepEqual(found, [
    [102, 104],
    [105, 106],
  ]);
});

test("concerns say what and since when", () => {
  assert.deepEqual(sensorCheck([], 0), { level: "ok", words: "Sensors OK" });
  const findings = [
    { kind: "stuck", channel: "hose.p", since: 3e6, text: "", code: "", values: {} },
    { kind: "diverged", channel: "", since: 0, text: "", code: "", values: {} },
  ];
  assert.deepEqual(sensorCheck(findings, 15e6), { level: "plan", words: "1 sensor excluded for 12 s" });
  assert.equal(filterCheck("reliable", 3).level, "ok");
  assert.deepEqual(filterCheck("unfit", 30), { level: "plan", words: "Model no longer fits for 30 s" });
  assert.deepEqual(filterCheck("cautious", 30), { level: "ok", words: "Estimates reliable" });
  assert.equal(filterCheck("unknown", 0).level, "off");
  assert.deepEqual(realtimeCheck("late", 4), { level: "plan", words: "Live view delayed for 4 s" });
  const since = new Since();
  assert.equal(since.take("a", 1000), 0);
  assert.equal(since.take("a", 3500), 2.5);
  assert.equal(since.take("b", 4000), 0);
});

test("real time is kept, tight or missed", () => {
  assert.equal(realtimeStateOf(null, 0), "unknown");
  assert.equal(realtimeStateOf(0.1, 0), "kept");
  assert.equal(realtimeStateOf(0.8, 0), "tight");
  assert.equal(realtimeStateOf(0.1, 0.05), "late");
});

test("parts that can be chosen are those that are drawn", () => {
  const joint = { type: "revolute", origin: [0, 0, 0], axis: [0, 0, 1], start: 0, channel: "boom.angle" };
  const beam = { kind: "beam", from: [0, 0, 0], to: [1, 0, 0], width: 0.1, depth: 0.1 };
  const channels = { p_A: "lift.p_A", p_B: null, length: "lift.length", force: "lift.force" };
  const scene = {
    bodies: [
      { name: "boom", parent: "ground", joint, shapes: [beam] },
      { name: "crankshaft", parent: "ground", joint, shapes: [] },
    ],
    cylinders: [
      { name: "lift", channels },
      { name: "fold", channels: { ...channels, p_A: "fold.p_A" } },
    ],
  } as unknown as Scene;
  const parts = partsOf(scene);
  assert.deepEqual(
    parts.map(({ name }) => name),
    ["Boom", "Lift cylinder", "Fold cylinder"],
  );
  assert.deepEqual(
    parts[1]?.values.map(({ channel }) => channel),
    ["lift.force", "lift.p_A", "lift.length"],
  );
});
