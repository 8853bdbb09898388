// The live socket of one machine: delivers the trail, then frames in order, and asks for a snapshot after a gap.

import type { Channel, Frame, MessageDecoder } from "./machine_messages.ts";
import { ProtocolError } from "./message_fields.ts";
import { type Connection, ReconnectingSocket, type SocketHandler } from "./reconnecting_socket.ts";
import { Sequence } from "./sequence.ts";
import type { ServerClock } from "./server_clock.ts";

export type { Connection, Ending } from "./reconnecting_socket.ts";

export interface FrameListener {
  /** Receives a frame of the trail, from before the connection; oldest first. */
  past(frame: Frame): void;
  frame(frame: Frame): void;
  connection(connection: Connection): void;
}

/**
 * Shortest time between two requests for a snapshot; gaps are normal, because the server skips frames for a slow
 * browser.
 */
const RESYNC_MS = 1_000;

export class MachineSocket implements SocketHandler {
  private readonly socket: ReconnectingSocket;
  private readonly sequence = new Sequence();
  private lastResync = -Infinity;

  constructor(
    url: string,
    private readonly channels: readonly Channel[],
    private readonly reader: MessageDecoder,
    private readonly clock: ServerClock,
    private readonly listener: FrameListener,
  ) {
    this.socket = new ReconnectingSocket(url, this);
  }

  start(): void {
    this.socket.start();
  }

  retryNow(): void {
    this.socket.retryNow();
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
      throw new ProtocolError("the machine has other channels than this page");
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
      this.socket.send('{"type":"resync"}');
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
