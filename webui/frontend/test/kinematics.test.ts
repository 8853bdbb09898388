import assert from "node:assert/strict";
import { test } from "node:test";
import { Kinematics } from "../src/machine/stage/kinematics.ts";
import type { Body, Scene, Vector } from "../src/machine/stage/scene.ts";

const DEGREE = Math.PI / 180;

function link(name: string, parent: string, origin: Vector, length: number): Body {
  return {
    name,
    parent,
    joint: { type: "revolute", origin, axis: [0, 0, 1], start: 0, channel: `${name}.angle` },
    shapes: [{ kind: "beam", from: [0, 0, 0], to: [length, 0, 0], width: 0.2, depth: 0.2 }],
  };
}

const FOUR_BAR: Scene = {
  bodies: [
    link("crank", "ground", [0, 0, 0], 2),
    link("coupler", "crank", [2, 0, 0], 8),
    link("rocker", "coupler", [8, 0, 0], 5),
  ],
  anchors: [],
  cylinders: [],
  bounds: { min: [0, 0, 0], max: [10, 5, 0] },
  full_pressure: 0,
  fills: [],
  payload: null,
};

/** Relative angles of coupler and rocker by the law of cosines: crank 2, coupler 8, rocker 5, ground 10. */
function closeLoop(crank: number): [number, number] {
  const [bx, by] = [2 * Math.cos(crank), 2 * Math.sin(crank)];
  const diagonal = Math.hypot(10 - bx, by);
  const coupler = Math.atan2(-by, 10 - bx) + Math.acos((64 + diagonal ** 2 - 25) / (16 * diagonal));
  const rocker = Math.atan2(-by - 8 * Math.sin(coupler), 10 - bx - 8 * Math.cos(coupler));
  return [coupler - crank, rocker - coupler];
}

test("the loop of the four-bar closes at the far bearing for every crank angle", () => {
  const kinematics = new Kinematics(FOUR_BAR);
  const end = new Float64Array(3);
  for (let crank = 20; crank <= 120; crank += 5) {
    kinematics.solve([crank * DEGREE, ...closeLoop(crank * DEGREE)]);
    kinematics.point({ body: "rocker", at: [5, 0, 0] }, end);
    assert.ok(Math.hypot((end[0] as number) - 10, end[1] as number, end[2] as number) < 1e-12);
  }
});

test("at 60 degrees the published relative angles close the loop to their printed digits", () => {
  const kinematics = new Kinematics(FOUR_BAR);
  kinematics.solve([60 * DEGREE, -37.9 * DEGREE, -93.58 * DEGREE]);
  const end = kinematics.point({ body: "rocker", at: [5, 0, 0] }, new Float64Array(3));
  assert.ok(Math.hypot((end[0] as number) - 10, end[1] as number) < 5e-3);
});

test("a joint about any axis turns as a rotation does", () => {
  const body = link("arm", "ground", [1, 2, 3], 1);
  const axis: Vector = [1 / Math.sqrt(3), 1 / Math.sqrt(3), 1 / Math.sqrt(3)];
  const kinematics = new Kinematics({ ...FOUR_BAR, bodies: [{ ...body, joint: { ...body.joint, axis } }] });
  kinematics.solve([120 * DEGREE]);
  const end = kinematics.point({ body: "arm", at: [1, 0, 0] }, new Float64Array(3));
  [1, 3, 3].forEach((expected, i) => assert.ok(Math.abs((end[i] as number) - expected) < 1e-12));
});

test("a body before its parent is refused by name", () => {
  const bodies = [...FOUR_BAR.bodies].reverse();
  assert.throws(() => new Kinematics({ ...FOUR_BAR, bodies }), /rocker comes before its parent coupler/);
});

test("a slide moves along its axis, and a joint without a channel stays where it starts", () => {
  const carriage = link("carriage", "ground", [1, 0, 0], 1);
  const arm = link("arm", "carriage", [0, 2, 0], 1);
  const bodies: Body[] = [
    { ...carriage, joint: { ...carriage.joint, type: "prismatic", axis: [0, 1, 0] } },
    { ...arm, joint: { ...arm.joint, type: "fixed", start: 90 * DEGREE, channel: null } },
  ];
  const kinematics = new Kinematics({ ...FOUR_BAR, bodies });
  assert.deepEqual(kinematics.channels, ["carriage.angle"]);
  kinematics.solve([0.5]);
  const end = kinematics.point({ body: "arm", at: [1, 0, 0] }, new Float64Array(3));
  [1, 3.5, 0].forEach((expected, i) => assert.ok(Math.abs((end[i] as number) - expected) < 1e-12));
});
