// Materials of the stage. Greys for the machine; the only colours are the marks of the two chambers.
import { Color, LineBasicMaterial, MeshLambertMaterial, MeshPhongMaterial, ShadowMaterial } from "three";
import { tokenColor } from "../shell/tokens.ts";
import type { Finish } from "./scene.ts";

export interface Paints {
  fork: MeshLambertMaterial;
  tongue: MeshLambertMaterial;
  bearing: MeshLambertMaterial;
  bolt: MeshPhongMaterial;
  bracket: MeshLambertMaterial;
  tube: MeshPhongMaterial;
  rod: MeshPhongMaterial;
  finish: Record<Finish, MeshLambertMaterial>;
  /** Of a tube without load, with half and with full load. */
  unloaded: Color;
  half: Color;
  loaded: Color;
  chamberA: MeshLambertMaterial;
  chamberB: MeshLambertMaterial;
  shadow: ShadowMaterial;
  grid: LineBasicMaterial;
}

/** Simple shading on purpose: it compiles fast and draws on a machine without a graphics card, too. */
export function makePaints(): Paints {
  const matt = () => new MeshLambertMaterial();
  const polished = (shininess: number, specular: number) => new MeshPhongMaterial({ shininess, specular });
  return {
    fork: matt(),
    tongue: matt(),
    bearing: matt(),
    bolt: polished(40, 0x777777),
    bracket: matt(),
    tube: polished(30, 0x555555),
    rod: polished(90, 0xffffff),
    finish: { frame: matt(), arm: matt(), steel: matt(), dark: matt(), glass: matt(), rubber: matt(), load: matt() },
    unloaded: new Color(),
    half: new Color(),
    loaded: new Color(),
    chamberA: matt(),
    chamberB: matt(),
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
  for (const [finish, material] of Object.entries(paints.finish)) set(material.color, `--stage-${finish}`);
  set(paints.unloaded, "--stage-tube");
  set(paints.half, "--stage-half");
  set(paints.loaded, "--stage-loaded");
  set(paints.chamberA.color, "--series-1");
  set(paints.chamberB.color, "--series-2");
  set(paints.shadow.color, "--stage-shadow");
  set(paints.grid.color, "--stage-grid");
  paints.shadow.opacity = 0.32;
}
