// A WebSocket that notices silence and reconnects by itself. Its handler interprets the messages.
import { ProtocolError } from "./message_fields.ts";

/** Why the socket stopped trying to reconnect. */
export type Ending = "forbidden" | "signed-out" | "outdated";

export type Connection =
  | { state: "connecting" }
  | { state: "open" }
  | { state: "silent"; since: number }
  | { state: "lost"; since: number; retryAt: number }
  | { state: "ended"; ending: Ending };

export interface SocketHandler {
  /** Called when a new connection is open; no message has arrived on it yet. */
  opened(): void;
  /** Handles a message. If it throws a ProtocolError, this page is out of date. */
  message(data: ArrayBuffer, nowMs: number): void;
  connection(connection: Connection): void;
}

/** The server pings every second; after this time without a message the connection counts as silent. */
const SILENT_MS = 3_000;
/** After this time without a message the connection counts as lost, even if TCP has not noticed. */
const DEAD_MS = 8_000;
const WATCH_MS = 500;
/** A connection that lasted this long resets the waiting time before the next attempt. */
const STEADY_MS = 5_000;
const CLOSE_FORBIDDEN = 4403;
/** Shortest and longest wait between attempts. */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;
/** Time to wait until the browser has received a new session key. */
const NEW_KEY_MS = 2_000;

export class ReconnectingSocket {
  private socket: WebSocket | null = null;
  private current: Connection = { state: "connecting" };
  private attempt = 0;
  private opened = false;
  private turnedOut = false;
  private openedAt = 0;
  private lastMessage = 0;
  private lostAt = 0;
  private retryTimer = 0;

  constructor(
    private readonly url: string,
    private readonly handler: SocketHandler,
  ) {}

  start(): void {
    this.connect();
    window.setInterval(() => this.watch(), WATCH_MS);
    window.addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retryNow();
    });
  }

  /** Connects at once if an attempt is pending. */
  retryNow(): void {
    if (this.current.state !== "lost") return;
    this.attempt = 0;
    this.connect();
  }

  send(text: string): void {
    this.socket?.send(text);
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
      this.handler.opened();
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
      if (!(data instanceof ArrayBuffer)) throw new ProtocolError("the message is not binary");
      this.handler.message(data, now);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return this.end("outdated");
    }
    this.turnedOut = false;
    if (this.current.state !== "open") this.report({ state: "open" });
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

  /** Drops a socket that no longer responds, without waiting for its closing handshake. */
  private abandon(): void {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    void this.closed(1006);
  }

  private async closed(code: number): Promise<void> {
    if (this.current.state === "ended") return;
    if (this.current.state !== "lost") this.lostAt = this.lastMessage;
    if (code === CLOSE_FORBIDDEN) return this.askLater();
    if (!this.opened) {
      const ending = (await refusal()) ?? (this.turnedOut ? "forbidden" : null);
      if (ending !== null) return this.end(ending);
    }
    const delay = retryDelay(this.attempt);
    this.attempt += 1;
    this.report({ state: "lost", since: this.lostAt, retryAt: performance.now() + delay });
    this.retryTimer = window.setTimeout(() => this.connect(), delay);
  }

  /** Asks again later: after a change of password the session gets a new key, which the browser has a moment later. */
  private askLater(): void {
    this.turnedOut = true;
    this.report({ state: "lost", since: this.lostAt, retryAt: performance.now() + NEW_KEY_MS });
    this.retryTimer = window.setTimeout(() => void this.askAgain(), NEW_KEY_MS);
  }

  private async askAgain(): Promise<void> {
    const ending = await refusal();
    if (ending !== null) this.end(ending);
    else if (this.current.state === "lost") this.connect();
  }

  private end(ending: Ending): void {
    this.report({ state: "ended", ending });
    this.socket?.close();
    this.socket = null;
  }

  private report(connection: Connection): void {
    this.current = connection;
    this.handler.connection(connection);
  }
}

/**
 * Returns the waiting time: exponential backoff with random variation in its upper half, so that browsers do not all
 * reconnect at once.
 */
export function retryDelay(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt);
  return ceiling / 2 + (random() * ceiling) / 2;
}

/** Asks for the page to learn why a handshake was refused: a redirect means signed out, 403 or 404 means no access. */
async function refusal(): Promise<Ending | null> {
  try {
    const response = await fetch(location.href, { method: "HEAD", redirect: "manual", cache: "no-store" });
    if (response.type === "opaqueredirect") return "signed-out";
    if (response.status === 403 || response.status === 404) return "forbidden";
  } catch {
    // The server does not answer at all; the next attempt will show.
  }
  return null;
}

/** Returns the absolute address of a socket on this site. */
export function socketUrl(path: string): string {
  const url = new URL(path, location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}
