import assert from "node:assert/strict";
import { test } from "node:test";
import { PixelStyles, pixels } from "../src/stage/pixel_styles.ts";
import { rowHeight, spread, Tags } from "../src/stage/spread.ts";

function tagsAt(xs: number[]): Tags {
  const tags = new Tags(xs.length);
  xs.forEach((x, i) => {
    tags.x[i] = x;
    tags.halfWidth[i] = 40;
    tags.halfHeight[i] = 10;
  });
  return tags;
}

test("labels of a row that lie on one another are moved apart, within the picture", () => {
  const tags = tagsAt([150, 152, 155, 500]);
  spread(tags, 4, 600);
  const sorted = [...tags.x].sort((a, b) => a - b);
  sorted.slice(1).forEach((x, i) => assert.ok(x - (sorted[i] as number) > 83.9, String(sorted)));
  assert.ok(sorted.every((x) => x >= 44 && x <= 556));
  assert.deepEqual([...tags.x], sorted, "and keep their order, so that no leaders cross");
  assert.equal(tags.x[3], 500);
});

test("labels at an edge of the picture push the others along", () => {
  for (const xs of [
    [10, 12, 15, 90],
    [590, 585, 580, 530],
  ]) {
    const tags = tagsAt(xs);
    spread(tags, 4, 600);
    const sorted = [...tags.x].sort((a, b) => a - b);
    sorted.slice(1).forEach((x, i) => assert.ok(x - (sorted[i] as number) > 83.9, String(sorted)));
    assert.ok(
      sorted.every((x) => x >= 44 && x <= 556),
      String(sorted),
    );
  }
});

test("labels of different rows stay, and one that is not shown is in nobody's way", () => {
  const tags = tagsAt([100, 100, 100]);
  tags.row[1] = 1;
  tags.halfWidth[2] = 0;
  spread(tags, 4, 400);
  assert.deepEqual([...tags.x], [100, 100, 100]);
});

test("a row is as high as the highest of its labels that are shown", () => {
  const tags = tagsAt([50, 150, 250]);
  tags.halfHeight.set([10, 22, 30]);
  tags.row[2] = 1;
  assert.deepEqual([rowHeight(tags, 0), rowHeight(tags, 1)], [44, 60]);
  tags.halfWidth[2] = 0;
  assert.equal(rowHeight(tags, 1), 0);
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
