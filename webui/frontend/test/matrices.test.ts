// Against three.js, which computes the same by quaternions and matrix products.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Matrix4, Quaternion, Vector3 } from "three";
import { alongEnds, MATRIX, scaledAt, setIdentity, transform } from "../src/machine/stage/matrices.ts";

const ONE = new Vector3(1, 1, 1);
const SOMEWHERE = new Matrix4().compose(new Vector3(1, 2, 3), new Quaternion(0.1, 0.5, -0.3, 0.8).normalize(), ONE);

function near(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  assert.equal(actual.length, expected.length);
  for (let i = 0; i < actual.length; i++)
    assert.ok(Math.abs((actual[i] as number) - (expected[i] as number)) < 1e-12, `${[...Array.from(actual)]}`);
}

test("a point goes where the matrix of its slot puts it", () => {
  const matrices = Float64Array.from([...new Matrix4().elements, ...SOMEWHERE.elements]);
  const points = Float64Array.of(9, 9, 9, 4, -5, 6);
  transform(matrices, 1, points, 1, points, 0);
  near(points, [...new Vector3(4, -5, 6).applyMatrix4(SOMEWHERE).toArray(), 4, -5, 6]);
});

test("tube and rod lie along the line between their ends, turned the shortest way from upright", () => {
  const ends: Array<[Vector3, Vector3]> = [
    [new Vector3(1, 2, 3), new Vector3(-2, 2.5, 4)],
    [new Vector3(0, 0, 0), new Vector3(0, 2, 0)],
    [new Vector3(1, 1, 0), new Vector3(1.2, -3, 0.1)],
  ];
  for (const [base, rod] of ends) {
    const matrices = new Float64Array(2 * MATRIX);
    setIdentity(matrices, 0);
    setIdentity(matrices, 1);
    alongEnds(matrices, 0, 1, Float64Array.from([...base, ...rod]));
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), rod.clone().sub(base).normalize());
    near(matrices.subarray(0, MATRIX), new Matrix4().compose(base, turn, ONE).elements);
    near(matrices.subarray(MATRIX), new Matrix4().compose(rod, turn, ONE).elements);
  }
});

test("straight down is a turn, too: it mirrors nothing", () => {
  const matrices = new Float64Array(2 * MATRIX);
  setIdentity(matrices, 0);
  setIdentity(matrices, 1);
  alongEnds(matrices, 0, 1, Float64Array.of(0, 5, 0, 0, 1, 0));
  const turn = new Matrix4().fromArray(matrices);
  assert.equal(turn.determinant(), 1);
  near(new Vector3(0, 4, 0).applyMatrix4(turn).toArray(), [0, 1, 0]);
});

test("a load lies at its point of the body and grows along its axes, in a slot of its own or in the body's", () => {
  const expected = SOMEWHERE.clone()
    .multiply(new Matrix4().makeTranslation(0.5, -1, 2))
    .scale(new Vector3(2, 3, 4));
  const matrices = Float64Array.from([...SOMEWHERE.elements, ...new Matrix4().elements]);
  scaledAt(matrices, 0, 1, Float64Array.of(0.5, -1, 2), 0, Float64Array.of(2, 3, 4), 0);
  near(matrices.subarray(MATRIX), expected.elements);
  scaledAt(matrices, 0, 0, Float64Array.of(0.5, -1, 2), 0, Float64Array.of(2, 3, 4), 0);
  near(matrices.subarray(0, MATRIX), expected.elements);
});
