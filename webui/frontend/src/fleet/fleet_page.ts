// The fleet page: filters and sorts machines, and updates them over one socket.
import { Announcer } from "../shell/announcer.ts";
import { Banner } from "../shell/connection_banner.ts";
import { need, setData, setText } from "../shell/dom.ts";
import { decodeFleetMessage, type LiveRow } from "../socket/fleet_messages.ts";
import { ProtocolError } from "../socket/message_fields.ts";
import { type Connection, ReconnectingSocket, type SocketHandler, socketUrl } from "../socket/reconnecting_socket.ts";
import { ServerClock } from "../socket/server_clock.ts";
import { MachineList } from "./machine_list.ts";
import { Plan } from "./plan.ts";
import { type FleetView, queryOf, readView } from "./view.ts";
import { LIVE_WORDS, turnedWords } from "./words.ts";

const TICK_MS = 1_000;

export class FleetPage implements SocketHandler {
  private readonly list: MachineList;
  private readonly plan: Plan;
  private readonly form: HTMLFormElement;
  private readonly socket: ReconnectingSocket;
  private readonly banner: Banner;
  private readonly live: HTMLElement;
  private readonly announcer: Announcer;
  private readonly clock = new ServerClock();
  private view: FleetView;
  private current: Connection = { state: "connecting" };

  constructor(private readonly root: HTMLElement) {
    this.list = new MachineList(root);
    this.form = need<HTMLFormElement>(root, ".fleet-controls");
    this.live = need(root, ".fleet-live");
    this.plan = new Plan(root, (site) => this.chooseSite(site));
    this.socket = new ReconnectingSocket(socketUrl(root.dataset.socket ?? ""), this);
    this.banner = new Banner(need(root, ".banner"), () => this.socket.retryNow());
    const spoken = need(root, "[data-shown]");
    this.announcer = new Announcer((text) => setText(spoken, text));
    this.view = this.readForm();
  }

  start(): void {
    this.form.addEventListener("input", () => this.viewChanged());
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.show(true);
    this.say(LIVE_WORDS.connecting, "connecting");
    this.socket.start();
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
    const message = decodeFleetMessage(data);
    this.clock.sample(message.serverUs, nowMs);
    if (message.type === "hello") this.expect(message.machines);
    else if (message.type === "fleet") this.update(message.rows);
  }

  /** Asks for a reload if there are new machines; removes the rows of machines that this person may no longer see. */
  private expect(machines: readonly string[]): void {
    const known = new Set(this.list.rows.map(({ id }) => id));
    if (machines.some((id) => !known.has(id))) throw new ProtocolError("there are new machines");
    if (machines.length === known.size) return;
    this.list.keep(new Set(machines));
    this.show(true);
  }

  private update(rows: readonly LiveRow[]): void {
    const byId = new Map(this.list.rows.map((row) => [row.id, row]));
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
    for (const row of this.list.rows) row.tick(serverUs);
    this.root.toggleAttribute("data-old", this.current.state !== "open" && this.current.state !== "connecting");
  }

  // the view

  private viewChanged(): void {
    this.view = this.readForm();
    const query = queryOf(this.view);
    history.replaceState(null, "", query === "" ? location.pathname : `?${query}`);
    const kept = this.root.querySelector<HTMLInputElement>(".view-save [name=query]");
    if (kept !== null) kept.value = query;
    this.show(true);
  }

  private readForm(): FleetView {
    const entries = [...new FormData(this.form).entries()].map(
      ([name, value]) => [name, String(value)] as [string, string],
    );
    return readView(entries);
  }

  /** Filters by a site; choosing the same site again shows all sites. */
  private chooseSite(site: string): void {
    const select = this.form.elements.namedItem("site");
    if (!(select instanceof HTMLSelectElement)) return;
    select.value = select.value === site ? "" : site;
    this.viewChanged();
  }

  private show(atOnce: boolean): void {
    this.list.show(this.view);
    this.list.arrange(this.view, atOnce);
    this.plan.show(this.list.rows, this.view);
  }

  private say(text: string, state: string): void {
    setText(this.live, text);
    setData(this.live, "state", state);
  }
}
