// Shows how well readings and model agree, and which sensors are excluded: words, a number with its bounds, the
// findings.
import { formatNumber } from "../format.ts";
import { clockText, render } from "../messages.ts";
import { need, setData, setText } from "../shell/dom.ts";
import type { Finding, Frame, Health } from "../socket/machine_messages.ts";
import { t } from "../words.ts";

export type Consistency = "unknown" | "reliable" | "unfit" | "cautious";

/** Compares the mean square of the innovations with its bounds. */
export function consistencyOf(health: Health | null): Consistency {
  if (health === null) return "unknown";
  if (health.nis > health.high) return "unfit";
  return health.nis < health.low ? "cautious" : "reliable";
}

const WORDS: Record<Consistency, string> = {
  unknown: t("Too few readings to judge the estimates."),
  reliable: t("Estimates reliable: readings are as close to the twin as expected."),
  unfit: t("Model no longer fits: readings are further from the twin than expected."),
  cautious: t("Estimates reliable: readings are closer to the twin than expected."),
};

/** Says what was found, and since when in the reader's local time. nowUs: machine time of the frame. */
export function findingText(finding: Finding, nowUs: number): string {
  const text = finding.code ? render(finding.code, finding.values) : finding.text;
  return t("{text}, since {clock}", { text, clock: clockText(finding.since, { nowUs }) });
}

/** Upper end of the meter's scale. */
const MOST = 3;

export class HealthPanel {
  private readonly number: Element;
  private readonly bounds: Element;
  private readonly words: Element;
  private readonly zone: SVGRectElement;
  private readonly mark: SVGRectElement;

  constructor(
    private readonly root: HTMLElement,
    private readonly list: HTMLElement,
  ) {
    this.number = need(root, "[data-fact=nis]");
    this.bounds = need(root, "[data-fact=nis-bounds]");
    this.words = need(root, ".health-words");
    this.zone = need<SVGRectElement>(root, ".health-zone");
    this.mark = need<SVGRectElement>(root, ".health-mark");
  }

  show(frame: Frame): void {
    const { health } = frame;
    const consistency = consistencyOf(health);
    setData(this.root, "consistency", consistency);
    setText(this.number, health === null ? "–" : formatNumber(health.nis, 2));
    setText(
      this.bounds,
      health === null
        ? "–"
        : t("{low} to {high}", { low: formatNumber(health.low, 2), high: formatNumber(health.high, 2) }),
    );
    setText(this.words, WORDS[consistency]);
    if (health !== null) this.showMeter(health);
    this.showFindings(frame.findings, frame.t);
  }

  private showMeter({ nis, low, high }: Health): void {
    const percent = (x: number) => (100 * Math.min(x, MOST)) / MOST;
    this.zone.setAttribute("x", `${percent(low)}`);
    this.zone.setAttribute("width", `${percent(high) - percent(low)}`);
    this.mark.setAttribute("x", `${Math.min(99, percent(nis))}`);
  }

  /** Shows one line per finding; the verdict strip announces each finding once. */
  private showFindings(findings: readonly Finding[], now: number): void {
    const lines = findings.map((finding) => findingText(finding, now));
    this.list.hidden = findings.length === 0;
    while (this.list.children.length > lines.length) this.list.lastElementChild?.remove();
    lines.forEach((line, i) => setText(this.line(i), line));
  }

  private line(index: number): Element {
    const present = this.list.children[index];
    if (present !== undefined) return need(present, ".finding-text");
    const pattern = need<HTMLTemplateElement>(this.root, "template");
    this.list.append(pattern.content.cloneNode(true));
    return need(this.list.children[index] as Element, ".finding-text");
  }
}
