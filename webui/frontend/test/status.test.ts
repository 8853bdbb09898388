import assert from "node:assert/strict";
import { test } from "node:test";
import { verdict } from "../src/machine/status.ts";

const NOW = 1_000_000_000;
const fresh = { status: "synced", reason: "", ts: NOW - 50_000, tSample: 1, received: NOW - 200_000 } as const;

test("without a frame the machine is waited for", () => {
  assert.equal(verdict(null, NOW).status, "waiting");
  assert.match(verdict(null, NOW).sentence, /No data from this machine/);
});

test("nothing is said about a machine before there is a connection", () => {
  assert.equal(verdict(null, NOW, false).sentence, "Not connected yet.");
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
  assert.match(later.sentence, /^The twin has sent nothing for 3\.\d s\.$/);
});

test("a lost connection is not blamed on the twin, and nothing stays green", () => {
  const judged = verdict(fresh, NOW + 700_000, false);
  assert.deepEqual([judged.status, judged.sentence], ["stale", "Nothing received for 0.8 s."]);
});

test("a stale machine says for how long", () => {
  const judged = verdict({ ...fresh, status: "stale", received: NOW - 12_000_000 }, NOW);
  assert.equal(judged.sentence, "No data for 12 s.");
});

test("coasting says that the model runs alone", () => {
  const judged = verdict({ ...fresh, status: "coasting", received: NOW - 1_500_000 }, NOW);
  assert.equal(judged.status, "coasting");
  assert.match(judged.sentence, /1\.5 s; the model runs on alone/);
});

test("a failure keeps its reason however old it is", () => {
  const judged = verdict({ ...fresh, status: "failed", reason: "diverged at 3.2 s" }, NOW + 60_000_000);
  assert.deepEqual([judged.status, judged.sentence], ["failed", "diverged at 3.2 s"]);
});

test("a clock that runs ahead gives no negative age", () => {
  assert.equal(verdict(fresh, NOW - 900_000).ageS, 0);
});

test("a twin that follows without some sensors says so", () => {
  const finding = (channel: string) => ({ kind: "stuck", channel, since: 0, text: "" });
  const sentence = (...channels: string[]) => verdict({ ...fresh, findings: channels.map(finding) }, NOW).sentence;
  assert.equal(sentence(), "The twin follows the machine.");
  assert.equal(sentence("hose.p", ""), "The twin follows the machine without one sensor.");
  assert.equal(sentence("hose.p", "crank.angle"), "The twin follows the machine without 2 sensors.");
});
