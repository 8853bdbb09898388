// Short messages at the edge of the screen. They stay while the pointer is on them and can be closed; errors stay
// until they are closed.
import { need } from "./dom.ts";

const SHOWN_MS = 6_000;

/** Also closes the toasts that the server rendered. */
export function setUpToasts(host: HTMLElement): void {
  for (const toast of host.querySelectorAll<HTMLElement>(".toast")) arm(toast);
}

export function showToast(text: string): void {
  const template = need<HTMLTemplateElement>(document, "#toast-template");
  const toast = need<HTMLElement>(template.content.cloneNode(true) as DocumentFragment, ".toast");
  need(toast, ".toast-text").textContent = text;
  need(document, "#toasts").append(toast);
  arm(toast);
}

function arm(toast: HTMLElement): void {
  let timer = 0;
  const stays = toast.dataset.kind === "error" || toast.dataset.kind === "warning";
  const start = () => (timer = stays ? 0 : window.setTimeout(() => toast.remove(), SHOWN_MS));
  const stop = () => window.clearTimeout(timer);
  need(toast, "button").addEventListener("click", () => toast.remove());
  toast.addEventListener("pointerenter", stop);
  toast.addEventListener("pointerleave", start);
  toast.addEventListener("focusin", stop);
  toast.addEventListener("focusout", start);
  start();
}
