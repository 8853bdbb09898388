import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "@msgpack/msgpack";
import { INNOVATION, MEASURED, MessageDecoder, SIGMA, UNCORRECTED, VALUE } from "../src/socket/machine_messages.ts";
import { ProtocolError } from "../src/socket/message_fields.ts";

function floats(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  values.forEach((value, i) => new DataView(bytes.buffer).setFloat32(4 * i, value, true));
  return bytes;
}

function frameFields(): Record<string, unknown> {
  return {
    type: "frame",
    machine: "m",
    epoch: 2,
    seq: 41,
    t: 1_790_000_000_123_456,
    ts: 1_790_000_000_300_000,
    t_sample: 1_790_000_000_120_000,
    received: 1_790_000_000_150_000,
    status: "synced",
    reason: "",
    value: floats(1.5, -2.25),
    sigma: floats(0.5, 0),
    measured: floats(1.25, 0),
    uncorrected: floats(1.75, 0),
    innovation: floats(-0.25, 0),
    spread: floats(0.125, 0),
    flags: new Uint8Array([VALUE | SIGMA | MEASURED | UNCORRECTED | INNOVATION, VALUE]),
    health: { nis: 1.1, low: 0.8, high: 1.25 },
    findings: [
      {
        kind: "silent",
        channel: "hose.p",
        since: 1_790_000_000_000_000,
        text: "Hose pressure sensor silent",
        code: "sensor.silent",
        values: { sensor: "hose.p", rate: 10 },
      },
    ],
    code: "twin.catching_up",
    values: { behind: 9 },
    failures: 2,
    retry_s: 4,
    load: 0.02,
    lag_us: 150_000,
    chunks: 12,
    overruns: 1,
  };
}

function buffer(message: unknown): ArrayBuffer {
  const bytes = encode(message);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

test("a frame keeps microseconds exactly and its numbers in channel order", () => {
  const frame = new MessageDecoder(2).read(buffer(frameFields()));
  assert.equal(frame.type, "frame");
  if (frame.type !== "frame") return;
  assert.equal(frame.t, 1_790_000_000_123_456);
  assert.deepEqual([...frame.value], [1.5, -2.25]);
  assert.deepEqual([...frame.sigma], [0.5, 0]);
  assert.deepEqual([...frame.flags], [31, 1]);
  assert.deepEqual([frame.uncorrected[0], frame.innovation[0], frame.spread[0]], [1.75, -0.25, 0.125]);
  assert.deepEqual(frame.health, { nis: 1.1, low: 0.8, high: 1.25 });
  assert.deepEqual(
    frame.findings.map(({ channel, since }) => [channel, since]),
    [["hose.p", 1_790_000_000_000_000]],
  );
  assert.equal(frame.lagUs, 150_000);
  assert.deepEqual([frame.chunks, frame.overruns], [12, 1]);
});

test("a frame brings its reason as data, and one of an older server has none", () => {
  const decoder = new MessageDecoder(2);
  const frame = decoder.read(buffer(frameFields()));
  assert.ok(frame.type === "frame");
  assert.deepEqual([frame.code, frame.values, frame.failures, frame.retryS], ["twin.catching_up", { behind: 9 }, 2, 4]);
  assert.deepEqual(frame.findings[0]?.values, { sensor: "hose.p", rate: 10 });
  const { code: _code, values: _values, failures: _failures, retry_s: _retry, ...older } = frameFields();
  const finding = { kind: "stuck", channel: "hose.p", since: 1, text: "It is stuck." };
  const read = decoder.read(buffer({ ...older, findings: [finding] }));
  assert.ok(read.type === "frame");
  assert.deepEqual([read.code, read.failures, read.retryS, read.findings[0]?.code], ["", 0, 0, ""]);
  assert.throws(() => decoder.read(buffer({ ...frameFields(), values: { x: null } })), {
    message: "values.x is neither text, number nor list",
  });
});

test("frames are read into the same arrays", () => {
  const reader = new MessageDecoder(2);
  const first = reader.read(buffer(frameFields()));
  const second = reader.read(buffer({ ...frameFields(), seq: 42 }));
  assert.equal(first, second);
});

test("a frame of another channel count is refused and says which field", () => {
  assert.throws(() => new MessageDecoder(3).read(buffer(frameFields())), { message: "value has 8 bytes, expected 12" });
});

test("a refused frame leaves the last one as it was", () => {
  const reader = new MessageDecoder(2);
  const frame = reader.read(buffer(frameFields()));
  assert.throws(() => reader.read(buffer({ ...frameFields(), seq: 99, flags: new Uint8Array(1) })), ProtocolError);
  assert.equal(frame.type === "frame" && frame.seq, 41);
});

test("a frame without health has none, and one with nonsense for it is refused", () => {
  const frame = new MessageDecoder(2).read(buffer({ ...frameFields(), health: null, findings: [] }));
  assert.ok(frame.type === "frame" && frame.health === null && frame.findings.length === 0);
  const nonsense = { ...frameFields(), health: { nis: "good", low: 0, high: 1 } };
  assert.throws(() => new MessageDecoder(2).read(buffer(nonsense)), { message: "nis is not a finite number" });
  assert.throws(() => new MessageDecoder(2).read(buffer({ ...frameFields(), findings: 3 })), ProtocolError);
});

test("an unknown status, an unknown type, a list and noise are refused", () => {
  const reader = new MessageDecoder(2);
  for (const message of [{ ...frameFields(), status: "fine" }, { type: "gossip" }, [1, 2]]) {
    assert.throws(() => reader.read(buffer(message)), ProtocolError);
  }
  assert.throws(() => reader.read(new Uint8Array([0xc1]).buffer), ProtocolError);
});

test("hello brings the channels and the server's time", () => {
  const channel = { name: "hose.p", label: "Hose pressure", unit: "Pa", quantity: "pressure", role: "sensor" };
  const hello = new MessageDecoder(1).read(
    buffer({ type: "hello", channels: [channel], server_us: 5, delay_us: 150_000 }),
  );
  assert.deepEqual(hello, { type: "hello", channels: [channel], serverUs: 5 });
});

test("a trail holds packed frames, and one that cannot be shown is passed over", () => {
  const reader = new MessageDecoder(2);
  const frames = [encode(frameFields()), encode({ ...frameFields(), flags: new Uint8Array(7) }), encode(frameFields())];
  const message = reader.read(buffer({ type: "trail", frames }));
  assert.ok(message.type === "trail");
  assert.deepEqual(
    message.frames.map((packed) => reader.unpack(packed)?.type ?? null),
    ["frame", null, "frame"],
  );
  assert.throws(() => reader.read(buffer({ type: "trail", frames: ["x"] })), ProtocolError);
});
