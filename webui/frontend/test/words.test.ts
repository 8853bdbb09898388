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
  sentences: [
    [
      "Sensor\\ '(?<sensor>.+?)'\\ \\((?<kind>.+?)\\)\\ has\\ shown\\ (?<reading>.+?)\\.",
      "Anturi '{sensor}' ({kind}) on näyttänyt {reading}.",
    ],
    ["chamber\\ pressure", "kammiopaine"],
    ["pressure\\ of\\ '(?<part>.+?)'", "paine, '{part}'"],
  ],
};
const { learnNames, local, nameOf, t, tn, told } = await import("../src/words.ts");
const { formatAge, formatBand, formatNumber } = await import("../src/format.ts");

test("a text is told in the language of the page, with its values; without a translation it stays English", () => {
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

test("what a twin says is taken apart, told, and put together again", () => {
  assert.equal(
    told("Sensor 'hose.p' (chamber pressure) has shown 26.3 bar."),
    "Anturi 'hose.p' (kammiopaine) on näyttänyt 26,3 bar.",
  );
  assert.equal(told("something new at 1.5 s"), "something new at 1,5 s");
  assert.equal(told(""), "");
});

test("names of parts come with the page", () => {
  learnNames({ hose: "letku" });
  assert.equal(nameOf("hose"), "letku");
  assert.equal(nameOf("pump"), "pump");
  assert.equal(told("pressure of 'hose'"), "paine, 'letku'");
});

test("numbers have the separator of the language, names with dots do not", () => {
  assert.equal(local("0.50 and hose.p and 1.2.3"), "0,50 and hose.p and 1.2.3");
  assert.equal(formatNumber(-31.24, 1), "\u221231,2");
  assert.equal(formatBand(0.02, 1), "±\u2009<\u20090,1");
  assert.equal(formatAge(3.14), "3,1 s");
});
