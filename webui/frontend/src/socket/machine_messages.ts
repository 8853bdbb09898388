// Decodes msgpack messages from a machine's socket, and checks their types.
import { Decoder } from "@msgpack/msgpack";
import type { MessageValues } from "../messages.ts";
import { bytes, type Fields, messageOf, number, oneOf, ProtocolError, text } from "./message_fields.ts";

export type TwinStatus = "synced" | "coasting" | "stale" | "failed";
export type Role = "sensor" | "input" | "estimate" | "model";

export interface Channel {
  name: string;
  label: string;
  unit: string;
  quantity: string;
  role: Role;
}

export interface Hello {
  type: "hello";
  channels: Channel[];
  serverUs: number;
}

export interface Ping {
  type: "ping";
  serverUs: number;
}

/** One state of the twin. The arrays are in channel order and are reused for the next frame, so copy what you keep. */
export interface Frame {
  type: "frame";
  epoch: number;
  seq: number;
  t: number; // machine time of the state, µs
  ts: number; // server time at which the frame was made, µs
  tSample: number; // machine time of the last sample fused, µs; 0 = none yet
  received: number; // server time at which that sample arrived, µs
  status: TwinStatus;
  reason: string; // technical, in English
  code: string; // of the message behind the reason, and its values; empty: there is none
  values: MessageValues;
  failures: number; // in a row
  retryS: number; // until the next attempt after a failure
  value: Float32Array;
  sigma: Float32Array;
  measured: Float32Array;
  uncorrected: Float32Array; // of the open-loop model
  innovation: Float32Array; // last reading minus the twin's prediction
  spread: Float32Array; // standard deviation of that
  flags: Uint8Array;
  load: number; // share of real time the twin needs
  lagUs: number;
  chunks: number; // entries of telemetry that moved the twin, and those of them that were late
  overruns: number;
  health: Health | null; // null: too few readings to judge
  findings: Finding[];
  doubts: Doubt[];
}

/** Mean square of recent normalised innovations (expected: 1), with its 95 % bounds for a consistent filter. */
export interface Health {
  nis: number;
  low: number;
  high: number;
}

/** A problem with a sensor or, if `channel` is empty, with the twin. */
export interface Finding {
  kind: string;
  channel: string;
  since: number; // machine time, µs
  text: string; // English, for programs
  code: string; // of the message, and its values
  values: MessageValues;
}

/** A channel whose value cannot be trusted at present, and why. */
export interface Doubt {
  channel: string;
  code: string; // of the message, and its values
  values: MessageValues;
}

/** Frames of the minute before the first live frame: thinned, oldest first, still encoded. */
export interface Trail {
  type: "trail";
  frames: Uint8Array[];
}

export type Message = Hello | Ping | Frame | Trail;

export const VALUE = 1;
export const SIGMA = 2;
export const MEASURED = 4;
export const UNCORRECTED = 8;
export const INNOVATION = 16;
/**
 * Flags for the origin of a value: sent by the machine, or estimated from its readings; without either flag it is
 * simulated.
 */
export const GIVEN = 32;
export const FUSED = 64;

const STATUSES: readonly string[] = ["synced", "coasting", "stale", "failed"];
const ROLES: readonly string[] = ["sensor", "input", "estimate", "model"];

export function readChannels(value: unknown): Channel[] {
  if (!Array.isArray(value)) throw new ProtocolError("channels is not a list");
  return value.map((item: Fields) => ({
    name: text(item, "name"),
    label: text(item, "label"),
    unit: text(item, "unit"),
    quantity: text(item, "quantity"),
    role: oneOf<Role>(text(item, "role"), ROLES, "role"),
  }));
}

function readHealth(value: unknown): Health | null {
  if (value === null) return null;
  if (typeof value !== "object") throw new ProtocolError("health is not a map");
  const fields = value as Fields;
  return { nis: number(fields, "nis"), low: number(fields, "low"), high: number(fields, "high") };
}

function readFindings(value: unknown): Finding[] {
  if (!Array.isArray(value)) throw new ProtocolError("findings is not a list");
  return value.map((item: Fields) => ({
    kind: text(item, "kind"),
    channel: text(item, "channel"),
    since: number(item, "since"),
    text: text(item, "text"),
    ...messageOf(item),
  }));
}

/** Reads the doubts of a frame; an older server sends none. */
function readDoubts(value: unknown): Doubt[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new ProtocolError("doubts is not a list");
  return value.map((item: Fields) => ({ channel: text(item, "channel"), ...messageOf(item) }));
}

function packed(value: unknown): Uint8Array[] {
  if (!Array.isArray(value) || !value.every((item) => item instanceof Uint8Array)) {
    throw new ProtocolError("frames is not a list of binaries");
  }
  return value;
}

/** Decodes messages; every frame is read into the same object and arrays. */
export class MessageDecoder {
  private readonly decoder = new Decoder();
  private readonly frame: Frame;

  constructor(private readonly channelCount: number) {
    this.frame = emptyFrame(channelCount);
  }

  read(data: ArrayBuffer): Message {
    const fields = this.decode(new Uint8Array(data));
    switch (fields.type) {
      case "frame":
        return this.readFrame(fields);
      case "ping":
        return { type: "ping", serverUs: number(fields, "server_us") };
      case "trail":
        return { type: "trail", frames: packed(fields.frames) };
      case "hello":
        return { type: "hello", channels: readChannels(fields.channels), serverUs: number(fields, "server_us") };
      default:
        throw new ProtocolError(`unknown message type ${JSON.stringify(fields.type)}`);
    }
  }

  /**
   * Decodes a frame of the trail; null if this page cannot show it, for example because the machine's channels have
   * changed.
   */
  unpack(data: Uint8Array): Frame | null {
    try {
      return this.readFrame(this.decode(data));
    } catch (error) {
      if (error instanceof ProtocolError) return null;
      throw error;
    }
  }

  private decode(data: Uint8Array): Fields {
    let decoded: unknown;
    try {
      decoded = this.decoder.decode(data);
    } catch {
      throw new ProtocolError("the message is not msgpack");
    }
    if (typeof decoded !== "object" || decoded === null || Array.isArray(decoded)) {
      throw new ProtocolError("the message is not a map");
    }
    return decoded as Fields;
  }

  private readFrame(fields: Fields): Frame {
    const n = this.channelCount;
    const frame = this.frame;
    const value = bytes(fields, "value", 4 * n);
    const sigma = bytes(fields, "sigma", 4 * n);
    const measured = bytes(fields, "measured", 4 * n);
    const uncorrected = bytes(fields, "uncorrected", 4 * n);
    const innovation = bytes(fields, "innovation", 4 * n);
    const spread = bytes(fields, "spread", 4 * n);
    const flags = bytes(fields, "flags", n);
    const health = readHealth(fields.health);
    const findings = readFindings(fields.findings);
    const doubts = readDoubts(fields.doubts);
    const message = messageOf(fields);
    frame.epoch = number(fields, "epoch");
    frame.seq = number(fields, "seq");
    frame.t = number(fields, "t");
    frame.ts = number(fields, "ts");
    frame.tSample = number(fields, "t_sample");
    frame.received = number(fields, "received");
    frame.status = oneOf<TwinStatus>(text(fields, "status"), STATUSES, "status");
    frame.reason = text(fields, "reason");
    frame.code = message.code;
    frame.values = message.values;
    frame.failures = number({ failures: 0, ...fields }, "failures");
    frame.retryS = number({ retry_s: 0, ...fields }, "retry_s");
    frame.load = number(fields, "load");
    frame.lagUs = number(fields, "lag_us");
    frame.chunks = number(fields, "chunks");
    frame.overruns = number(fields, "overruns");
    copyFloats(value, frame.value);
    copyFloats(sigma, frame.sigma);
    copyFloats(measured, frame.measured);
    copyFloats(uncorrected, frame.uncorrected);
    copyFloats(innovation, frame.innovation);
    copyFloats(spread, frame.spread);
    frame.health = health;
    frame.findings = findings;
    frame.doubts = doubts;
    frame.flags.set(flags);
    return frame;
  }
}

/** Returns the twin's value of a channel; NaN if it is unknown or the index is -1. */
export function valueIn(frame: Frame, index: number): number {
  return index >= 0 && ((frame.flags[index] as number) & VALUE) !== 0 ? (frame.value[index] as number) : NaN;
}

export function emptyFrame(channelCount: number): Frame {
  return {
    type: "frame",
    epoch: 0,
    seq: 0,
    t: 0,
    ts: 0,
    tSample: 0,
    received: 0,
    status: "stale",
    reason: "",
    code: "",
    values: {},
    failures: 0,
    retryS: 0,
    value: new Float32Array(channelCount),
    sigma: new Float32Array(channelCount),
    measured: new Float32Array(channelCount),
    uncorrected: new Float32Array(channelCount),
    innovation: new Float32Array(channelCount),
    spread: new Float32Array(channelCount),
    flags: new Uint8Array(channelCount),
    load: 0,
    lagUs: 0,
    chunks: 0,
    overruns: 0,
    health: null,
    findings: [],
    doubts: [],
  };
}

/** Copies little-endian float32 numbers from any byte offset; a typed array over the bytes would need alignment. */
function copyFloats(source: Uint8Array, target: Float32Array): void {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  for (let i = 0; i < target.length; i++) target[i] = view.getFloat32(4 * i, true);
}
