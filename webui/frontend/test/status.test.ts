import "./english.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { verdict } from "../src/machine/status.ts";

const NOW = 1_000_000_000;
const fresh = { status: "synced", ts: NOW - 50_000, tSample: 1, received: NOW - 200_000 } as const;

test("without a frame the machine is waited for", () => {
  assert.equal(verdict(null, NOW).status, "waiting");
  assert.match(verdict(null, NOW).sentence, /No data from this machine/);
});

test("nothing is said about a machine before there is a connection", () => {
  assert.equal(verdict(null, NOW, false).sentence, "Not connected to the server yet.");
});

test("a twin that never saw a sample is waited for, too", () => {
  assert.equal(verdict({ ...fresh, status: "coasting", tSample: 0 }, NOW).status, "waiting");
});

test("a fresh frame is believed", () => {
  const { status, ageS } = verdict(fresh, NOW);
  assert.equal(status, "synced");
  assert.ok(Math.abs((ageS ?? 0) - 0.2) < 1e-9);
});

test("a synced frame is not believed once frames stop", () => {
  const later = verdict(fresh, NOW + 3_000_000);
  assert.equal(later.status, "stale");
  assert.match(later.sentence, /^No update from the twin for 3\.\d s\.$/);
});

test("a lost connection is not blamed on the twin, and nothing stays green", () => {
  const judged = verdict(fresh, NOW + 700_000, false);
  assert.deepEqual([judged.status, judged.sentence], ["stale", "Nothing received from the server for 0.8 s."]);
});

test("a stale machine says for how long", () => {
  const judged = verdict({ ...fresh, status: "stale", received: NOW - 12_000_000 }, NOW);
  assert.equal(judged.sentence, "No data for 12 s: check the device and its connection");
  const behind = { code: "twin.catching_up", values: { behind: 9 } };
  const catching = verdict({ ...fresh, ...behind, status: "stale", received: NOW - 12_000_000 }, NOW);
  assert.equal(catching.sentence, "Catching up: 9 s of telemetry still to process");
});

test("coasting says that a prediction is shown", () => {
  const judged = verdict({ ...fresh, status: "coasting", received: NOW - 1_500_000 }, NOW);
  assert.equal(judged.status, "coasting");
  assert.equal(judged.sentence, "No data for 2 s; showing prediction");
});

test("a failure keeps its reason however old it is", () => {
  const cause = { status: "failed", code: "model.pressure", values: { part: "hose", time: 3.2 } } as const;
  const judged = verdict({ ...fresh, ...cause }, NOW + 60_000_000);
  const text = "The twin stopped: it could not calculate the pressure in this part: hose (model.pressure)";
  assert.deepEqual([judged.status, judged.sentence], ["failed", text]);
  const again = verdict({ ...fresh, ...cause, failures: 3, retryS: 4 }, NOW);
  assert.equal(again.sentence, `${text}. Failed 3 times in a row; next attempt after 4 s`);
  assert.equal(verdict({ ...fresh, status: "failed" }, NOW).sentence, "The twin stopped (twin.stopped)");
});

test("a clock that runs ahead gives no negative age", () => {
  assert.equal(verdict(fresh, NOW - 900_000).ageS, 0);
});

test("a twin that follows without some sensors says so", () => {
  const finding = (channel: string) => ({ kind: "stuck", channel, since: 0, text: "", code: "", values: {} });
  const sentence = (...channels: string[]) => verdict({ ...fresh, findings: channels.map(finding) }, NOW).sentence;
  assert.equal(sentence(), "The twin follows the machine");
  assert.equal(sentence("hose.p", ""), "Running on estimates: 1 sensor excluded");
  assert.equal(sentence("hose.p", "crank.angle"), "Running on estimates: 2 sensors excluded");
});
