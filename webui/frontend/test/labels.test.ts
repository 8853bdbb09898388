import assert from "node:assert/strict";
import { test } from "node:test";
import { PixelStyles, pixels } from "../src/stage/pixel_styles.ts";
import { spread, Tags } from "../src/stage/spread.ts";

function tagsAt(ys: number[]): Tags {
  const tags = new Tags(ys.length);
  ys.forEach((y, i) => {
    tags.x[i] = 100;
    tags.y[i] = y;
    tags.halfWidth[i] = 40;
    tags.halfHeight[i] = 10;
  });
  return tags;
}

test("labels that lie on one another are moved apart, within the picture", () => {
  const tags = tagsAt([50, 52, 55, 300]);
  spread(tags, 4, 400);
  const sorted = [...tags.y].sort((a, b) => a - b);
  sorted.slice(1).forEach((y, i) => assert.ok(y - (sorted[i] as number) > 23.9, String(sorted)));
  assert.ok(sorted.every((y) => y >= 10 && y <= 390));
  assert.equal(tags.y[3], 300);
});

test("labels side by side stay, and one that is not shown is in nobody's way", () => {
  const tags = tagsAt([50, 50, 50]);
  tags.x[1] = 200;
  tags.halfWidth[2] = 0;
  spread(tags, 4, 400);
  assert.deepEqual([...tags.y], [50, 50, 50]);
});

test("no label goes above its top", () => {
  const tags = tagsAt([5, 8]);
  tags.top.fill(30);
  spread(tags, 4, 400);
  assert.ok([...tags.y].every((y) => y >= 40));
});

test("a position is written when a whole pixel of it changes, and only that number", () => {
  const written: string[] = [];
  const style = { setProperty: (name: string, text: string) => written.push(`${name} ${text}`) };
  const styles = new PixelStyles(style as unknown as CSSStyleDeclaration, ["--x", "--y"]);
  styles.show(Float64Array.of(0, 10.2, -3.6), 1);
  assert.deepEqual(written.splice(0), ["--x 10px", "--y -4px"]);
  styles.show(Float64Array.of(9.7, -3.9), 0);
  assert.deepEqual(written, []);
  styles.show(Float64Array.of(9.7, -12.1), 0);
  assert.deepEqual(written, ["--y -12px"]);
});

test("a number beyond any screen is a number at its edge", () => {
  assert.equal(pixels(1e9), pixels(8192));
  assert.equal(pixels(-8192), "-8192px");
});
