import "./english.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "@msgpack/msgpack";
import { PARTS, Sparkline } from "../src/fleet/sparkline.ts";
import { compare, type Machine, queryOf, readView, shows } from "../src/fleet/view.ts";
import { reasonWords } from "../src/fleet/words.ts";
import { decodeFleetMessage } from "../src/socket/fleet_messages.ts";
import { ProtocolError } from "../src/socket/message_fields.ts";
import { STEPS } from "../src/tour/steps.ts";

const machine = (changes: Partial<Machine>): Machine => ({
  name: "Crane 1",
  words: "Crane 1 Loader crane loader-crane Harbour yard Northern",
  level: "ok",
  kind: "loader-crane",
  site: "s1",
  organisation: "o1",
  ageS: 0.2,
  power: 1000,
  runS: 3600,
  ...changes,
});

test("a view is its address, and what everybody starts with is left out of it", () => {
  assert.equal(queryOf(readView([])), "");
  const view = readView([
    ["level", "act"],
    ["search", "north crane"],
    ["layout", "plan"],
    ["nonsense", "1"],
  ]);
  assert.equal(queryOf(view), "search=north+crane&level=act&layout=plan");
  assert.deepEqual(readView(new URLSearchParams(queryOf(view))), view);
});

test("every word of a search has to be found, anywhere and in any case", () => {
  const found = (search: string) => shows(readView([["search", search]]), machine({}));
  assert.deepEqual(["", "HARBOUR crane", "crane quarry"].map(found), [true, true, false]);
});

test("filters leave out machines of other kinds, sites and levels", () => {
  const shown = (name: string, value: string) => shows(readView([[name, value]]), machine({}));
  assert.deepEqual(
    [shown("level", "ok"), shown("level", "act"), shown("site", "s2"), shown("kind", "loader-crane")],
    [true, false, false, true],
  );
});

test("the most urgent comes first; equals are ordered by name", () => {
  const machines = [
    machine({ name: "b", level: "ok" }),
    machine({ name: "a", level: "stale", ageS: null, power: null }),
    machine({ name: "d", level: "act", ageS: 30, power: 9000 }),
    machine({ name: "c", level: "act", runS: 9999 }),
    machine({ name: "e", level: "plan" }),
  ];
  const order = (sort: string) =>
    [...machines]
      .sort((x, y) => compare(readView([["sort", sort]]), x, y))
      .map(({ name }) => name)
      .join("");
  assert.equal(order("severity"), "cdeab");
  assert.equal(order("name"), "abcde");
  assert.equal(order("age"), "adbce");
  assert.equal(order("load"), "dbcea");
  assert.equal(order("hours"), "cabde");
});

test("the curve of the load moves on by one point each ten seconds and keeps gaps", () => {
  const sparkline = new Sparkline(Array(PARTS).fill("100").join(","));
  assert.equal(sparkline.take(50, 1000), true);
  assert.equal(sparkline.take(150, 1004), false); // the same part: their mean counts
  const { line } = sparkline.paths();
  assert.equal(line.match(/M/g)?.length, 1);
  sparkline.take(null, 1010);
  sparkline.take(null, 1020);
  sparkline.take(80, 1030);
  assert.equal(sparkline.paths().line.match(/M/g)?.length, 2); // two parts without a value lie between
});

test("a message with an unknown level is refused, not shown", () => {
  const row = {
    id: "1",
    level: "panic",
    cause: "",
    text: "",
    more: "",
    since_us: 0,
    status: "synced",
    received_us: 0,
    power: null,
    health: "",
  };
  const bytes = (message: unknown) => encode(message).slice().buffer as ArrayBuffer;
  assert.throws(() => decodeFleetMessage(bytes({ type: "fleet", server_us: 1, rows: [row] })), ProtocolError);
  const read = decodeFleetMessage(bytes({ type: "fleet", server_us: 1, rows: [{ ...row, level: "act" }] }));
  assert.equal(read.type === "fleet" && read.rows[0]?.level, "act");
});

test("a row says what is wrong, since when and what to do", () => {
  const since = new Date();
  since.setHours(1, 52, 0, 0);
  const row = { text: "Hose pressure sensor silent", more: "Check the sensor's cable", sinceUs: 1e3 * since.getTime() };
  assert.equal(reasonWords(row), "Hose pressure sensor silent, since 01:52. Check the sensor's cable");
  assert.equal(reasonWords({ text: "All well", more: "", sinceUs: 0 }), "All well");
});

test("the tour goes through the fleet first, then through one machine", () => {
  const pages = STEPS.map(({ page }) => page);
  assert.equal(pages.indexOf("machine"), pages.lastIndexOf("fleet") + 1);
});
