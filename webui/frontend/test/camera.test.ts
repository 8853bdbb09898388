// Against the cameras of three.js.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Matrix4, OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import { Camera } from "../src/machine/stage/camera.ts";
import { placeLights } from "../src/machine/stage/light.ts";
import type { Orbit } from "../src/machine/stage/orbit.ts";
import { UniformBlock } from "../src/machine/stage/uniform_block.ts";

const ORBIT: Orbit = { target: [1, 0.5, -2], azimuth: -0.7, elevation: 0.3, distance: 12 };

function three(orbit: Orbit, aspect: number): PerspectiveCamera {
  const camera = new PerspectiveCamera(40, aspect, 0.05, 400);
  const target = new Vector3(...orbit.target);
  camera.position.setFromSphericalCoords(orbit.distance, Math.PI / 2 - orbit.elevation, orbit.azimuth).add(target);
  camera.lookAt(target);
  camera.updateMatrixWorld();
  return camera;
}

function ours(orbit: Orbit, aspect: number): Camera {
  const camera = new Camera();
  camera.aspect = aspect;
  camera.standAt(orbit);
  return camera;
}

function near(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  for (let i = 0; i < expected.length; i++)
    assert.ok(
      Math.abs((actual[i] as number) - (expected[i] as number)) < tolerance,
      `${i}: ${actual[i]} ${expected[i]}`,
    );
}

test("a camera on an orbit sees the world as one that was placed and turned there", () => {
  const camera = three(ORBIT, 1.7);
  const expected = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements;
  const actual = ours(ORBIT, 1.7);
  near(actual.toPicture, expected, 1e-9);
  near(actual.eye, camera.position.toArray(), 1e-12);
});

test("a point of the world is where it is drawn", () => {
  const expected = new Vector3(0.3, 1.1, 0.4).project(three(ORBIT, 0.6));
  const point = Float64Array.of(0.3, 1.1, 0.4);
  ours(ORBIT, 0.6).project(point);
  near(point, [expected.x, expected.y], 1e-12);
});

test("the line of sight through a point of the picture goes through what is drawn there", () => {
  const camera = ours(ORBIT, 1.3);
  const { from, along } = camera.sight(ORBIT, 0.4, -0.25);
  for (const far of [1, 7, 30]) {
    const point = Float64Array.from(from, (x, i) => x + far * (along[i] as number));
    camera.project(point);
    near(point, [0.4, -0.25], 1e-12);
  }
});

test("the shadow map sees the machine from the key light", () => {
  const uniforms = new UniformBlock(1, 1);
  placeLights(uniforms, { min: [-2, 0, -1], max: [6, 3, 3] }, -0.5);
  const span = 8;
  const light = new OrthographicCamera(-0.65 * span, 0.65 * span, 0.5 * span, -0.5 * span, 0.5, 4 * span);
  light.position.set(2 - 0.25 * span, -0.5 + 1.6 * span, 1 + 0.45 * span);
  light.lookAt(2, -0.5, 1);
  light.updateMatrixWorld();
  near(
    uniforms.toShadow,
    new Matrix4().multiplyMatrices(light.projectionMatrix, light.matrixWorldInverse).elements,
    1e-6,
  );
  near(uniforms.key, new Vector3(-0.25, 1.6, 0.45).normalize().toArray(), 1e-6);
});
