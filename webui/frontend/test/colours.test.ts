// Against the colours of three.js.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Color } from "three";
import { linear, linearColour } from "../src/machine/stage/colours.ts";

test("a colour of the style sheet becomes the linear light of three.js", () => {
  for (const text of ["rgb(0, 0, 0)", "rgb(8, 10, 11)", "rgb(147, 162, 177)", "rgb(255, 90, 60)"]) {
    const expected = new Color().setStyle(text).toArray();
    linearColour(text).forEach((c, i) => assert.ok(Math.abs(c - (expected[i] as number)) < 1e-7, text));
  }
  assert.deepEqual(linearColour("rgba(255, 255, 255, 0.5)"), [1, 1, 1]);
  assert.ok(Math.abs(linear(0x77) - new Color("#777777").r) < 1e-7);
});

test("what is not such a colour is named", () => {
  assert.throws(() => linearColour("color(srgb 1 0 0)"), /color\(srgb 1 0 0\)/);
});
