import assert from "node:assert/strict";
import { test } from "node:test";
import { displayOf } from "../src/format.ts";
import { History } from "../src/live/history.ts";
import { seriesOf, originOf } from "../src/live/series.ts";
import { MEASURED, SIGMA, VALUE, emptyFrame } from "../src/live/wire.ts";
import { runEnd } from "../src/strips/paint.ts";
import { PARTS, SteadyRange, niceStep } from "../src/strips/range.ts";
import { at, extent, rows, takeaway } from "../src/strips/summary.ts";

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
    "Between 20.0 and 30.0 bar in the last 10 s.",
  );
});

test("a window without data says so", () => {
  assert.equal(takeaway(pressureHistory(), 0, 300, 60, displayOf("pressure", "Pa")), "No data in the last 60 s.");
  assert.equal(takeaway(new History(1), 0, 300, 60, displayOf("pressure", "Pa")), "No data yet.");
});

test("the range to draw includes the 95 % band", () => {
  const { low, high } = extent(pressureHistory(), 0, 0, 1e-5, true, { low: 0, high: 0 });
  assert.ok(Math.abs(low - (20 - 1.96)) < 1e-4 && Math.abs(high - (30 + 1.96)) < 1e-4);
});

test("the table has a row every five seconds and dashes where nothing is known", () => {
  const table = rows(pressureHistory(), 0, 110, 60, 5);
  assert.equal(table.length, 13);
  assert.ok(Math.abs((table[0]?.value ?? 0) - 30e5) < 1);
  assert.ok(Number.isNaN(table[12]?.value) && Number.isNaN(table[12]?.measured));
});

test("the value under the cursor is the newest one before it", () => {
  const { value, half } = at(pressureHistory(), 0, 105.02);
  assert.ok(Math.abs(value - 25e5) < 1 && Math.abs(half - 1.96e5) < 1);
});

test("a line breaks at unknown values and where time jumps", () => {
  const time = Float64Array.of(0, 0.1, 0.2, 2, 2.1);
  assert.equal(runEnd(time, Float32Array.of(1, 1, 1, 1, 1), 0, 5), 3);
  assert.equal(runEnd(time, Float32Array.of(1, NaN, 1, 1, 1), 0, 5), 1);
});

test("axis limits are round, hold still for small changes and open at once", () => {
  const range = new SteadyRange(4);
  range.fit(21.3, 38.2);
  assert.deepEqual([range.min, range.max], [20, 40]);
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

test("every limit is a multiple of the step, and the range is four steps", () => {
  for (const [low, high] of [[-10, 10], [21.3, 38.2], [27.9, 39.3], [17.4, 27], [0.2, 0.9], [-3, -3]] as const) {
    const range = new SteadyRange(0.5);
    range.fit(low, high);
    const step = (range.max - range.min) / PARTS;
    assert.ok(Math.abs(range.min / step - Math.round(range.min / step)) < 1e-9);
    assert.ok(range.min <= low && range.max >= high && step <= Math.max(1, high - low));
  }
});

test("steps are round numbers", () => {
  const steps = [0.9, 1, 1.1, 2.2, 3, 7, 0.021].map(niceStep).map((step) => Number(step.toPrecision(6)));
  assert.deepEqual(steps, [1, 1, 1.5, 2.5, 3, 8, 0.025]);
});

test("chamber A has the same colour on whatever cylinder it is", () => {
  assert.equal(seriesOf({ name: "cylinder.p_A", quantity: "pressure" }), seriesOf({ name: "boom.p_A", quantity: "pressure" }));
  const pressures = ["hose.p", "cylinder.p_A", "cylinder.p_B"].map((name) => seriesOf({ name, quantity: "pressure" }));
  assert.equal(new Set(pressures).size, 3);
});

test("the twin's own number for a sensor channel is an estimate", () => {
  assert.deepEqual((["sensor", "estimate", "model", "input"] as const).map(originOf), ["estimated", "estimated", "simulated", "measured"]);
});
