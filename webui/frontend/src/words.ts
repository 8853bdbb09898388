// Translates texts. Scripts are written in English; for another language a catalogue, made by tools/translations, is
// loaded before them. Texts without a translation stay English.

interface Catalogue {
  words: Record<string, string | [string, string]>;
  /** Sentences from the twin: a pattern of the English sentence, and the translation with named parts. */
  sentences: Array<[string, string]>;
}

export type Values = Record<string, string | number>;

const catalogue = (globalThis as { hydratwinWords?: Catalogue }).hydratwinWords;
const language = typeof document === "undefined" ? "en" : document.documentElement.lang || "en";
/** Plural rules of the language. */
const plural = new Intl.PluralRules(language);
const decimal = (0.5).toLocaleString(language).charAt(1);

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

function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Digits with the decimal separator of the language. */
export function local(digits: string): string {
  return decimal === "." ? digits : digits.replace(/(?<![\d.])(\d+)\.(\d+)(?![\d.])/g, `$1${decimal}$2`);
}

/** Display names of the machine's parts, by their names in the description. */
const names: Record<string, string> = {};

export function learnNames(more: Record<string, string>): void {
  Object.assign(names, more);
}

export function nameOf(english: string): string {
  return names[english] ?? english;
}

const patterns = (catalogue?.sentences ?? []).map(([pattern, words]) => [new RegExp(`^${pattern}$`), words] as const);
const remembered = new Map<string, string>();

/** Translates a sentence from the twin, which arrives in English. */
export function told(english: string): string {
  if (patterns.length === 0 || english === "") return english;
  const known = remembered.get(english);
  if (known !== undefined) return known;
  const translated = tell(english);
  if (remembered.size > 200) remembered.clear(); // sentences with numbers in them come and go
  remembered.set(english, translated);
  return translated;
}

function tell(english: string): string {
  for (const [pattern, words] of patterns) {
    const found = pattern.exec(english);
    if (found === null) continue;
    const parts = Object.entries(found.groups ?? {}).map(([name, part]) => [name, tell(part)]);
    return fill(words, Object.fromEntries(parts) as Values);
  }
  return local(nameOf(english));
}
