// Materials of the stage: greys for the machine; colours for the marks of the chambers and for the load of a tube.
import { tokenColor } from "../../shell/tokens.ts";
import { linear, linearColour } from "./colours.ts";
import type { Finish, Vector } from "./scene.ts";
import type { UniformBlock } from "./uniform_block.ts";

const NAMES = [
  "fork",
  "tongue",
  "bearing",
  "bolt",
  "bracket",
  "tube",
  "rod",
  "frame",
  "arm",
  "steel",
  "dark",
  "glass",
  "rubber",
  "load",
  "chamberA",
  "chamberB",
  "shadow",
  "grid",
] as const;

export type MaterialName = (typeof NAMES)[number];

/** Colour tokens whose names differ from their materials. */
const TOKENS: Partial<Record<MaterialName, string>> = { chamberA: "--series-1", chamberB: "--series-2" };
/** Glossy materials: grey of the highlight (sRGB) and Blinn's exponent. All other materials are matt. */
const GLOSSES: Partial<Record<MaterialName, [number, number]>> = {
  bolt: [0x77, 40],
  tube: [0x55, 30],
  rod: [0xff, 90],
};

export function materialIndex(name: MaterialName | Finish): number {
  return NAMES.indexOf(name);
}

/** Returns the index of the material of half a tube: half 0 contains chamber A, half 1 chamber B. */
export function tubeHalfMaterial(cylinder: number, half: 0 | 1): number {
  return NAMES.length + 2 * cylinder + half;
}

export function materialCount(cylinders: number): number {
  return NAMES.length + 2 * cylinders;
}

export class Materials {
  /** Load of each half of a tube, 0 to 1. */
  private readonly shares: Float64Array;
  /** Colours of a tube with no load, half load and full load. */
  private unloaded: Vector = [0, 0, 0];
  private half: Vector = [0, 0, 0];
  private loaded: Vector = [0, 0, 0];

  constructor(
    private readonly uniforms: UniformBlock,
    cylinders: number,
  ) {
    this.shares = new Float64Array(2 * cylinders);
    const { glosses } = uniforms;
    for (const [name, [grey, narrow]] of Object.entries(GLOSSES)) {
      const first = 4 * materialIndex(name as MaterialName);
      glosses.fill(linear(grey), first, first + 3);
      glosses[first + 3] = narrow;
    }
    const tube = 4 * materialIndex("tube");
    for (let i = 0; i < this.shares.length; i++) glosses.copyWithin(4 * (NAMES.length + i), tube, tube + 4);
    this.tint();
  }

  /** Reads the colours of the present theme. */
  tint(): void {
    const colour = (token: string) => linearColour(tokenColor(token));
    for (const name of NAMES)
      this.uniforms.colors.set(colour(TOKENS[name] ?? `--stage-${name}`), 4 * materialIndex(name));
    this.unloaded = colour("--stage-tube");
    this.half = colour("--stage-half");
    this.loaded = colour("--stage-loaded");
    for (let i = 0; i < this.shares.length; i++) this.mix(i);
  }

  /** Colours the halves of a tube by their loads, 0 to 1. */
  colour(cylinder: number, shareA: number, shareB: number): void {
    this.shares[2 * cylinder] = shareA;
    this.shares[2 * cylinder + 1] = shareB;
    this.mix(2 * cylinder);
    this.mix(2 * cylinder + 1);
  }

  private mix(half: number): void {
    const twice = 2 * Math.min(1, Math.max(0, this.shares[half] as number));
    const [from, to] = twice < 1 ? [this.unloaded, this.half] : [this.half, this.loaded];
    const share = twice < 1 ? twice : twice - 1;
    const mixed = from.map((c, i) => c + share * ((to[i] as number) - c));
    this.uniforms.colors.set(mixed, 4 * (NAMES.length + half));
  }
}
