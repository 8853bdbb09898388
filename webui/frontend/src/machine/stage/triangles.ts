// Joins all meshes of a machine into one array of triangles. Every corner carries its transform slot and material, so
// that a single draw call draws the machine.

import type { MaterialName } from "./materials.ts";
import type { Mesh } from "./mesh.ts";
import type { Finish } from "./scene.ts";

/** A mesh of one material, in the frame of its body. */
export interface Piece {
  mesh: Mesh;
  material: MaterialName | Finish;
}

/** A mesh with the indices of its transform slot and material. */
export interface SlottedMesh {
  mesh: Mesh;
  slot: number;
  material: number;
}

export interface Triangles {
  /** Three numbers for each corner. */
  positions: Float32Array<ArrayBuffer>;
  normals: Float32Array<ArrayBuffer>;
  /** Slot and material of each corner. */
  owners: Uint16Array<ArrayBuffer>;
}

export function joinMeshes(parts: readonly SlottedMesh[]): Triangles {
  const count = parts.reduce((sum, { mesh }) => sum + mesh.cornerCount, 0);
  const positions = new Float32Array(3 * count);
  const normals = new Float32Array(3 * count);
  const owners = new Uint16Array(2 * count);
  let at = 0;
  for (const { mesh, slot, material } of parts) {
    positions.set(mesh.positions, 3 * at);
    normals.set(mesh.normals, 3 * at);
    for (let i = 0; i < mesh.cornerCount; i++, at++) owners.set([slot, material], 2 * at);
  }
  return { positions, normals, owners };
}
