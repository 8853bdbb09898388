import assert from "node:assert/strict";
import { test } from "node:test";
import { LabelBoxes, rowHeight, spreadLabels } from "../src/machine/stage/label_layout.ts";
import { PixelStyles, pixels } from "../src/machine/stage/pixel_styles.ts";

function tagsAt(xs: number[]): LabelBoxes {
  const boxes = new LabelBoxes(xs.length);
  xs.forEach((x, i) => {
    boxes.x[i] = x;
    boxes.halfWidth[i] = 40;
    boxes.halfHeight[i] = 10;
  });
  return boxes;
}

test("labels of a row that lie on one another are moved apart, within the picture", () => {
  const boxes = tagsAt([150, 152, 155, 500]);
  spreadLabels(boxes, 4, 600);
  const sorted = [...boxes.x].sort((a, b) => a - b);
  sorted.slice(1).forEach((x, i) => assert.ok(x - (sorted[i] as number) > 83.9, String(sorted)));
  assert.ok(sorted.every((x) => x >= 44 && x <= 556));
  assert.deepEqual([...boxes.x], sorted, "and keep their order, so that no leaders cross");
  assert.equal(boxes.x[3], 500);
});

test("labels at an edge of the picture push the others along", () => {
  for (const xs of [
    [10, 12, 15, 90],
    [590, 585, 580, 530],
  ]) {
    const boxes = tagsAt(xs);
    spreadLabels(boxes, 4, 600);
    const sorted = [...boxes.x].sort((a, b) => a - b);
    sorted.slice(1).forEach((x, i) => assert.ok(x - (sorted[i] as number) > 83.9, String(sorted)));
    assert.ok(
      sorted.every((x) => x >= 44 && x <= 556),
      String(sorted),
    );
  }
});

test("labels of different rows stay, and a hidden one takes no space", () => {
  const boxes = tagsAt([100, 100, 100]);
  boxes.row[1] = 1;
  boxes.halfWidth[2] = 0;
  spreadLabels(boxes, 4, 400);
  assert.deepEqual([...boxes.x], [100, 100, 100]);
});

test("a row is as high as the highest of its labels that are shown", () => {
  const boxes = tagsAt([50, 150, 250]);
  boxes.halfHeight.set([10, 22, 30]);
  boxes.row[2] = 1;
  assert.deepEqual([rowHeight(boxes, 0), rowHeight(boxes, 1)], [44, 60]);
  boxes.halfWidth[2] = 0;
  assert.equal(rowHeight(boxes, 1), 0);
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
