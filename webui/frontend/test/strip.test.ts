import assert from "node:assert/strict";
import { test } from "node:test";
import { displayOf } from "../src/format.ts";
import { History } from "../src/machine/history.ts";
import { originOf, seriesOf } from "../src/machine/series.ts";
import { niceStep, SteadyRange, ticks } from "../src/machine/strips/range.ts";
import { pairAt, picture, rows, stateAt, takeaway } from "../src/machine/strips/summary.ts";
import { dotSpacing, runEnd } from "../src/machine/strips/trace.ts";
import { emptyFrame, MEASURED, SIGMA, VALUE } from "../src/socket/machine_messages.ts";

function pressureHistory(): History {
  const history = new History(1);
  const frame = emptyFrame(1);
  frame.flags[0] = VALUE | SIGMA | MEASURED;
  for (let i = 0; i <= 200; i++) {
    frame.t = frame.tSample = (100 + i * 0.05) * 1e6;
    frame.value[0] = 20e5 + i * 0.05e5;
    frame.sigma[0] = 1e5;
    frame.measured[0] = frame.value[0] + 0.5e5;
    history.push(frame);
  }
  return history;
}

test("the sentence names the range in display units", () => {
  assert.equal(
    takeaway(pressureHistory(), 0, 110, 60, displayOf("pressure", "Pa")),
    "Between 20.0 and 30.0 bar in these 10 s.",
  );
});

test("a window without data says so", () => {
  assert.equal(takeaway(pressureHistory(), 0, 300, 60, displayOf("pressure", "Pa")), "No data in these 60 s.");
  assert.equal(takeaway(new History(1), 0, 300, 60, displayOf("pressure", "Pa")), "No data yet.");
});

test("the range to draw includes the 95 % band", () => {
  const { low, high } = picture(pressureHistory(), 0, 0, 1e-5, { low: 0, high: 0 });
  assert.ok(Math.abs(low - (20 - 1.96)) < 1e-4 && Math.abs(high - (30 + 1.96)) < 1e-4);
});

test("the table has a row every five seconds and dashes where nothing is known", () => {
  const table = rows(pressureHistory(), 0, 110, 60, 5);
  assert.equal(table.length, 13);
  assert.ok(Math.abs((table[0]?.value ?? 0) - 30e5) < 1);
  assert.ok(Number.isNaN(table[12]?.value) && Number.isNaN(table[12]?.measured));
});

test("a state lies between its neighbours, and a command holds", () => {
  const { value, half } = stateAt(pressureHistory(), 0, 105.02);
  assert.ok(Math.abs(value - 25.02e5) < 1 && Math.abs(half - 1.96e5) < 1);
  assert.ok(Math.abs(stateAt(pressureHistory(), 0, 105.02, true).value - 25e5) < 1);
  assert.ok(Number.isNaN(stateAt(pressureHistory(), 0, 111).value));
});

test("twin and reading of a row belong to the same moment", () => {
  for (const { t, value, measured } of rows(pressureHistory(), 0, 110.3, 8, 0.7)) {
    assert.ok(Math.abs(value - (20 + t - 100) * 1e5) < 1);
    assert.ok(Math.abs(measured - value - 0.5e5) < 1);
  }
  assert.ok(Math.abs(pairAt(pressureHistory(), 0, 105.2).t - 105) < 0.01);
});

test("the band of a model alone widens the picture in part only", () => {
  const history = pressureHistory();
  const frame = emptyFrame(1);
  frame.flags[0] = VALUE | SIGMA;
  frame.status = "coasting";
  frame.tSample = 110e6;
  frame.t = 112e6;
  frame.value[0] = 30e5;
  frame.sigma[0] = 100e5;
  history.push(frame);
  const { low, high } = picture(history, 0, 0, 1e-5, { low: 0, high: 0 });
  assert.ok(high > 32 && high - low < 1.6 * (32 - 18));
});

test("dots leave room for the line between them", () => {
  assert.equal(dotSpacing(60 / 330), 2);
  assert.equal(dotSpacing(60 / 1200), 0.5);
});

test("a line breaks at unknown values and where time jumps", () => {
  const time = Float64Array.of(0, 0.1, 0.2, 2, 2.1);
  assert.equal(runEnd(time, Float32Array.of(1, 1, 1, 1, 1), 0, 5), 3);
  assert.equal(runEnd(time, Float32Array.of(1, NaN, 1, 1, 1), 0, 5), 1);
});

test("axis limits are round, hold still for small changes and open at once", () => {
  const range = new SteadyRange(4);
  range.fit(21.3, 38.2);
  assert.ok(range.min <= 21.3 && range.min >= 19 && range.max >= 38.2 && range.max <= 40);
  assert.equal(range.fit(22, 37), false);
  assert.equal(range.fit(22, 43), true);
  assert.ok(range.max >= 43);
  assert.equal(range.fit(NaN, NaN), false);
});

test("noise alone does not fill the axis", () => {
  const range = new SteadyRange(4);
  range.fit(30.1, 30.2);
  assert.ok(range.max - range.min >= 4);
});

test("limits are near the data, and there are a few round ticks between them", () => {
  for (const [low, high] of [
    [-10, 10],
    [21.3, 38.2],
    [27.9, 39.3],
    [17.4, 27],
    [0.2, 0.9],
    [-3, -3],
  ] as const) {
    const range = new SteadyRange(0.5);
    range.fit(low, high);
    assert.ok(range.min <= low && range.max >= high);
    assert.ok(range.max - range.min <= 1.2 * Math.max(0.5, high - low));
    const marks = ticks(range.min, range.max);
    assert.ok(marks.length >= 2 && marks.length <= 6, `${marks.length} ticks`);
    for (const mark of marks) assert.ok(mark >= range.min - 1e-9 && mark <= range.max + 1e-9);
  }
});

test("an axis of pressures does not go below vacuum", () => {
  const range = new SteadyRange(4, 0);
  range.fit(-3, 20);
  assert.equal(range.min, 0);
  assert.equal(range.fit(-5, 20), false);
  range.fit(0.1, 0.2);
  assert.ok(range.min === 0 && range.max >= 4);
});

test("steps are round numbers", () => {
  const steps = [0.9, 1, 1.1, 2.2, 3, 7, 0.021].map(niceStep).map((step) => Number(step.toPrecision(6)));
  assert.deepEqual(steps, [1, 1, 2, 2.5, 5, 10, 0.025]);
});

test("chamber A has the same colour on whatever cylinder it is", () => {
  assert.equal(
    seriesOf({ name: "cylinder.p_A", quantity: "pressure" }),
    seriesOf({ name: "boom.p_A", quantity: "pressure" }),
  );
  const pressures = ["hose.p", "cylinder.p_A", "cylinder.p_B"].map((name) => seriesOf({ name, quantity: "pressure" }));
  assert.equal(new Set(pressures).size, 3);
});

test("the twin's own number for a sensor channel is an estimate", () => {
  assert.deepEqual((["sensor", "estimate", "model", "input"] as const).map(originOf), [
    "estimated",
    "estimated",
    "simulated",
    "measured",
  ]);
});

test("the model left alone widens the picture, but never by more than the picture to either side", () => {
  const history = pressureHistory();
  const plain = picture(history, 0, 0, 1e-5, { low: 0, high: 0 });
  history.uncorrected(0).fill(NaN);
  history.uncorrected(0).set([32e5, 900e5, 31e5]);
  const near = picture(history, 0, 0, 1e-5, { low: 0, high: 0 });
  assert.equal(near.low, plain.low);
  assert.ok(Math.abs(near.high - (plain.high + (plain.high - plain.low))) < 1e-4);
});
