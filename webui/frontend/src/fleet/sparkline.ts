// Draws the load of the last ten minutes as a small curve: means over ten seconds, with gaps where the load is unknown.

export const PART_S = 10;
export const PARTS = 60;
const WIDTH = 120;
const HEIGHT = 28;

export class Sparkline {
  private readonly points: Array<number | null>;
  private part = -1; // of the time; the last point belongs to it
  private sum = 0;
  private count = 0;

  constructor(given: string) {
    const read = given === "" ? [] : given.split(",").map((text) => (text === "" ? null : Number(text)));
    this.points = [...Array<null>(Math.max(0, PARTS - read.length)).fill(null), ...read.slice(-PARTS)];
  }

  /** Adds the present value; returns true when a new interval has begun, so that the curve has moved. */
  take(power: number | null, nowS: number): boolean {
    const part = Math.floor(nowS / PART_S);
    const moved = part !== this.part;
    if (moved && this.part >= 0) {
      const passed = Math.min(PARTS, part - this.part);
      this.points.splice(0, passed);
      this.points.push(...Array<null>(passed).fill(null));
    }
    if (moved) [this.part, this.sum, this.count] = [part, 0, 0];
    if (power !== null) {
      this.sum += Math.max(0, power);
      this.count += 1;
      this.points[PARTS - 1] = this.sum / this.count;
    }
    return moved;
  }

  /** Returns the SVG paths of the line and of the area below it. */
  paths(): { line: string; area: string } {
    const most = Math.max(1, ...this.points.map((point) => point ?? 0));
    const x = (i: number) => ((i * WIDTH) / (PARTS - 1)).toFixed(1);
    const y = (point: number) => (HEIGHT - 2 - (point / most) * (HEIGHT - 4)).toFixed(1);
    let line = "";
    let area = "";
    let from = -1;
    this.points.forEach((point, i) => {
      if (point === null) return;
      const starts = i === 0 || this.points[i - 1] === null;
      if (starts) from = i;
      line += `${starts ? "M" : "L"}${x(i)} ${y(point)}`;
      area += `${starts ? `M${x(i)} ${HEIGHT}L` : "L"}${x(i)} ${y(point)}`;
      const ends = i === PARTS - 1 || this.points[i + 1] === null;
      if (!ends) return;
      if (from === i) line += "h0.1"; // a single point is a dot
      area += `L${x(i)} ${HEIGHT}Z`;
    });
    return { line, area };
  }
}
