import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync("styles/tokens.css", "utf8");

function color(name: string, theme: "light" | "dark"): [number, number, number] {
  const definition = new RegExp(`--${name}: ([^;]+);`).exec(css)?.[1] ?? "";
  const [light, dark] = definition.match(/#[0-9a-f]{6}/g) ?? [];
  const hex = theme === "light" ? light : (dark ?? light);
  assert.ok(hex, `--${name} is a colour`);
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) as [number, number, number];
}

/** Relative luminance and contrast as WCAG 2.2 defines them. */
function luminance(rgb: number[]): number {
  const [r, g, b] = rgb.map((value) => {
    const x = value / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string, theme: "light" | "dark"): number {
  const [high, low] = [luminance(color(a, theme)), luminance(color(b, theme))].sort((x, y) => y - x) as [
    number,
    number,
  ];
  return (high + 0.05) / (low + 0.05);
}

const TEXT: Array<[string, string]> = [
  ...["ink", "ink-2", "ink-3"].flatMap(
    (ink): Array<[string, string]> => ["bg", "panel", "raised", "sunken"].map((ground) => [ink, ground]),
  ),
  ...["ok", "plan", "act", "off"].map((status): [string, string] => [status, `${status}-soft`]),
  ...["act", "plan", "accent"].map((tone): [string, string] => [tone, "panel"]),
  ["ink", "plan-soft"],
  ["ink", "act-soft"],
  ["accent", "accent-soft"],
  ["accent-ink", "accent-fill"],
  ["ink", "stage-bottom"],
];
const GRAPHICS: Array<[string, string]> = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((n): [string, string] => [`series-${n}`, "panel"]),
  ["line-strong", "panel"],
  ["focus", "bg"],
  ["focus", "panel"],
];

for (const theme of ["light", "dark"] as const) {
  test(`text has a contrast of 4.5 in the ${theme} theme`, () => {
    for (const [ink, ground] of TEXT) {
      const ratio = contrast(ink, ground, theme);
      assert.ok(ratio >= 4.5, `${ink} on ${ground}: ${ratio.toFixed(2)}`);
    }
  });

  test(`lines, borders of inputs and focus have a contrast of 3 in the ${theme} theme`, () => {
    for (const [ink, ground] of GRAPHICS) {
      const ratio = contrast(ink, ground, theme);
      assert.ok(ratio >= 3, `${ink} on ${ground}: ${ratio.toFixed(2)}`);
    }
  });
}
