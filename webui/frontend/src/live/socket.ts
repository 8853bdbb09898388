// The live connection of one machine: opens, listens, notices silence, comes back by itself.
import { retryDelay } from "./backoff.ts";
import type { ServerClock } from "./clock.ts";
import { Sequence } from "./sequence.ts";
import { WireError, type Channel, type Frame, type WireReader } from "./wire.ts";

/** Why there is nothing more to try. */
export type Ending = "forbidden" | "signed-out" | "outdated";

export type Connection =
  | { state: "connecting" }
  | { state: "open" }
  | { state: "silent"; since: number }
  | { state: "lost"; since: number; retryAt: number }
  | { state: "ended"; ending: Ending };

export interface Listener {
  /** A frame from before the connection, in order; the present one follows. */
  past(frame: Frame): void;
  frame(frame: Frame): void;
  connection(connection: Connection): void;
}

/** The server pings every second: this long without any message is worth saying. */
const SILENT_MS = 3_000;
/** And this long is a dead connection, whatever TCP believes. */
const DEAD_MS = 8_000;
/** The server drops frames for a slow browser on purpose, so a gap is answered at most this often. */
const RESYNC_MS = 1_000;
const WATCH_MS = 500;
/** A connection that held this long was a good one: the next loss starts again with a short wait. */
const STEADY_MS = 5_000;
const CLOSE_FORBIDDEN = 4403;

export class LiveSocket {
  private socket: WebSocket | null = null;
  private readonly sequence = new Sequence();
  private current: Connection = { state: "connecting" };
  private attempt = 0;
  private opened = false;
  private openedAt = 0;
  private lastMessage = 0;
  private lastResync = -Infinity;
  private lostAt = 0;
  private retryTimer = 0;

  constructor(
    private readonly url: string,
    private readonly channels: readonly Channel[],
    private readonly reader: WireReader,
    private readonly clock: ServerClock,
    private readonly listener: Listener,
  ) {}

  start(): void {
    this.connect();
    window.setInterval(() => this.watch(), WATCH_MS);
    window.addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retryNow();
    });
  }

  /** Does not wait for the next attempt when one is pending. */
  retryNow(): void {
    if (this.current.state !== "lost") return;
    this.attempt = 0;
    this.connect();
  }

  private connect(): void {
    window.clearTimeout(this.retryTimer);
    this.opened = false;
    this.lastMessage = performance.now();
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.opened = true;
      this.openedAt = performance.now();
      this.lastMessage = this.openedAt;
      this.sequence.restart();
    };
    socket.onmessage = (event: MessageEvent) => this.receive(event.data);
    socket.onclose = (event) => {
      if (this.socket === socket) void this.closed(event.code);
    };
    this.socket = socket;
  }

  private receive(data: unknown): void {
    const now = performance.now();
    this.lastMessage = now;
    try {
      if (!(data instanceof ArrayBuffer)) throw new WireError("the message is not binary");
      const message = this.reader.read(data);
      if (message.type === "frame") this.receiveFrame(message, now);
      else if (message.type === "trail") this.receiveTrail(message.frames);
      else this.clock.sample(message.serverUs, now);
      if (message.type === "hello" && !this.sameChannels(message.channels)) return this.end("outdated");
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return this.end("outdated");
    }
    if (this.current.state !== "open") this.report({ state: "open" });
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
      this.socket?.send('{"type":"resync"}');
    }
    this.listener.frame(frame);
  }

  private sameChannels(channels: Channel[]): boolean {
    return (
      channels.length === this.channels.length && channels.every((channel, i) => channel.name === this.channels[i]?.name)
    );
  }

  private watch(): void {
    const now = performance.now();
    const silent = now - this.lastMessage;
    if (this.current.state === "lost" || this.current.state === "ended") return;
    if (this.current.state === "open" && now - this.openedAt > STEADY_MS) this.attempt = 0;
    if (silent > DEAD_MS) this.abandon();
    else if (silent > SILENT_MS && this.current.state === "open") {
      this.report({ state: "silent", since: this.lastMessage });
    }
  }

  /** Gives up on a socket that no longer answers, without waiting for its closing handshake. */
  private abandon(): void {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    void this.closed(1006);
  }

  private async closed(code: number): Promise<void> {
    if (this.current.state === "ended") return;
    if (code === CLOSE_FORBIDDEN || !this.opened) {
      const ending = (await refusal()) ?? (code === CLOSE_FORBIDDEN ? "forbidden" : null);
      if (ending !== null) return this.end(ending);
    }
    if (this.current.state !== "lost") this.lostAt = this.lastMessage;
    const delay = retryDelay(this.attempt);
    this.attempt += 1;
    this.report({ state: "lost", since: this.lostAt, retryAt: performance.now() + delay });
    this.retryTimer = window.setTimeout(() => this.connect(), delay);
  }

  private end(ending: Ending): void {
    this.report({ state: "ended", ending });
    this.socket?.close();
    this.socket = null;
  }

  private report(connection: Connection): void {
    this.current = connection;
    this.listener.connection(connection);
  }
}

/** A refused handshake does not say why. The page itself does: signed out redirects, no access is 403 or 404. */
async function refusal(): Promise<Ending | null> {
  try {
    const response = await fetch(location.href, { method: "HEAD", redirect: "manual", cache: "no-store" });
    if (response.type === "opaqueredirect") return "signed-out";
    if (response.status === 403 || response.status === 404) return "forbidden";
  } catch {
    // The server does not answer at all: that is for the next attempt.
  }
  return null;
}
