import assert from "node:assert/strict";
import { test } from "node:test";
import { heaviest, shareOf } from "../src/machine/stage/loads.ts";

test("the cylinder with the largest force carries most, pushing or pulling", () => {
  assert.equal(heaviest([12e3, -80e3, 40e3]), 1);
  assert.equal(heaviest([NaN, 5e3]), 1);
});

test("no cylinder carries most if forces are unknown or there is only one", () => {
  assert.equal(heaviest([NaN, NaN]), -1);
  assert.equal(heaviest([3e3]), -1);
});

test("a share is of the full force and never more than one", () => {
  assert.equal(shareOf(-50e3, 100e3), 0.5);
  assert.equal(shareOf(300e3, 100e3), 1);
  assert.equal(shareOf(NaN, 100e3), 0);
});
