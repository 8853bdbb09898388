import assert from "node:assert/strict";
import { test } from "node:test";
import { LateChunks } from "../src/machine/late_chunks.ts";
import { emptyFrame } from "../src/socket/machine_messages.ts";

function take(lateChunks: LateChunks, chunks: number, overruns: number): string | null {
  lateChunks.take({ ...emptyFrame(0), chunks, overruns });
  return lateChunks.text;
}

test("late chunks are those since the page was opened", () => {
  const lateChunks = new LateChunks();
  assert.equal(lateChunks.text, null);
  assert.equal(take(lateChunks, 1000, 500), null);
  assert.equal(take(lateChunks, 1100, 500), "0 %");
  assert.equal(take(lateChunks, 1200, 501), "< 1 %");
  assert.equal(take(lateChunks, 1200, 520), "10 %");
});

test("a restarted twin begins at zero", () => {
  const lateChunks = new LateChunks();
  take(lateChunks, 1000, 500);
  assert.equal(take(lateChunks, 1, 1), null);
  assert.equal(take(lateChunks, 3, 2), "50 %");
});
