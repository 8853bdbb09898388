// One machine on the fleet page.
import { displayOf, formatCalmAge, formatNumber, withUnit } from "../format.ts";
import { need, setData, setIcon, setText } from "../shell/dom.ts";
import type { Level, LiveRow } from "../socket/fleet_messages.ts";
import { Sparkline } from "./sparkline.ts";
import type { Machine } from "./view.ts";
import { LEVEL_WORDS, reasonWords, STATE_WORDS } from "./words.ts";

export class MachineRow implements Machine {
  readonly id: string;
  readonly name: string;
  readonly words: string;
  readonly kind: string;
  readonly site: string;
  readonly organisation: string;
  readonly runS: number;
  level: Level;
  text: string;
  power: number | null;
  ageS: number | null = null;
  private receivedUs: number;
  private readonly sparkline: Sparkline;
  private readonly parts: Record<"text" | "status" | "age" | "power" | "health", Element>;

  constructor(readonly root: HTMLElement) {
    const { dataset } = root;
    this.id = dataset.machine ?? "";
    this.name = dataset.name ?? "";
    this.words = dataset.words ?? "";
    this.kind = dataset.kind ?? "";
    this.site = dataset.site ?? "";
    this.organisation = dataset.organisation ?? "";
    this.runS = Number(dataset.hours ?? 0);
    this.level = (dataset.level ?? "ok") as Level;
    this.power = dataset.power === undefined ? null : Number(dataset.power);
    this.receivedUs = Number(dataset.received ?? 0);
    const live = (name: string) => need(root, `[data-live=${name}]`);
    this.parts = {
      text: live("text"),
      status: live("status"),
      age: live("age"),
      power: live("power"),
      health: live("health"),
    };
    this.text = this.parts.text.textContent ?? "";
    this.sparkline = new Sparkline(need(root, ".spark").getAttribute("data-points") ?? "");
    this.drawSparkline();
  }

  /** Updates the row; returns true if its level changed. */
  update(row: LiveRow): boolean {
    const turned = row.level !== this.level;
    this.level = row.level;
    this.text = reasonWords(row);
    this.power = row.power;
    this.receivedUs = row.receivedUs;
    setData(this.root, "level", row.level);
    setData(this.root, "status", row.status);
    showLevel(need(this.root, ".pill"), row.level);
    setText(this.parts.text, this.text);
    setText(this.parts.status, STATE_WORDS[row.status] ?? row.status);
    setText(this.parts.health, row.health);
    setText(this.parts.power, powerText(row.power));
    return turned;
  }

  /**
   * Updates what changes with time alone: the age of the data and the sparkline. serverUs: server time, µs; 0 if
   * unknown.
   */
  tick(serverUs: number): void {
    if (serverUs === 0) return;
    this.ageS = this.receivedUs === 0 ? null : Math.max(0, (serverUs - this.receivedUs) / 1e6);
    setText(this.parts.age, this.ageS === null ? "–" : formatCalmAge(this.ageS));
    if (this.sparkline.take(this.power, serverUs / 1e6)) this.drawSparkline();
  }

  private drawSparkline(): void {
    const { line, area } = this.sparkline.paths();
    need(this.root, ".spark-line").setAttribute("d", line);
    need(this.root, ".spark-area").setAttribute("d", area);
  }
}

export function showLevel(pill: Element, level: Level): void {
  setData(pill as HTMLElement, "level", level);
  setIcon(pill, `icon-${level}`);
  setText(need(pill, ".pill-word"), LEVEL_WORDS[level]);
}

function powerText(power: number | null): string {
  if (power === null) return "–";
  const { factor, unit } = displayOf("power", "W");
  return withUnit(formatNumber(power * factor, 1), unit);
}
