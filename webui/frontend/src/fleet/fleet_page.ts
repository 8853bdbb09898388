// The fleet page: filters and order at once, states as they come over one socket for all machines.
import { Announcer } from "../live/announcer.ts";
import { Banner } from "../live/banner.ts";
import { ServerClock } from "../live/clock.ts";
import { Line, socketUrl, type Connection, type Hearer } from "../live/line.ts";
import { WireError } from "../live/wire.ts";
import { need, setData, setText } from "../shell/dom.ts";
import { Board } from "./board.ts";
import { queryOf, readLook, type Look } from "./look.ts";
import { Plan } from "./plan.ts";
import { readFleet, type LiveRow } from "./wire.ts";
import { LIVE_WORDS, turnedWords } from "./words.ts";

const TICK_MS = 1_000;

export class FleetPage implements Hearer {
  private readonly board: Board;
  private readonly plan: Plan;
  private readonly form: HTMLFormElement;
  private readonly line: Line;
  private readonly banner: Banner;
  private readonly live: HTMLElement;
  private readonly announcer: Announcer;
  private readonly clock = new ServerClock();
  private look: Look;
  private current: Connection = { state: "connecting" };

  constructor(private readonly root: HTMLElement) {
    this.board = new Board(root);
    this.form = need<HTMLFormElement>(root, ".fleet-controls");
    this.live = need(root, ".fleet-live");
    this.plan = new Plan(root, (site) => this.chooseSite(site));
    this.line = new Line(socketUrl(root.dataset.socket ?? ""), this);
    this.banner = new Banner(need(root, ".banner"), () => this.line.retryNow());
    const spoken = need(root, "[data-shown]");
    this.announcer = new Announcer((text) => setText(spoken, text));
    this.look = this.readForm();
  }

  start(): void {
    this.form.addEventListener("input", () => this.lookChanged());
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.show(true);
    this.say(LIVE_WORDS.connecting, "connecting");
    this.line.start();
    window.setInterval(() => this.tick(), TICK_MS);
  }

  // the connection

  opened(): void {}

  connection(connection: Connection): void {
    this.current = connection;
    const open = connection.state === "open";
    this.say(open ? LIVE_WORDS.live : LIVE_WORDS.away, open ? "live" : "away");
    this.tick();
  }

  message(data: ArrayBuffer, nowMs: number): void {
    const message = readFleet(data);
    this.clock.sample(message.serverUs, nowMs);
    if (message.type === "hello") this.expect(message.machines);
    else if (message.type === "fleet") this.update(message.rows);
  }

  /** A machine that came since the page was made has no row here; of one that may not be seen any more nothing is left. */
  private expect(machines: readonly string[]): void {
    const known = new Set(this.board.rows.map(({ id }) => id));
    if (machines.some((id) => !known.has(id))) throw new WireError("there are new machines");
    if (machines.length === known.size) return;
    this.board.keep(new Set(machines));
    this.show(true);
  }

  private update(rows: readonly LiveRow[]): void {
    const byId = new Map(this.board.rows.map((row) => [row.id, row]));
    for (const fresh of rows) {
      const row = byId.get(fresh.id);
      if (row?.update(fresh) && fresh.level === "act")
        this.announcer.offer(turnedWords(row.name, row.text), performance.now());
    }
    this.tick();
    this.show(false);
  }

  private tick(): void {
    const now = performance.now();
    this.banner.show(this.current, now);
    const serverUs = this.clock.now(now);
    for (const row of this.board.rows) row.tick(serverUs);
    this.root.toggleAttribute("data-old", this.current.state !== "open" && this.current.state !== "connecting");
  }

  // the look

  private lookChanged(): void {
    this.look = this.readForm();
    const query = queryOf(this.look);
    history.replaceState(null, "", query === "" ? location.pathname : `?${query}`);
    const kept = this.root.querySelector<HTMLInputElement>(".view-save [name=query]");
    if (kept !== null) kept.value = query;
    this.show(true);
  }

  private readForm(): Look {
    const entries = [...new FormData(this.form).entries()].map(
      ([name, value]) => [name, String(value)] as [string, string],
    );
    return readLook(entries);
  }

  /** The same site again shows all sites. */
  private chooseSite(site: string): void {
    const select = this.form.elements.namedItem("site");
    if (!(select instanceof HTMLSelectElement)) return;
    select.value = select.value === site ? "" : site;
    this.lookChanged();
  }

  private show(atOnce: boolean): void {
    this.board.show(this.look);
    this.board.arrange(this.look, atOnce);
    this.plan.show(this.board.rows, this.look);
  }

  private say(text: string, state: string): void {
    setText(this.live, text);
    setData(this.live, "state", state);
  }
}
