// A server-rendered list that stays true: fetched again every few seconds, with ages that tick in between.
import { formatAge } from "../format.ts";
import { setText } from "./dom.ts";

const REFRESH_MS = 5_000;
const TICK_MS = 1_000;

export function keepFresh(list: HTMLElement): void {
  let fetchedAt = performance.now();
  let failing = false;
  const note = document.querySelector<HTMLElement>("[data-fresh-note]");

  const refresh = async () => {
    if (document.hidden) return;
    try {
      const response = await fetch(location.href, { cache: "no-store", credentials: "same-origin" });
      if (response.redirected) return location.reload();
      if (!response.ok) throw new Error(`status ${response.status}`);
      replace(list, await response.text());
      fetchedAt = performance.now();
      failing = false;
    } catch {
      failing = true;
    }
  };

  const tick = () => {
    const since = (performance.now() - fetchedAt) / 1000;
    for (const age of list.querySelectorAll<HTMLElement>("[data-age]")) {
      setText(age, formatAge(Number(age.dataset.age) + since));
    }
    if (note === null) return;
    note.hidden = !failing;
    setText(note, `The server does not answer: this list is ${formatAge(since)} old.`);
    list.classList.toggle("is-stale", failing);
  };

  window.setInterval(() => void refresh(), REFRESH_MS);
  window.setInterval(tick, TICK_MS);
  document.addEventListener("visibilitychange", () => void refresh());
}

/** Takes the new rows unless nothing changed; the focused link keeps its focus. */
function replace(list: HTMLElement, html: string): void {
  const fresh = new DOMParser().parseFromString(html, "text/html").querySelector<HTMLElement>("[data-fresh]");
  if (fresh === null) return;
  const focused = document.activeElement instanceof HTMLAnchorElement ? document.activeElement.href : "";
  list.replaceChildren(...fresh.childNodes);
  if (focused === "" || document.activeElement !== document.body) return;
  [...list.querySelectorAll("a")].find((link) => link.href === focused)?.focus();
}
