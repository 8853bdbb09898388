import assert from "node:assert/strict";
import { test } from "node:test";

// as a page in Finnish has it before any module runs
const place = globalThis as unknown as Record<string, unknown>;
place.document = { documentElement: { lang: "fi", dataset: {} } };
place.hydratwinWords = {
  words: {
    "No data for {age}.": "Ei tietoja, {age}.",
    "{n} sensor out": ["{n} anturi poissa", "{n} anturia poissa"],
    "{n} s": "{n} s",
  },
  messages: {
    "model.pressure": [{ part: "name" }, "Kaksonen pysähtyi: painetta ei voitu laskea ({part})"],
    "status.excluded": [{ count: "count" }, "{count} anturia ohitettu", "{count} anturi ohitettu"],
  },
};
const { learnNames, local, nameOf, t, tn } = await import("../src/words.ts");
const { clockText, render } = await import("../src/messages.ts");
const { formatAge, formatBand, formatNumber } = await import("../src/format.ts");

test("a text is translated with its values; without a translation it stays English", () => {
  assert.equal(t("No data for {age}.", { age: "3 s" }), "Ei tietoja, 3 s.");
  assert.equal(t("Nobody translated {this}.", { this: "that" }), "Nobody translated that.");
});

test("how many makes the plural", () => {
  assert.deepEqual(
    [1, 2, 0].map((n) => tn("{n} sensor out", "{n} sensors out", n)),
    ["1 anturi poissa", "2 anturia poissa", "0 anturia poissa"],
  );
  assert.equal(tn("{n} cat", "{n} cats", 2), "2 cats");
});

test("a message is written from the template of its code", () => {
  assert.equal(render("status.excluded", { count: 1 }), "1 anturi ohitettu");
  assert.equal(render("status.excluded", { count: 3 }), "3 anturia ohitettu");
  assert.equal(render("status.excluded"), "– anturia ohitettu");
  assert.equal(render("of.a.newer.server", { x: 1 }), "of.a.newer.server");
});

test("an instant is shown on the clock of the reader, with its day unless that is today", () => {
  const now = new Date(2026, 10, 18, 14, 3);
  const at = (...parts: [number, number, number, number, number]) => 1e3 * new Date(...parts).getTime();
  assert.equal(clockText(at(2026, 10, 18, 1, 52), { nowUs: 1e3 * now.getTime() }), "01:52");
  assert.equal(clockText(at(2026, 8, 7, 23, 5), { nowUs: 1e3 * now.getTime() }), "2026-09-07 23:05");
});

test("names of parts come with the page", () => {
  learnNames({ hose: "letku" });
  assert.equal(nameOf("hose"), "letku");
  assert.equal(nameOf("pump"), "pump");
  assert.equal(render("model.pressure", { part: "hose" }), "Kaksonen pysähtyi: painetta ei voitu laskea (letku)");
});

test("numbers have the separator of the language", () => {
  assert.equal(local("0.50"), "0,50");
  assert.equal(formatNumber(-31.24, 1), "\u221231,2");
  assert.equal(formatBand(0.02, 1), "±\u2009<\u20090,1");
  assert.equal(formatAge(3.14), "3,1 s");
});
