// Decodes messages from the fleet's socket: first the list of machines, then the rows that have changed.
import { Decoder } from "@msgpack/msgpack";
import { type Fields, number, oneOf, ProtocolError, text } from "./message_fields.ts";

export type Level = "act" | "plan" | "stale" | "ok";
/** The levels, most urgent first. */
export const LEVELS: readonly Level[] = ["act", "plan", "stale", "ok"];

/** The present state of a machine, in SI units. */
export interface LiveRow {
  id: string;
  level: Level;
  text: string; // what is wrong, and what to do or what follows, in the reader's language
  more: string;
  sinceUs: number; // machine time; 0: not known
  status: string;
  receivedUs: number; // server time of the last sample; 0: there was none
  power: number | null; // W
  health: string;
}

export type FleetMessage =
  | { type: "hello"; machines: string[]; serverUs: number }
  | { type: "ping"; serverUs: number }
  | { type: "fleet"; rows: LiveRow[]; serverUs: number };

const decoder = new Decoder();

export function decodeFleetMessage(data: ArrayBuffer): FleetMessage {
  let fields: Fields;
  try {
    fields = decoder.decode(new Uint8Array(data)) as Fields;
  } catch {
    throw new ProtocolError("the message is not msgpack");
  }
  const serverUs = number(fields, "server_us");
  switch (fields.type) {
    case "hello":
      return { type: "hello", machines: list(fields.machines).map(String), serverUs };
    case "ping":
      return { type: "ping", serverUs };
    case "fleet":
      return { type: "fleet", rows: list(fields.rows).map((row) => readRow(row as Fields)), serverUs };
    default:
      throw new ProtocolError(`unknown message type ${JSON.stringify(fields.type)}`);
  }
}

function readRow(row: Fields): LiveRow {
  return {
    id: text(row, "id"),
    level: oneOf<Level>(text(row, "level"), LEVELS, "level"),
    text: text(row, "text"),
    more: text(row, "more"),
    sinceUs: number(row, "since_us"),
    status: text(row, "status"),
    receivedUs: number(row, "received_us"),
    power: row.power === null ? null : number(row, "power"),
    health: text(row, "health"),
  };
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new ProtocolError("a list is missing");
  return value;
}
