// Assigns an index to the transform of each moving part: 0 is the ground, then bodies, then tube and rod of each
// cylinder, then heaps.
import type { Scene } from "./scene.ts";

export class TransformSlots {
  readonly count: number;
  private readonly cylinders: number;
  private readonly heaps: number;

  constructor(scene: Scene) {
    this.cylinders = 1 + scene.bodies.length;
    this.heaps = this.cylinders + 2 * scene.cylinders.length;
    this.count = this.heaps + scene.fills.length;
  }

  body(index: number): number {
    return 1 + index;
  }

  tube(cylinder: number): number {
    return this.cylinders + 2 * cylinder;
  }

  rod(cylinder: number): number {
    return this.cylinders + 2 * cylinder + 1;
  }

  heap(fill: number): number {
    return this.heaps + fill;
  }
}
