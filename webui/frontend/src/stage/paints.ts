// Materials of the stage. Greys for the machine; the only colours are the marks of the two chambers.
import { Color, LineBasicMaterial, MeshStandardMaterial, ShadowMaterial } from "three";
import { tokenColor } from "../shell/tokens.ts";

export interface Paints {
  fork: MeshStandardMaterial;
  tongue: MeshStandardMaterial;
  bearing: MeshStandardMaterial;
  bolt: MeshStandardMaterial;
  bracket: MeshStandardMaterial;
  tube: MeshStandardMaterial;
  rod: MeshStandardMaterial;
  chamberA: MeshStandardMaterial;
  chamberB: MeshStandardMaterial;
  shadow: ShadowMaterial;
  grid: LineBasicMaterial;
}

export function makePaints(): Paints {
  const steel = (roughness: number, metalness: number) => new MeshStandardMaterial({ roughness, metalness });
  return {
    fork: steel(0.55, 0.15),
    tongue: steel(0.55, 0.15),
    bearing: steel(0.4, 0.5),
    bolt: steel(0.35, 0.6),
    bracket: steel(0.75, 0.1),
    tube: steel(0.45, 0.25),
    rod: steel(0.12, 0.95),
    chamberA: steel(0.5, 0),
    chamberB: steel(0.5, 0),
    shadow: new ShadowMaterial({ transparent: true }),
    grid: new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }),
  };
}

/** Takes the colours of the present theme. */
export function tint(paints: Paints): void {
  const set = (color: Color, token: string) => color.setStyle(tokenColor(token));
  set(paints.fork.color, "--stage-fork");
  set(paints.tongue.color, "--stage-tongue");
  set(paints.bearing.color, "--stage-bearing");
  set(paints.bolt.color, "--stage-bolt");
  set(paints.bracket.color, "--stage-bracket");
  set(paints.tube.color, "--stage-tube");
  set(paints.rod.color, "--stage-rod");
  set(paints.chamberA.color, "--series-1");
  set(paints.chamberB.color, "--series-2");
  set(paints.shadow.color, "--stage-shadow");
  set(paints.grid.color, "--stage-grid");
  paints.shadow.opacity = 0.32;
}
