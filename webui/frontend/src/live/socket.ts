// The live connection of one machine: frames in order, gaps answered, the trail first.
import type { ServerClock } from "./clock.ts";
import { Line, type Connection, type Hearer } from "./line.ts";
import { Sequence } from "./sequence.ts";
import { WireError, type Channel, type Frame, type WireReader } from "./wire.ts";

export type { Connection, Ending } from "./line.ts";

export interface Listener {
  /** A frame from before the connection, in order; the present one follows. */
  past(frame: Frame): void;
  frame(frame: Frame): void;
  connection(connection: Connection): void;
}

/** The server drops frames for a slow browser on purpose, so a gap is answered at most this often. */
const RESYNC_MS = 1_000;

export class LiveSocket implements Hearer {
  private readonly line: Line;
  private readonly sequence = new Sequence();
  private lastResync = -Infinity;

  constructor(
    url: string,
    private readonly channels: readonly Channel[],
    private readonly reader: WireReader,
    private readonly clock: ServerClock,
    private readonly listener: Listener,
  ) {
    this.line = new Line(url, this);
  }

  start(): void {
    this.line.start();
  }

  retryNow(): void {
    this.line.retryNow();
  }

  opened(): void {
    this.sequence.restart();
  }

  connection(connection: Connection): void {
    this.listener.connection(connection);
  }

  message(data: ArrayBuffer, nowMs: number): void {
    const message = this.reader.read(data);
    if (message.type === "frame") this.receiveFrame(message, nowMs);
    else if (message.type === "trail") this.receiveTrail(message.frames);
    else this.clock.sample(message.serverUs, nowMs);
    if (message.type === "hello" && !this.sameChannels(message.channels)) {
      throw new WireError("the machine has other channels than this page");
    }
  }

  private receiveTrail(frames: readonly Uint8Array[]): void {
    for (const packed of frames) {
      const frame = this.reader.unpack(packed);
      if (frame !== null && this.sequence.recall(frame)) this.listener.past(frame);
    }
  }

  private receiveFrame(frame: Frame, now: number): void {
    const arrival = this.sequence.arrive(frame);
    if (arrival === "old") return;
    if (arrival === "gap" && now - this.lastResync > RESYNC_MS) {
      this.lastResync = now;
      this.line.send('{"type":"resync"}');
    }
    this.listener.frame(frame);
  }

  private sameChannels(channels: Channel[]): boolean {
    return (
      channels.length === this.channels.length &&
      channels.every((channel, i) => channel.name === this.channels[i]?.name)
    );
  }
}
