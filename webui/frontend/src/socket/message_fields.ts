// Checked fields of a decoded message: a value of another type than expected is an error that names the field.

/** The server said something this page does not understand; the text says what. */
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
