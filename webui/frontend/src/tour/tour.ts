// The tour: shows a card next to one element after another, on two pages, for mouse and keyboard.
import { KEY } from "../shell/tour_offer.ts";
import { countWords, STEPS, type Step, WORDS } from "./steps.ts";

const GAP = 12;

type Page = Step["page"];

/** Returns the present page; null if it is not part of the tour. */
function pageHere(): Page | null {
  if (document.querySelector(".fleet .rows") !== null) return "fleet";
  return document.querySelector(".machine .verdict") !== null ? "machine" : null;
}

/** Shows the present step if it belongs to this page. */
export function goOn(): void {
  const page = pageHere();
  const index = Number(sessionStorage.getItem(KEY) ?? -1);
  const step = STEPS[index];
  if (step === undefined || page !== step.page) return;
  new Card(index).show();
}

class Card {
  private readonly root = document.createElement("section");
  private readonly step: Step;
  private readonly before = document.activeElement;

  constructor(private readonly index: number) {
    this.step = STEPS[index] as Step;
  }

  show(): void {
    const anchor = document.querySelector<HTMLElement>(this.step.anchor);
    if (anchor === null) return this.go(this.index + 1);
    this.fill();
    anchor.classList.add("tour-target");
    document.body.append(this.root);
    anchor.scrollIntoView({ block: "center", behavior: "instant" });
    this.place(anchor);
    this.root.querySelector<HTMLElement>(".is-primary")?.focus({ preventScroll: true });
    document.addEventListener("keydown", this.onKey);
    window.addEventListener("resize", this.onResize);
  }

  private fill(): void {
    const { root, step, index } = this;
    root.className = "tour-card";
    root.setAttribute("role", "dialog");
    root.setAttribute("aria-labelledby", "tour-title");
    root.setAttribute("aria-describedby", "tour-text");
    const title = element("h2", step.title);
    title.id = "tour-title";
    const text = element("p", step.text);
    text.id = "tour-text";
    const foot = element("div", "");
    foot.className = "tour-foot";
    const count = element("span", countWords(index + 1, STEPS.length));
    count.className = "tour-count";
    foot.append(
      count,
      this.button(WORDS.end, "button is-quiet", () => this.end()),
    );
    if (STEPS[index - 1]?.page === step.page) foot.append(this.button(WORDS.back, "button", () => this.go(index - 1)));
    foot.append(this.button(this.nextWord(), "button is-primary", () => this.go(index + 1)));
    root.append(title, text, foot);
  }

  private nextWord(): string {
    const next = STEPS[this.index + 1];
    if (next === undefined) return WORDS.done;
    return next.page === this.step.page ? WORDS.next : WORDS.toMachine;
  }

  private button(word: string, classes: string, act: () => void): HTMLElement {
    const button = element("button", word) as HTMLButtonElement;
    button.type = "button";
    button.className = classes;
    button.addEventListener("click", act);
    return button;
  }

  /** Places the card below the anchor if there is room, otherwise above it, within the width of the page. */
  private place(anchor: HTMLElement): void {
    const at = anchor.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.root;
    const room = document.documentElement.clientHeight;
    const below = at.bottom + GAP;
    const top =
      below + height <= room ? below : at.top - GAP - height >= 0 ? at.top - GAP - height : room - height - GAP;
    const left = Math.min(Math.max(GAP, at.left), document.documentElement.clientWidth - width - GAP);
    this.root.style.top = `${top + window.scrollY}px`;
    this.root.style.left = `${left + window.scrollX}px`;
  }

  private go(index: number): void {
    this.close();
    const step = STEPS[index];
    if (step === undefined) return this.forget();
    sessionStorage.setItem(KEY, String(index));
    if (step.page === this.step.page) return new Card(index).show();
    const machine = document.querySelector<HTMLAnchorElement>(".row:not([hidden]) .row-name");
    if (machine === null) return this.forget();
    location.assign(machine.href);
  }

  private end(): void {
    this.close();
    this.forget();
    if (this.before instanceof HTMLElement) this.before.focus();
  }

  private forget(): void {
    sessionStorage.removeItem(KEY);
  }

  private close(): void {
    this.root.remove();
    for (const marked of document.querySelectorAll(".tour-target")) marked.classList.remove("tour-target");
    document.removeEventListener("keydown", this.onKey);
    window.removeEventListener("resize", this.onResize);
  }

  private readonly onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") this.end();
  };

  private readonly onResize = () => {
    const anchor = document.querySelector<HTMLElement>(this.step.anchor);
    if (anchor !== null) this.place(anchor);
  };
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
