// Counts the share of telemetry chunks that the twin handled late since this page was opened.
import type { Frame } from "../socket/machine_messages.ts";

export class LateChunks {
  private chunks = 0;
  private overruns = 0;
  private first: { chunks: number; overruns: number } | null = null;

  take(frame: Frame): void {
    // lower counts come from a restarted twin: begin again
    if (this.first === null || frame.chunks < this.first.chunks)
      this.first = { chunks: frame.chunks, overruns: frame.overruns };
    this.chunks = frame.chunks - this.first.chunks;
    this.overruns = Math.max(0, frame.overruns - this.first.overruns);
  }

  /** Late chunks as a share of all chunks since the page was opened, 0 to 1. */
  get share(): number {
    return this.chunks === 0 ? 0 : this.overruns / this.chunks;
  }

  /** The share as text; null before the first chunk. */
  get text(): string | null {
    if (this.chunks === 0) return null;
    const percent = 100 * this.share;
    if (percent === 0) return "0 %";
    return percent < 1 ? "< 1 %" : `${Math.round(percent)} %`;
  }
}
