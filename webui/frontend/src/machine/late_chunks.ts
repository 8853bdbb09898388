// Does the twin keep up? The share of its chunks that were late while this page has watched.
import type { Frame } from "../socket/machine_messages.ts";

export class LateChunks {
  private chunks = 0;
  private overruns = 0;
  private first: { chunks: number; overruns: number } | null = null;

  take(frame: Frame): void {
    // counts that fall belong to another twin of this machine: begin again
    if (this.first === null || frame.chunks < this.first.chunks)
      this.first = { chunks: frame.chunks, overruns: frame.overruns };
    this.chunks = frame.chunks - this.first.chunks;
    this.overruns = Math.max(0, frame.overruns - this.first.overruns);
  }

  /** Of the chunks that arrived while this page watched, 0 to 1. */
  get share(): number {
    return this.chunks === 0 ? 0 : this.overruns / this.chunks;
  }

  /** Null before there was a chunk. */
  get text(): string | null {
    if (this.chunks === 0) return null;
    const percent = 100 * this.share;
    if (percent === 0) return "0 %";
    return percent < 1 ? "< 1 %" : `${Math.round(percent)} %`;
  }
}
