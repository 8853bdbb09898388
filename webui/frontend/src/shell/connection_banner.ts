// A banner over the page that says what is wrong with the connection.
import { formatWholeAge } from "../format.ts";
import type { Connection, Ending } from "../socket/machine_socket.ts";
import { t } from "../words.ts";
import { need, setData, setIcon, setText } from "./dom.ts";

const ENDINGS: Record<Ending, { text: string; action: string; href: string }> = {
  forbidden: {
    text: t("You no longer have access to this page. Ask an administrator of the organisation."),
    action: t("All machines"),
    href: "/",
  },
  "signed-out": {
    text: t("You are signed out, so live data has stopped."),
    action: t("Sign in"),
    href: "",
  },
  outdated: {
    text: t("A newer version of this page is available. Reload the page."),
    action: t("Reload"),
    href: "",
  },
};

/** Returns the text of the banner; empty if the connection is fine. Times are local milliseconds. */
export function bannerText(connection: Connection, now: number): string {
  const ago = (since: number) => formatWholeAge(Math.max(1, (now - since) / 1000));
  switch (connection.state) {
    case "connecting":
    case "open":
      return "";
    case "silent":
      return t("No message from the server for {age}. Values may be old.", { age: ago(connection.since) });
    case "lost":
      return t("Connection lost {age} ago, retrying…", { age: ago(connection.since) });
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
