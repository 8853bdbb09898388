// All meshes of a machine in one array of triangles: every corner says to which place and paint it belongs, so that
// one call draws the machine.
import type { Mesh } from "./mesh.ts";
import type { PaintName } from "./paints.ts";
import type { Finish } from "./scene.ts";

/** A piece of one paint, in the frame of what it belongs to. */
export interface Piece {
  mesh: Mesh;
  paint: PaintName | Finish;
}

/** The same with the numbers of its place and paint. */
export interface PlacedMesh {
  mesh: Mesh;
  place: number;
  paint: number;
}

export interface Triangles {
  /** Three numbers for each corner. */
  positions: Float32Array<ArrayBuffer>;
  normals: Float32Array<ArrayBuffer>;
  /** Place and paint of each corner. */
  owners: Uint16Array<ArrayBuffer>;
}

export function joinMeshes(parts: readonly PlacedMesh[]): Triangles {
  const count = parts.reduce((sum, { mesh }) => sum + mesh.cornerCount, 0);
  const positions = new Float32Array(3 * count);
  const normals = new Float32Array(3 * count);
  const owners = new Uint16Array(2 * count);
  let at = 0;
  for (const { mesh, place, paint } of parts) {
    positions.set(mesh.positions, 3 * at);
    normals.set(mesh.normals, 3 * at);
    for (let i = 0; i < mesh.cornerCount; i++, at++) owners.set([place, paint], 2 * at);
  }
  return { positions, normals, owners };
}
