import assert from "node:assert/strict";
import { test } from "node:test";
import { JitterBuffer } from "../src/machine/jitter_buffer.ts";
import { Camera } from "../src/machine/stage/camera.ts";
import { FrameBudget } from "../src/machine/stage/frame_budget.ts";
import { type Box, cameraAxes, corners, eyeOf, fit, type Orbit } from "../src/machine/stage/orbit.ts";

test("between frames the pose moves evenly, about one frame behind", () => {
  const jitterBuffer = new JitterBuffer(1);
  const drawn: number[] = [];
  for (let step = 0; step < 180; step++) {
    const t = step / 60;
    if (step % 3 === 0) jitterBuffer.push(100 + t, Float32Array.of(t), [0]);
    jitterBuffer.sample(1000 * t);
    drawn.push((jitterBuffer.pose[0] as number) - t);
  }
  const settled = drawn.slice(60);
  assert.ok(
    settled.every((lag) => lag < 0 && lag > -0.15),
    "behind, but not by much",
  );
  const speeds = settled.slice(1).map((lag, i) => 1 + 60 * (lag - (settled[i] as number)));
  assert.ok(
    speeds.every((speed) => speed > 0.4 && speed < 1.6),
    "never stops and never jumps",
  );
});

test("the pose stands still when frames stop", () => {
  const jitterBuffer = new JitterBuffer(1);
  jitterBuffer.push(1, Float32Array.of(0), [0]);
  jitterBuffer.push(1.05, Float32Array.of(1), [0]);
  for (let i = 0; i < 200; i++) jitterBuffer.sample(20 * i);
  assert.equal(jitterBuffer.pose[0], 1);
  assert.equal(jitterBuffer.sample(4000), false);
});

test("without smoothing the newest pose is shown as it is", () => {
  const jitterBuffer = new JitterBuffer(2);
  jitterBuffer.push(1, Float32Array.of(9, 3, 4), [2, 1]);
  assert.equal(jitterBuffer.sample(0, false), true);
  assert.deepEqual([...jitterBuffer.pose], [4, 3]);
});

test("a machine clock set back does not freeze the picture", () => {
  const jitterBuffer = new JitterBuffer(1);
  for (const t of [50, 50.05, 3]) jitterBuffer.push(t, Float32Array.of(t), [0]);
  jitterBuffer.sample(16);
  assert.equal(jitterBuffer.pose[0], 3);
});

test("a fitted box is inside the picture and touches its margin", () => {
  const box: Box = { min: [-1.2, -0.7, -0.2], max: [10.2, 5.2, 0.2] };
  const field = 0.45;
  for (const aspect of [0.6, 1, 2]) {
    for (const azimuth of [-0.4, 0, 2]) {
      const start: Orbit = { target: [0, 0, 0], azimuth, elevation: 0.2, distance: 1 };
      const orbit = fit(start, corners(box), field, aspect, 1);
      const eye = eyeOf(orbit);
      const { right, up, back } = cameraAxes(orbit.azimuth, orbit.elevation);
      const along = (v: number[], axis: number[]) => v.reduce((sum, x, i) => sum + x * (axis[i] as number), 0);
      const share = corners(box).map((corner) => {
        const ray = corner.map((x, i) => x - (eye[i] as number));
        const depth = -along(ray, back) * Math.tan(field / 2);
        return Math.max(Math.abs(along(ray, up)) / depth, Math.abs(along(ray, right)) / (depth * aspect));
      });
      assert.ok(Math.abs(Math.max(...share) - 1) < 1e-9);
    }
  }
});

test("what labels take of the picture stays free of the machine, which fills the rest", () => {
  const box: Box = { min: [-3, 0, -1.2], max: [9, 6, 1.2] };
  const free = { top: 0.6, bottom: 0.8 };
  const camera = new Camera();
  for (const aspect of [0.7, 1.2, 2.5]) {
    const orbit = fit(
      { target: [0, 0, 0], azimuth: 0.7, elevation: 0.3, distance: 1 },
      corners(box),
      camera.fieldOfView,
      aspect,
      1,
      free,
    );
    camera.aspect = aspect;
    camera.standAt(orbit);
    const points = corners(box).map((corner) => {
      const point = Float64Array.from(corner);
      camera.project(point);
      return point;
    });
    const most = (share: (point: Float64Array) => number) => Math.max(...points.map(share));
    const across = most(([x]) => Math.abs(x as number));
    const [high, low] = [most(([, y]) => (y as number) / free.top), most(([, y]) => -(y as number) / free.bottom)];
    assert.ok(Math.abs(Math.max(across, high, low) - 1) < 1e-9, `${across} ${high} ${low}`);
  }
});

/** Draws for `seconds` with pictures that cost `cost` ms; returns the share of time spent on them. */
function shareOfTime(cost: number, seconds: number): number {
  const frameBudget = new FrameBudget();
  let now = 0;
  let spent = 0;
  while (now < 1000 * seconds) {
    const allowed = frameBudget.allow(now);
    if (allowed) frameBudget.drawn(now);
    if (allowed && now > 500 * seconds) spent += cost;
    now += 17 + (allowed ? cost : 0);
  }
  return spent / (500 * seconds);
}

test("a stage without a graphics card leaves most of the time to the page", () => {
  const share = shareOfTime(120, 20);
  assert.ok(share > 0.15 && share < 0.4, String(share));
});

test("a fast stage is drawn on every frame", () => {
  const frameBudget = new FrameBudget();
  for (let i = 0; i < 100; i++) {
    assert.ok(frameBudget.allow(17 * i));
    frameBudget.drawn(17 * i);
  }
});

test("a page that was hidden for a while does not count as slow", () => {
  const frameBudget = new FrameBudget();
  for (const now of [0, 17, 34]) {
    frameBudget.allow(now);
    frameBudget.drawn(now);
  }
  frameBudget.rest();
  frameBudget.allow(60_000);
  assert.equal(frameBudget.slow, false);
  frameBudget.drawn(60_000);
  frameBudget.allow(60_400);
  assert.equal(frameBudget.slow, true, "one that is looked at is");
});
