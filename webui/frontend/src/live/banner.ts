// The connection in words, over the page: only there when something is wrong.
import { formatAge } from "../format.ts";
import { need, setData, setIcon, setText } from "../shell/dom.ts";
import type { Connection, Ending } from "./socket.ts";

const ENDINGS: Record<Ending, { text: string; action: string; href: string }> = {
  forbidden: {
    text: "You no longer have access to this machine. Ask an administrator of its organisation.",
    action: "All machines",
    href: "/",
  },
  "signed-out": {
    text: "You are signed out, so live data has stopped.",
    action: "Sign in",
    href: "",
  },
  outdated: {
    text: "The server speaks a newer version than this page.",
    action: "Reload",
    href: "",
  },
};

/** Text of the banner; empty when all is well. Times are local milliseconds. */
export function bannerText(connection: Connection, now: number): string {
  const ago = (since: number) => formatAge(Math.max(1, Math.round((now - since) / 1000))).replace(".0 ", " ");
  switch (connection.state) {
    case "connecting":
    case "open":
      return "";
    case "silent":
      return `No message from the server for ${ago(connection.since)}. Values on this page may be old.`;
    case "lost":
      return `Connection lost ${ago(connection.since)} ago, retrying…`;
    case "ended":
      return ENDINGS[connection.ending].text;
  }
}

export class Banner {
  private readonly text: Element;
  private readonly retry: HTMLButtonElement;
  private readonly link: HTMLAnchorElement;

  constructor(
    private readonly root: HTMLElement,
    retry: () => void,
  ) {
    this.text = need(root, ".banner-text");
    this.retry = need<HTMLButtonElement>(root, "button");
    this.link = need<HTMLAnchorElement>(root, "a");
    this.retry.addEventListener("click", retry);
  }

  show(connection: Connection, now: number): void {
    const text = bannerText(connection, now);
    this.root.hidden = text === "";
    if (text === "") return;
    const ended = connection.state === "ended";
    setText(this.text, text);
    setData(this.root, "kind", ended ? "ended" : connection.state);
    setIcon(this.root, ended ? "icon-forbidden" : "icon-offline");
    this.retry.hidden = connection.state !== "lost";
    this.link.hidden = !ended;
    if (ended) {
      const { action, href } = ENDINGS[connection.ending];
      setText(this.link, action);
      this.link.href = href || location.href;
    }
  }
}
