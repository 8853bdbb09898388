import assert from "node:assert/strict";
import { test } from "node:test";
import { Lateness } from "../src/live/lateness.ts";
import { emptyFrame } from "../src/live/wire.ts";

function take(lateness: Lateness, chunks: number, overruns: number): string | null {
  lateness.take({ ...emptyFrame(0), chunks, overruns });
  return lateness.text;
}

test("late chunks are those since the page was opened", () => {
  const lateness = new Lateness();
  assert.equal(lateness.text, null);
  assert.equal(take(lateness, 1000, 500), null);
  assert.equal(take(lateness, 1100, 500), "0 %");
  assert.equal(take(lateness, 1200, 501), "< 1 %");
  assert.equal(take(lateness, 1200, 520), "10 %");
});

test("a twin that was made anew begins at zero", () => {
  const lateness = new Lateness();
  take(lateness, 1000, 500);
  assert.equal(take(lateness, 1, 1), null);
  assert.equal(take(lateness, 3, 2), "50 %");
});
