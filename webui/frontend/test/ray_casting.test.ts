// Against the ray caster of three.js.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BoxGeometry, DoubleSide, Matrix4, Mesh, MeshBasicMaterial, Raycaster, SphereGeometry, Vector3 } from "three";
import { firstHit } from "../src/machine/stage/ray_casting.ts";
import type { Vector } from "../src/machine/stage/scene.ts";
import { joinMeshes, type Triangles } from "../src/machine/stage/triangles.ts";
import { meshOf } from "./three_mesh.ts";

const BALL = new Matrix4().makeTranslation(0, 0, -3);
const BOX = new Matrix4().makeRotationY(0.6).setPosition(0.4, 0.1, 0);
const EYE: Vector = [0, 0.5, 9];

const BOTH: Triangles = joinMeshes([
  { mesh: meshOf(new SphereGeometry(1.2)), slot: 0, material: 0 },
  { mesh: meshOf(new BoxGeometry(1, 1, 1)), slot: 1, material: 0 },
]);

function meshes(): Mesh[] {
  const material = new MeshBasicMaterial({ side: DoubleSide });
  return [new Mesh(new SphereGeometry(1.2), material), new Mesh(new BoxGeometry(1, 1, 1), material)].map((mesh, i) => {
    mesh.matrixWorld.copy(i === 0 ? BALL : BOX);
    return mesh;
  });
}

test("the part that is met first is the one a ray caster finds, or none", () => {
  const matrices = Float64Array.from([...BALL.elements, ...BOX.elements]);
  const [ball, box] = meshes() as [Mesh, Mesh];
  const seen = new Set<number>();
  for (let i = -12; i <= 12; i++) {
    for (let j = -12; j <= 12; j++) {
      const along = new Vector3(0.013 * i, 0.0131 * j - 0.05, -1).normalize();
      const expected = new Raycaster(new Vector3(...EYE), along).intersectObjects([ball, box])[0]?.object;
      const found = firstHit(BOTH, matrices, EYE, along.toArray(), () => true);
      assert.equal(found, expected === undefined ? -1 : [ball, box].indexOf(expected as Mesh), `${i}, ${j}`);
      seen.add(found);
    }
  }
  assert.deepEqual([...seen].sort(), [-1, 0, 1]);
});

test("what cannot be chosen is looked through, and a load that is not there is not met", () => {
  const along: Vector = [0, -0.04, -1];
  const matrices = Float64Array.from([...BALL.elements, ...BOX.elements]);
  assert.equal(
    firstHit(BOTH, matrices, EYE, along, () => true),
    1,
  );
  assert.equal(
    firstHit(BOTH, matrices, EYE, along, (slot) => slot === 0),
    0,
  );
  const gone = Float64Array.from([...BALL.elements, ...BOX.clone().scale(new Vector3(0, 0, 0)).elements]);
  assert.equal(
    firstHit(BOTH, gone, EYE, along, () => true),
    0,
  );
});
