// Order of frames: which to show, which to ignore, and when to ask for the newest one again.
import type { Frame } from "./machine_messages.ts";

export type Arrival = "next" | "gap" | "old";

/**
 * Within an epoch a sequence number is missing when it jumps. Server time decides what is old: a new owner of the twin
 * may go on from a lower number, but it never makes a frame before the last one.
 */
export class Sequence {
  private epoch = -1;
  private seq = -1;
  private ts = -1;

  arrive(frame: Pick<Frame, "epoch" | "seq" | "ts">): Arrival {
    if (frame.ts < this.ts || (frame.epoch === this.epoch && frame.seq === this.seq)) return "old";
    const jumped = frame.epoch === this.epoch && frame.seq > this.seq + 1;
    this.epoch = frame.epoch;
    this.seq = frame.seq;
    this.ts = frame.ts;
    return jumped ? "gap" : "next";
  }

  /** Frames of the trail are thinned, so that jumps mean nothing. True for one that has not been shown. */
  recall(frame: Pick<Frame, "ts">): boolean {
    if (frame.ts <= this.ts) return false;
    this.ts = frame.ts;
    return true;
  }

  /** After a reconnection the first frame is a snapshot: nothing before it is missing. */
  restart(): void {
    this.epoch = -1;
    this.seq = -1;
  }
}
