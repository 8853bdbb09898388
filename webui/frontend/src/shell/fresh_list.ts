// A server-rendered list that stays true: fetched again every other second; ages run on when the server is away.
import { formatAge } from "../format.ts";
import { setText } from "./dom.ts";
import { showStatus } from "./status_pill.ts";

const REFRESH_MS = 2_000;
const LATE_MS = 6_000;

/** Ages as the server gave them, plus what has passed since. */
export function showAges(root: ParentNode, sinceS: number): void {
  for (const age of root.querySelectorAll<HTMLElement>("[data-age]")) {
    setText(age, formatAge(Number(age.dataset.age) + sinceS));
  }
}

export function keepFresh(list: HTMLElement): void {
  const note = document.querySelector<HTMLElement>("[data-fresh-note]");
  let fetchedAt = performance.now();
  let busy = false;

  const refresh = async () => {
    if (document.hidden || busy) return;
    busy = true;
    try {
      const response = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(LATE_MS) });
      if (response.redirected) return location.reload();
      if (!response.ok) throw new Error(`status ${response.status}`);
      replace(list, await response.text());
      fetchedAt = performance.now();
    } catch {
      // Said below, by the age of the list.
    } finally {
      busy = false;
    }
    showFreshness();
  };

  const showFreshness = () => {
    const since = performance.now() - fetchedAt;
    const late = since > LATE_MS;
    showAges(list, late ? since / 1000 : 0);
    if (late) markStale(list);
    if (note === null) return;
    note.hidden = !late;
    setText(note, `The server does not answer: this list is ${formatAge(since / 1000)} old.`);
  };

  window.setInterval(() => void refresh(), REFRESH_MS);
  document.addEventListener("visibilitychange", () => void refresh());
}

/** What was in step when the server was last heard may not be now; the next answer brings fresh rows. */
function markStale(list: HTMLElement): void {
  for (const row of list.querySelectorAll<HTMLElement>("[data-status=synced], [data-status=coasting]")) {
    if (row.matches(".pill")) showStatus(row, "stale");
    else row.dataset.status = "stale";
  }
}

/** Takes the new rows; the focused link keeps its focus. */
function replace(list: HTMLElement, html: string): void {
  const fresh = new DOMParser().parseFromString(html, "text/html").querySelector<HTMLElement>("[data-fresh]");
  if (fresh === null) return;
  const focused = document.activeElement instanceof HTMLAnchorElement ? document.activeElement.href : "";
  list.replaceChildren(...fresh.childNodes);
  if (focused === "" || document.activeElement !== document.body) return;
  [...list.querySelectorAll("a")].find((link) => link.href === focused)?.focus();
}
