import assert from "node:assert/strict";
import { test } from "node:test";
import { consistencyOf } from "../src/machine/health_panel.ts";
import { History, Table } from "../src/machine/history.ts";
import { beyondTwo, innovationAt } from "../src/machine/strips/innovation_summary.ts";
import { emptyFrame, INNOVATION, MEASURED, SIGMA, UNCORRECTED, VALUE } from "../src/socket/machine_messages.ts";

test("a table keeps the newest rows in order, contiguous, over many turns", () => {
  const table = new Table(5, 1);
  const expected: number[] = [];
  for (let t = 0; t < 100; t++) {
    (table.columns[0] as Float32Array)[table.append(t)] = 10 * t;
    expected.push(t);
    if (expected.length > 5) expected.shift();
    assert.deepEqual([...table.time.subarray(table.start, table.end)], expected);
    assert.deepEqual(
      [...(table.columns[0] as Float32Array).subarray(table.start, table.end)],
      expected.map((x) => 10 * x),
    );
  }
});

test("the lower bound is the first row not before the time", () => {
  const table = new Table(8, 0);
  for (const t of [1, 2, 4, 8]) table.append(t);
  const times = [0, 1, 3, 4, 9].map((t) => table.time[table.lowerBound(t)]);
  assert.deepEqual(times.slice(0, 4), [1, 1, 4, 4]);
  assert.equal(table.lowerBound(9), table.end);
});

function frameAt(t: number, tSample = t) {
  const frame = emptyFrame(2);
  frame.t = t * 1e6;
  frame.status = "synced";
  frame.tSample = tSample * 1e6;
  frame.value.set([t, 0]);
  frame.sigma.set([0.5, 0]);
  frame.measured.set([t + 0.25, 0]);
  frame.flags.set([VALUE | SIGMA | MEASURED, 0]);
  return frame;
}

test("what a frame does not know is NaN, not zero", () => {
  const history = new History(2);
  history.push(frameAt(1));
  assert.equal(history.value(0)[0], 1);
  assert.ok(
    Number.isNaN(history.value(1)[0]) && Number.isNaN(history.sigma(1)[0]) && Number.isNaN(history.measured(1)[0]),
  );
});

test("readings are kept once each and thinned to what the eye can part", () => {
  const history = new History(2);
  for (let i = 0; i < 100; i++) history.push(frameAt(10 + i * 0.05, 10 + Math.floor(i / 2) * 0.1));
  assert.equal(history.states.length, 100);
  assert.equal(history.samples.length, 10);
});

test("a machine clock set back starts the picture again", () => {
  const history = new History(2);
  for (const t of [10, 11, 12, 3]) history.push(frameAt(t));
  assert.deepEqual([history.states.length, history.samples.length], [1, 1]);
});

test("the states of a silence are the model's alone, from its beginning", () => {
  const history = new History(2);
  for (const t of [10, 10.2]) history.push(frameAt(t));
  for (const [t, status] of [
    [10.4, "synced"],
    [10.6, "synced"],
    [10.8, "coasting"],
    [11, "coasting"],
  ] as const) {
    history.push({ ...frameAt(t, 10.2), status });
  }
  history.push(frameAt(11.2));
  assert.deepEqual([...history.alone.subarray(0, 7)], [0, 0, 1, 1, 1, 1, 0]);
});

test("the newest reading is known even where no dot is drawn for it", () => {
  const history = new History(2);
  for (const t of [10, 10.2]) history.push(frameAt(t));
  assert.equal(history.samples.length, 1);
  assert.equal(history.sampleTime, 10.2);
  assert.ok(Math.abs((history.lastReadings[0] as number) - 10.45) < 1e-5 && Number.isNaN(history.lastReadings[1]));
});

function innovated(t: number, tSample: number, innovation: number) {
  const frame = frameAt(t, tSample);
  frame.uncorrected.set([7, 0]);
  frame.innovation.set([innovation, 0]);
  frame.spread.set([0.5, 0]);
  frame.flags.set([VALUE | SIGMA | MEASURED | UNCORRECTED | INNOVATION, VALUE]);
  return frame;
}

test("an innovation counts once, in its own standard deviations, and the model left alone is kept", () => {
  const history = new History(2);
  for (const [t, tSample, off] of [
    [10, 10, 0.5],
    [10.05, 10, 0.5],
    [10.1, 10.1, -1.5],
  ] as const) {
    history.push(innovated(t, tSample, off));
  }
  assert.deepEqual([...history.innovation(0).subarray(0, 3)], [1, NaN, -3]);
  assert.deepEqual([...history.uncorrected(0).subarray(0, 3)], [7, 7, 7]);
  assert.ok(Number.isNaN(history.uncorrected(1)[0]) && Number.isNaN(history.innovation(1)[0]));
  assert.deepEqual(beyondTwo(history, 0, 10.2, 60), { read: 2, beyond: 1 });
  assert.equal(innovationAt(history, 0, 10.02), 1);
  assert.ok(Number.isNaN(innovationAt(history, 0, 12)));
});

test("a filter is honest within its bounds, too sure above and cautious below", () => {
  const bounds = { low: 0.8, high: 1.2 };
  const found = [0.5, 1.0, 1.5].map((nis) => consistencyOf({ nis, ...bounds }));
  assert.deepEqual([...found, consistencyOf(null)], ["cautious", "reliable", "unfit", "unknown"]);
});
