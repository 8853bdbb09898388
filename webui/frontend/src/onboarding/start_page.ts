// The page after a machine was added: waits on the fleet's socket for the machine's first samples.
import { showLevel } from "../fleet/row.ts";
import { Banner } from "../shell/connection_banner.ts";
import { need, setData, setText } from "../shell/dom.ts";
import { showToast } from "../shell/toast.ts";
import { decodeFleetMessage, type LiveRow } from "../socket/fleet_messages.ts";
import { type Connection, ReconnectingSocket, type SocketHandler, socketUrl } from "../socket/reconnecting_socket.ts";
import { t } from "../words.ts";

const WORDS = {
  copied: t("Copied."),
  notCopied: t("The browser does not allow this page to copy text. Select the text and copy it yourself."),
};

export class StartPage implements SocketHandler {
  private readonly socket: ReconnectingSocket;
  private readonly banner: Banner;

  constructor(private readonly root: HTMLElement) {
    this.socket = new ReconnectingSocket(socketUrl(root.dataset.socket ?? ""), this);
    this.banner = new Banner(need(root, ".banner"), () => this.socket.retryNow());
  }

  start(): void {
    for (const button of this.root.querySelectorAll<HTMLElement>("[data-copy]")) {
      button.addEventListener("click", () => void copy(need(this.root, button.dataset.copy ?? "")));
    }
    this.socket.start();
  }

  opened(): void {}

  connection(connection: Connection): void {
    this.banner.show(connection, performance.now());
  }

  message(data: ArrayBuffer): void {
    const message = decodeFleetMessage(data);
    if (message.type === "fleet") for (const row of message.rows) this.show(row);
  }

  private show(row: LiveRow): void {
    const step = this.root.querySelector<HTMLElement>(`.step[data-machine="${row.id}"]`);
    if (step === null) return;
    const heard = row.receivedUs > 0;
    setData(step, "state", heard ? "heard" : "waiting");
    showLevel(need(step, ".pill"), row.level);
    setText(need(step, "[data-live=text]"), row.text);
    const done = step.querySelector<HTMLElement>(".step-done");
    if (done !== null && heard) done.hidden = false;
  }
}

async function copy(source: Element): Promise<void> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? "");
    showToast(WORDS.copied);
  } catch {
    showToast(WORDS.notCopied);
  }
}
