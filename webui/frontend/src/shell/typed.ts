// Keeps what was typed into a form if the session has ended: session storage keeps it until after the sign-in.
// Passwords, hidden fields and files are not kept.

/** Key in session storage for the fields of the last form. */
const KEY = "hydratwin-typed";

interface Typed {
  path: string;
  person: string;
  /** Whether the sign-in page was shown after the form was sent. */
  interrupted: boolean;
  fields: Array<[name: string, value: string]>;
}

const UNKEPT = new Set(["password", "hidden", "file", "submit", "button"]);

export function keepTyped(root: Document, storage: Storage): void {
  const interrupted = root.querySelector("[data-interrupted]") !== null;
  const person = root.querySelector(".topbar-user")?.textContent ?? "";
  const before = read(storage);
  storage.removeItem(KEY);
  if (before !== null && interrupted) storage.setItem(KEY, JSON.stringify({ ...before, interrupted }));
  if (before?.interrupted && before.path === location.pathname && before.person === person) fillIn(root, before.fields);
  if (interrupted) return; // their own forms are not worth keeping
  root.addEventListener("submit", ({ target }) => {
    if (!(target instanceof HTMLFormElement) || target.method !== "post") return;
    const typed: Typed = { path: location.pathname, person, interrupted: false, fields: typedIn(target) };
    storage.setItem(KEY, JSON.stringify(typed));
  });
}

function read(storage: Storage): Typed | null {
  try {
    return JSON.parse(storage.getItem(KEY) ?? "null") as Typed | null;
  } catch {
    return null;
  }
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function* fieldsOf(form: HTMLFormElement): Generator<Field> {
  for (const field of form.elements) {
    const known =
      field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement;
    if (known && field.name !== "" && !UNKEPT.has(field.type)) yield field;
  }
}

function typedIn(form: HTMLFormElement): Typed["fields"] {
  const fields: Typed["fields"] = [];
  for (const field of fieldsOf(form)) {
    if (!isChoice(field) || field.checked) fields.push([field.name, field.value]);
  }
  return fields;
}

/** Fills the form that has all of these fields. */
function fillIn(root: Document, fields: Typed["fields"]): void {
  const names = new Set(fields.map(([name]) => name));
  for (const form of root.forms) {
    const own = [...fieldsOf(form)];
    if (names.size === 0 || ![...names].every((name) => own.some((field) => field.name === name))) continue;
    for (const field of own) {
      const values = fields.filter(([name]) => name === field.name).map(([, value]) => value);
      if (isChoice(field)) field.checked = values.includes(field.value);
      else if (values[0] !== undefined) field.value = values[0];
    }
    return;
  }
}

function isChoice(field: Field): field is HTMLInputElement {
  return field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio");
}
