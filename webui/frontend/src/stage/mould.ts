// All geometry of a machine in one array of triangles: every corner says to which place and paint it belongs, so that
// one call draws the machine.
import type { BufferGeometry } from "three";
import type { PaintName } from "./paints.ts";
import type { Finish } from "./scene.ts";

/** A piece of one paint, in the frame of what it belongs to. */
export interface Piece {
  geometry: BufferGeometry;
  paint: PaintName | Finish;
}

export interface Triangles {
  /** Three numbers for each corner. */
  positions: Float32Array<ArrayBuffer>;
  normals: Float32Array<ArrayBuffer>;
  /** Place and paint of each corner. */
  owners: Uint16Array<ArrayBuffer>;
}

export class Mould {
  private readonly pieces: Array<{ geometry: BufferGeometry; place: number; paint: number }> = [];

  add(geometry: BufferGeometry, place: number, paint: number): void {
    const plain = geometry.index === null ? geometry : geometry.toNonIndexed();
    this.pieces.push({ geometry: plain, place, paint });
  }

  triangles(): Triangles {
    const count = this.pieces.reduce((sum, { geometry }) => sum + corners(geometry), 0);
    const positions = new Float32Array(3 * count);
    const normals = new Float32Array(3 * count);
    const owners = new Uint16Array(2 * count);
    let at = 0;
    for (const { geometry, place, paint } of this.pieces) {
      positions.set(geometry.getAttribute("position").array, 3 * at);
      normals.set(geometry.getAttribute("normal").array, 3 * at);
      for (let i = 0; i < corners(geometry); i++, at++) owners.set([place, paint], 2 * at);
    }
    return { positions, normals, owners };
  }
}

function corners(geometry: BufferGeometry): number {
  return geometry.getAttribute("position").count;
}
