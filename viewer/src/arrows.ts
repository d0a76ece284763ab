// SPDX-License-Identifier: Apache-2.0
// Contact forces as arrows: one instanced shape, its length by the force (a square root, so that small forces stay
// visible beside large ones). The longest arrow is a fixed part of the scene's size, and short ones are hardly thinner.
import {
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  Vector3,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";

const UP = new Vector3(0, 1, 0);

// Along +y, from the origin, one long.
function arrowShape(): BufferGeometry {
  const shaft = new CylinderGeometry(0.022, 0.022, 0.72, 6).translate(0, 0.36, 0);
  const head = new ConeGeometry(0.075, 0.28, 10).translate(0, 0.86, 0);
  const shape = mergeGeometries([shaft, head]);
  shaft.dispose();
  head.dispose();
  return shape;
}

export class Arrows {
  mesh: InstancedMesh;
  private largest = 0; // N, of all forces so far: the scale stays calm

  constructor(
    private readonly longest: number,
    private readonly colour: string,
  ) {
    this.mesh = this.allocate(64);
  }

  private allocate(room: number): InstancedMesh {
    const material = new MeshBasicMaterial({ color: this.colour, depthTest: false, transparent: true });
    const mesh = new InstancedMesh(arrowShape(), material, room);
    mesh.frustumCulled = false;
    mesh.renderOrder = 2; // forces point into bodies: drawn over them
    mesh.count = 0;
    return mesh;
  }

  // contacts: point and force of each. Arrows start at the point.
  update(contacts: Float32Array): void {
    const count = contacts.length / 6;
    if (count > this.mesh.instanceMatrix.count) {
      const old = this.mesh,
        parent = old.parent;
      this.mesh = this.allocate(2 * count);
      this.mesh.visible = old.visible;
      parent?.remove(old);
      parent?.add(this.mesh);
      disposeMesh(old);
    }
    const point = new Vector3(),
      force = new Vector3(),
      scale = new Vector3(),
      turn = new Quaternion(),
      matrix = new Matrix4();
    for (let i = 0; i < count; i++)
      this.largest = Math.max(this.largest, Math.hypot(contacts[6 * i + 3], contacts[6 * i + 4], contacts[6 * i + 5]));
    let shown = 0;
    for (let i = 0; i < count; i++) {
      force.fromArray(contacts, 6 * i + 3);
      const size = force.length();
      if (!(size > 1e-6 * this.largest)) continue;
      const length = this.longest * Math.sqrt(size / this.largest),
        width = Math.max(length, 0.5 * this.longest);
      force.divideScalar(size);
      point.fromArray(contacts, 6 * i);
      turn.setFromUnitVectors(UP, force);
      this.mesh.setMatrixAt(shown++, matrix.compose(point, turn, scale.set(width, length, width)));
    }
    this.mesh.count = shown;
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    disposeMesh(this.mesh);
  }
}

function disposeMesh(mesh: InstancedMesh): void {
  mesh.geometry.dispose();
  (mesh.material as MeshBasicMaterial).dispose();
  mesh.dispose();
}
