// Writes messages as a page would, for tests/unit/webui/test_messages.py: node render.mjs LANGUAGE WORDS CASES.
import { readFileSync } from "node:fs";
import type { UnitSystem } from "../src/format.ts";
import type { MessageValue } from "../src/messages.ts";

interface Cases {
  now: number;
  labels: Record<string, string>;
  names: Record<string, string>;
  cases: Array<{ code: string; values: Record<string, MessageValue>; units: UnitSystem }>;
}

const [language, words, file] = process.argv.slice(2) as [string, string, string];
const place = globalThis as unknown as Record<string, unknown>;
place.document = { documentElement: { lang: language, dataset: {} } };
place.hydratwinWords = JSON.parse(readFileSync(words, "utf-8"));
const { learnLabels, render } = await import("../src/messages.ts");
const { learnNames } = await import("../src/words.ts");

const { now, labels, names, cases } = JSON.parse(readFileSync(file, "utf-8")) as Cases;
learnLabels(Object.entries(labels).map(([name, label]) => ({ name, label })));
learnNames(names);
const texts = cases.map(({ code, values, units }) => render(code, values, { units, nowUs: now, utc: true }));
process.stdout.write(JSON.stringify(texts));
