// Status by colour, icon and word together.
import { STATUS_ICONS, STATUS_WORDS, type Status } from "../live/status.ts";
import { need, setData, setIcon, setText } from "./dom.ts";

export function showStatus(pill: HTMLElement, status: Status): void {
  setData(pill, "status", status);
  setIcon(pill, STATUS_ICONS[status]);
  setText(need(pill, ".pill-word"), STATUS_WORDS[status]);
}
