import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prism } from "../src/machine/stage/scene.ts";
import { boxOf } from "../src/machine/stage/solids.ts";

const PLATE: Prism = {
  kind: "prism",
  outline: [
    [0, -1],
    [3, -0.5],
    [3, 0.5],
    [0, 1],
  ],
  width: 0.4,
  at: [10, 20, 30],
  along: "z",
  finish: "arm",
};

test("a prism fills the box of its outline and its width, along any axis", () => {
  assert.deepEqual(boxOf([PLATE]), { min: [10, 19, 29.8], max: [13, 21, 30.2] });
  assert.deepEqual(boxOf([{ ...PLATE, along: "x" }]), { min: [9.8, 20, 29], max: [10.2, 23, 31] });
  assert.deepEqual(boxOf([{ ...PLATE, along: "y" }]), { min: [9, 19.8, 30], max: [11, 20.2, 33] });
});

test("a wheel and a bar fill what surrounds them", () => {
  const wheel = boxOf([{ kind: "wheel", at: [1, 0.5, 0], radius: 0.5, width: 0.2, finish: "rubber" }]);
  assert.deepEqual(wheel, { min: [0.5, 0, -0.1], max: [1.5, 1, 0.1] });
  const bar = boxOf([{ kind: "bar", from: [0, 0, 0], to: [2, 0, 0], radius: 0.25, finish: "steel" }]);
  assert.deepEqual(bar, { min: [-0.25, -0.25, -0.25], max: [2.25, 0.25, 0.25] });
});
