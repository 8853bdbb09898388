import assert from "node:assert/strict";
import { test } from "node:test";
import { displayOf, formatAge, formatBand, formatCalmAge, formatNumber, withUnit } from "../src/format.ts";

test("pressures are shown in bar and angles in degrees", () => {
  assert.equal(formatNumber(31.24e5 * displayOf("pressure", "Pa").factor, 1), "31.2");
  assert.equal(formatNumber((Math.PI / 3) * displayOf("angle", "rad").factor, 2), "60.00");
});

test("the other system shows the same pressure, flow, force and mass in its own units", () => {
  const us = (quantity: string, si: number) => {
    const { factor, decimals, unit } = displayOf(quantity, "", "us");
    return withUnit(formatNumber(si * factor, decimals), unit);
  };
  // NIST SP 811, appendix B: 1 psi = 6894.757 Pa, 1 gal = 3.785412e-3 m3, 1 lbf = 4.448222 N, 1 lb = 0.45359237 kg
  assert.equal(us("pressure", 6894.757 * 3000), "3000 psi");
  assert.equal(us("flow", (3.785412e-3 / 60) * 12.5), "12.50 gal/min");
  assert.equal(us("force", 4.448222 * 5000), "5000 lbf");
  assert.equal(us("mass", 0.45359237 * 2200), "2200 lb");
  assert.equal(us("power", 745.7 * 40), "40.00 hp");
});

test("an unknown quantity keeps its own unit", () => {
  assert.deepEqual(
    [displayOf("concentration", "mol/m3").unit, displayOf("concentration", "mol/m3").factor],
    ["mol/m3", 1],
  );
});

test("negative numbers carry a true minus sign and zero carries none", () => {
  assert.equal(formatNumber(-1.25, 1), "\u22121.3");
  assert.equal(formatNumber(-0.004, 2), "0.00");
});

test("a missing number is a dash", () => {
  assert.equal(formatNumber(NaN, 2), "–");
});

test("an uncertainty below the last digit is not rounded to nothing", () => {
  assert.equal(formatBand(0.31, 1), "±\u20090.3");
  assert.equal(formatBand(0.02, 1), "±\u2009<\u20090.1");
});

test("ages grow from tenths of seconds to days", () => {
  const ages = [0.24, 9.94, 9.96, 12.4, 119, 130, 7100, 7200, 3e5].map(formatAge);
  assert.deepEqual(ages, ["0.2 s", "9.9 s", "10 s", "12 s", "119 s", "2 min", "118 min", "2 h", "3 d"]);
});

test("the calm age does not flicker within the first second", () => {
  assert.deepEqual([0.1, 0.9, 1.2, 3.9, 12.7].map(formatCalmAge), ["< 1 s", "< 1 s", "1 s", "3 s", "12 s"]);
});

test("degrees stand next to their number, other units apart", () => {
  assert.deepEqual([withUnit("60.0", "°"), withUnit("31.2", "bar")], ["60.0°", "31.2 bar"]);
});
