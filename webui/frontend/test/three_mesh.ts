// A geometry of three.js as a mesh of ours: three.js is the independent reference of these tests.
import type { BufferGeometry } from "three";
import { Mesh } from "../src/machine/stage/mesh.ts";
import type { Vector } from "../src/machine/stage/scene.ts";

export function meshOf(geometry: BufferGeometry): Mesh {
  const plain = geometry.index === null ? geometry : geometry.toNonIndexed();
  const vectors = (name: string) => {
    const { array } = plain.getAttribute(name);
    return Array.from({ length: array.length / 3 }, (_, i) => [...array.slice(3 * i, 3 * i + 3)] as Vector);
  };
  const mesh = new Mesh();
  const normals = vectors("normal");
  vectors("position").forEach((position, i) => mesh.addCorner(position, normals[i] as Vector));
  return mesh;
}
