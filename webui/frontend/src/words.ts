// Translates texts. Scripts are written in English. A file loaded before them, made by tools/translations, contains the
// translations of their texts and the templates of messages by code. Texts without a translation stay English.

/**
 * A message template: the kinds of its values by name, its text, and the text for a `count` of one, if that differs.
 */
export type Template = [kinds: Record<string, string>, text: string, one?: string];

interface Catalogue {
  words: Record<string, string | [string, string]>;
  messages: Record<string, Template>;
}

export type Values = Record<string, string | number>;

const catalogue = (globalThis as { hydratwinWords?: Catalogue }).hydratwinWords;
export const language = typeof document === "undefined" ? "en" : document.documentElement.lang || "en";
/** Plural rules of the language. */
const plural = new Intl.PluralRules(language);
export const decimal = (0.5).toLocaleString(language).charAt(1);

/** Translates a text; `{name}` in it is replaced by the value of that name. */
export function t(english: string, values: Values = {}): string {
  const found = catalogue?.words[english];
  return fill(typeof found === "string" ? found : english, values);
}

/** Translates a text with a count; `{n}` in it is the count. */
export function tn(one: string, many: string, n: number, values: Values = {}): string {
  const found = catalogue?.words[one];
  const [single, several] = Array.isArray(found) ? found : [one, many];
  return fill(plural.select(n) === "one" ? single : several, { n, ...values });
}

export function templateOf(code: string): Template | undefined {
  return catalogue?.messages[code];
}

export function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Returns the digits of a number with the decimal separator of the language. */
export function local(digits: string): string {
  return digits.replace(".", decimal);
}

/** Display names of the machine's parts, by their names in the description. */
const names: Record<string, string> = {};

export function learnNames(more: Record<string, string>): void {
  Object.assign(names, more);
}

export function nameOf(english: string): string {
  return names[english] ?? english;
}
