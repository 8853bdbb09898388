// Decides from sequence numbers and times which frames to show, which to ignore and when to ask for a new snapshot.
import type { Frame } from "./machine_messages.ts";

export type Arrival = "next" | "gap" | "old";

/**
 * Tracks the sequence of frames. A jump of the sequence number within an epoch is a gap. Server time decides which
 * frames are old: a new owner of the twin may continue from a lower number, but its frames are never older than the
 * last one.
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

  /**
   * Returns true for a frame of the trail that has not been shown yet. The trail is thinned, so a jump in it is not a
   * gap.
   */
  recall(frame: Pick<Frame, "ts">): boolean {
    if (frame.ts <= this.ts) return false;
    this.ts = frame.ts;
    return true;
  }

  /** Starts again after a reconnection: the first frame is a snapshot, so nothing before it is missing. */
  restart(): void {
    this.epoch = -1;
    this.seq = -1;
  }
}
