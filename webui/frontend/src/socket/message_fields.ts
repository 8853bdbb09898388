// Reads fields of a decoded message and checks their types; errors name the field.

import type { MessageValues } from "../messages.ts";

/** A message that this page does not understand, usually because the page is older than the server. */
export class ProtocolError extends Error {}

export type Fields = Record<string, unknown>;

export function number(fields: Fields, key: string): number {
  const value = fields[key];
  if (typeof value !== "number" || !Number.isFinite(value)) throw new ProtocolError(`${key} is not a finite number`);
  return value;
}

export function text(fields: Fields, key: string): string {
  const value = fields[key];
  if (typeof value !== "string") throw new ProtocolError(`${key} is not text`);
  return value;
}

export function bytes(fields: Fields, key: string, length: number): Uint8Array {
  const value = fields[key];
  if (!(value instanceof Uint8Array)) throw new ProtocolError(`${key} is not binary`);
  if (value.byteLength !== length) throw new ProtocolError(`${key} has ${value.byteLength} bytes, expected ${length}`);
  return value;
}

export function oneOf<T extends string>(value: string, known: readonly string[], key: string): T {
  if (!known.includes(value)) throw new ProtocolError(`unknown ${key} "${value}"`);
  return value as T;
}

/** Returns the code and values of a message; empty if an older server sent none. */
export function messageOf(fields: Fields): { code: string; values: MessageValues } {
  const { code = "", values = {} } = fields;
  if (typeof code !== "string") throw new ProtocolError("code is not text");
  if (typeof values !== "object" || values === null) throw new ProtocolError("values is not a map");
  for (const [name, value] of Object.entries(values)) {
    const known = typeof value === "string" || typeof value === "number" || Array.isArray(value);
    if (!known) throw new ProtocolError(`values.${name} is neither text, number nor list`);
  }
  return { code, values: values as MessageValues };
}
