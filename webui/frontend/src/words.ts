// Words in the reader's language. Scripts are written in English; for another language a file of words is loaded
// before them (tools/translations makes it). Where it has nothing, English stays.

interface Catalogue {
  words: Record<string, string | [string, string]>;
  /** What a twin says: a pattern of the English sentence, and the sentence with its parts by name. */
  sentences: Array<[string, string]>;
}

export type Values = Record<string, string | number>;

const catalogue = (globalThis as { hydratwinWords?: Catalogue }).hydratwinWords;
const language = typeof document === "undefined" ? "en" : document.documentElement.lang || "en";
/** How many makes the plural is the language's business. */
const plural = new Intl.PluralRules(language);
const decimal = (0.5).toLocaleString(language).charAt(1);

/** A text; `{name}` in it stands for the value of that name. */
export function t(english: string, values: Values = {}): string {
  const found = catalogue?.words[english];
  return fill(typeof found === "string" ? found : english, values);
}

/** A text about a number of things; `{n}` in it is the number. */
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

/** What the parts of this page's machine are called, by what its description calls them. */
const names: Record<string, string> = {};

export function learnNames(more: Record<string, string>): void {
  Object.assign(names, more);
}

export function nameOf(english: string): string {
  return names[english] ?? english;
}

const patterns = (catalogue?.sentences ?? []).map(([pattern, words]) => [new RegExp(`^${pattern}$`), words] as const);
const remembered = new Map<string, string>();

/** What a twin says, which comes in English over the wire. */
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
