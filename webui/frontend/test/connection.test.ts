import assert from "node:assert/strict";
import { test } from "node:test";
import { SmoothedNumber } from "../src/machine/realtime_panel.ts";
import { Throttle } from "../src/machine/throttle.ts";
import { Announcer } from "../src/shell/announcer.ts";
import { bannerText } from "../src/shell/connection_banner.ts";
import { retryDelay } from "../src/socket/reconnecting_socket.ts";
import { Sequence } from "../src/socket/sequence.ts";
import { ServerClock } from "../src/socket/server_clock.ts";

test("waiting grows, is bounded, and differs between browsers", () => {
  assert.deepEqual(
    [0, 1, 2].map((n) => retryDelay(n, () => 1)),
    [500, 1000, 2000],
  );
  assert.equal(
    retryDelay(30, () => 1),
    10_000,
  );
  assert.equal(
    retryDelay(0, () => 0),
    250,
  );
});

test("the clock believes the stamp that travelled fastest", () => {
  const clock = new ServerClock();
  assert.equal(clock.now(5), 0);
  for (const [delay, local] of [
    [80, 0],
    [5, 1000],
    [200, 2000],
  ] as const) {
    clock.sample(1_000_000_000 + (local - delay) * 1000, local);
  }
  assert.equal(clock.now(3000), 1_000_000_000 + (3000 - 5) * 1000);
});

test("a server clock that was set back is followed after a while", () => {
  const clock = new ServerClock();
  clock.sample(9e9, 0);
  for (let i = 1; i <= 30; i++) clock.sample(1e9 + i * 1e6, i * 1000);
  assert.equal(clock.now(31_000), 1e9 + 31e6);
});

test("the next number is next, a jump is a gap, a repeat is old", () => {
  const sequence = new Sequence();
  const arrive = (epoch: number, seq: number, ts: number) => sequence.arrive({ epoch, seq, ts });
  assert.deepEqual(
    [arrive(1, 7, 10), arrive(1, 8, 20), arrive(1, 11, 30), arrive(1, 11, 30)],
    ["next", "next", "gap", "old"],
  );
});

test("a new epoch and a new owner are not gaps, and an overtaken frame is old", () => {
  const sequence = new Sequence();
  const arrive = (epoch: number, seq: number, ts: number) => sequence.arrive({ epoch, seq, ts });
  assert.deepEqual(
    [arrive(1, 50, 10), arrive(2, 90, 20), arrive(2, 60, 30), arrive(2, 61, 25)],
    ["next", "next", "next", "old"],
  );
});

test("the snapshot after a reconnection is taken even when it is the frame already seen", () => {
  const sequence = new Sequence();
  sequence.arrive({ epoch: 1, seq: 5, ts: 10 });
  sequence.restart();
  assert.equal(sequence.arrive({ epoch: 1, seq: 5, ts: 10 }), "next");
});

test("a trail fills what has not been seen, and the frame after it is neither a gap nor old", () => {
  const sequence = new Sequence();
  assert.deepEqual(
    [10, 20, 30].map((ts) => sequence.recall({ ts })),
    [true, true, true],
  );
  assert.equal(sequence.arrive({ epoch: 1, seq: 99, ts: 31 }), "next");
  sequence.restart();
  assert.deepEqual(
    [20, 31, 40].map((ts) => sequence.recall({ ts })),
    [false, false, true],
  );
  assert.equal(sequence.arrive({ epoch: 1, seq: 120, ts: 41 }), "next");
  assert.equal(sequence.arrive({ epoch: 1, seq: 121, ts: 42 }), "next");
});

test("a smoothed number follows slowly and starts afresh after silence", () => {
  const smooth = new SmoothedNumber(1000);
  smooth.take(10, 0);
  smooth.take(20, 100);
  assert.ok((smooth.value as number) > 10 && (smooth.value as number) < 12);
  smooth.take(null, 200);
  smooth.take(20, 300);
  assert.equal(smooth.value, 20);
});

test("the banner is silent when all is well and counts seconds when it is not", () => {
  assert.equal(bannerText({ state: "open" }, 0), "");
  assert.equal(bannerText({ state: "lost", since: 1000, retryAt: 0 }, 5100), "Connection lost 4 s ago, retrying…");
  assert.match(bannerText({ state: "silent", since: 0 }, 3200), /^No message from the server for 3 s\./);
  assert.match(bannerText({ state: "ended", ending: "forbidden" }, 0), /no longer have access/);
});

test("announcements are rationed, and the newest is spoken", () => {
  const spoken: string[] = [];
  const announcer = new Announcer((text) => spoken.push(text));
  announcer.offer("a", 0);
  announcer.offer("b", 100);
  announcer.offer("c", 4000);
  announcer.offer("c", 6000);
  announcer.offer("c", 20_000);
  assert.deepEqual(spoken, ["a", "c"]);
});

test("a rhythm beats once per interval and can be hurried", () => {
  const rhythm = new Throttle(100);
  const beats = [0, 50, 100, 199].map((t) => rhythm.due(t));
  rhythm.hurry();
  assert.deepEqual([...beats, rhythm.due(199)], [true, false, true, false, true]);
});
