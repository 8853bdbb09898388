// Reads fields of a decoded message and checks their types; errors name the field.

/** A message that this page does not understand: usually the page is older than the server. */
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
