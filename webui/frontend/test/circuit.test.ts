import assert from "node:assert/strict";
import { test } from "node:test";
import { directionOf, LEAST_FLOW, LEVELS, levelOf, openingOf } from "../src/machine/circuit/levels.ts";

test("pressures fall into classes of equal width, from none to the last", () => {
  const full = 240e5;
  assert.deepEqual(
    [0, 39e5, 41e5, 119e5, 121e5, 239e5, 400e5].map((p) => levelOf(p, full)),
    [0, 0, 1, 2, 3, 5, 5],
  );
  assert.equal(levelOf(-1e5, full), 0);
  assert.equal(levelOf(NaN, full), 0);
  assert.equal(levelOf(1e5, 0), 0, "a machine without a supply has no scale");
  assert.equal(LEVELS, 6);
});

test("a flow has a direction only where it is one", () => {
  assert.equal(directionOf(2 * LEAST_FLOW), "forward");
  assert.equal(directionOf(-2 * LEAST_FLOW), "back");
  assert.equal(directionOf(0.5 * LEAST_FLOW), "none");
  assert.equal(directionOf(NaN), "none");
});

test("a positive spool leads the supply to A", () => {
  assert.equal(openingOf(5, 10), "a");
  assert.equal(openingOf(-5, 10), "b");
  assert.equal(openingOf(0.1, 10), "shut");
  assert.equal(openingOf(NaN, 10), "shut");
});
