// Templates of messages as an English page has them before any module runs; set-up compiles them.
import { readFileSync } from "node:fs";

const script = readFileSync("../static/words/en.js", "utf-8");
const place = globalThis as unknown as Record<string, unknown>;
place.hydratwinWords = JSON.parse(script.slice(script.indexOf("=") + 1, script.lastIndexOf(";")));
