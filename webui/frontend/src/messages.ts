// Renders messages: a code with values, written in the reader's language, units and decimal separator. The templates
// come with the words file of the language. webui/messages.py does the same for pages; a test checks that both give the
// same text.
import { displayOf, formatNumber, formatWholeAge, type UnitSystem, unitSystem, withUnit } from "./format.ts";
import { decimal, fill, language, nameOf, templateOf } from "./words.ts";

export type MessageValue = string | number | string[];
export type MessageValues = Record<string, MessageValue>;

/** How to write a message; by default in the language and units of this page, now, and in the reader's time zone. */
export interface Reading {
  units?: UnitSystem;
  nowUs?: number;
  utc?: boolean;
}

/** Display names of the channels of this page's machine. */
const labels = new Map<string, string>();

export function learnLabels(channels: Iterable<{ name: string; label: string }>): void {
  for (const { name, label } of channels) labels.set(name, label);
}

/** Returns the text of a message; an unknown code, from a newer server, is shown as it is. */
export function render(code: string, values: MessageValues = {}, reading: Reading = {}): string {
  const template = templateOf(code);
  if (template === undefined) return code;
  const [kinds, text, one] = template;
  const shown: Record<string, string> = {};
  for (const name of Object.keys(kinds)) {
    const kind = kinds[name] === "reading" ? String(values.quantity) : (kinds[name] as string);
    const value = values[name];
    shown[name] = value === undefined ? "–" : write(value, kind, reading);
  }
  return fill(one !== undefined && values.count === 1 ? one : text, shown);
}

function write(value: MessageValue, kind: string, reading: Reading): string {
  if (Array.isArray(value)) {
    return value.map(kind === "causes" ? cause : label).join(", ");
  }
  if (typeof value === "string") {
    if (kind === "channel") return label(value);
    return kind === "name" ? nameOf(value) : value;
  }
  return kind === "instant" ? clockText(value, reading) : writeNumber(value, kind, reading);
}

function writeNumber(value: number, kind: string, { units = unitSystem() }: Reading): string {
  switch (kind) {
    case "count":
      return formatNumber(value, 0);
    case "ordinal":
      return ordinal(value);
    case "number":
      return compact(value);
    case "ratio":
      return formatNumber(value, 2);
    case "share":
      return `${formatNumber(100 * value, 0)} %`;
    case "span":
      return formatWholeAge(value);
    case "seconds":
    case "time":
      return `${compact(value)} s`;
    case "step":
      return `${compact(1e3 * value)} ms`;
    default: {
      const { unit, factor, decimals } = displayOf(kind, "", units);
      return withUnit(formatNumber(value * factor, decimals), unit);
    }
  }
}

/** Names a cause: of the whole machine, a sensor, or a part. */
function cause(name: string): string {
  return templateOf(name) === undefined ? (labels.get(name) ?? nameOf(name)) : render(name);
}

function label(channel: string): string {
  return labels.get(channel) ?? channel;
}

/** Formats a number with at most one decimal. */
function compact(value: number): string {
  const text = formatNumber(value, 1);
  return text.endsWith(`${decimal}0`) ? text.slice(0, -2) : text;
}

const ENDINGS: Record<string, string> = { one: "st", two: "nd", few: "rd", other: "th" };
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });

function ordinal(n: number): string {
  return language === "en" ? `${n}${ENDINGS[ordinals.select(n)]}` : `${n}.`;
}

const two = (n: number) => String(n).padStart(2, "0");

/** Formats an instant in the reader's local time, with the day if it is not today. */
export function clockText(us: number, { nowUs = 1e3 * Date.now(), utc = false }: Reading = {}): string {
  const day = (at: Date) =>
    utc
      ? `${at.getUTCFullYear()}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`
      : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const at = new Date(us / 1e3);
  const time = utc
    ? `${two(at.getUTCHours())}:${two(at.getUTCMinutes())} UTC`
    : `${two(at.getHours())}:${two(at.getMinutes())}`;
  return day(at) === day(new Date(nowUs / 1e3)) ? time : `${day(at)} ${time}`;
}
