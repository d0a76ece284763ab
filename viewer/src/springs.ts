// SPDX-License-Identifier: Apache-2.0
// Attachments: a line from each vertex that is held to its anchor, and a dot at both ends; glue has no length, so that
// of it only dots are seen. Drawn over bodies, for anchors lie on or in them. What has let go is not sent any more.
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  Points,
  PointsMaterial,
} from "three";

export class Springs {
  readonly group = new Group();
  private readonly geometry = new BufferGeometry();
  private room = 0; // points
  readonly materials: [LineBasicMaterial, PointsMaterial];

  constructor(size: number, colour: string) {
    const over = { color: colour, depthTest: false, transparent: true };
    this.materials = [new LineBasicMaterial(over), new PointsMaterial({ ...over, size: 0.008 * size })];
    for (const object of [
      new LineSegments(this.geometry, this.materials[0]),
      new Points(this.geometry, this.materials[1]),
    ]) {
      object.frustumCulled = false;
      object.renderOrder = 2;
      this.group.add(object);
    }
  }

  // points: in pairs, the vertex and its anchor.
  update(points: Float32Array): void {
    const count = points.length / 3;
    if (count > this.room) {
      this.room = 2 * count;
      this.geometry.setAttribute(
        "position",
        new BufferAttribute(new Float32Array(3 * this.room), 3).setUsage(DynamicDrawUsage),
      );
    }
    if (count > 0) {
      const to = this.geometry.attributes.position;
      (to.array as Float32Array).set(points);
      to.needsUpdate = true;
    }
    this.geometry.setDrawRange(0, count);
    this.group.visible = count > 0;
  }

  dispose(): void {
    this.geometry.dispose();
    for (const material of this.materials) material.dispose();
  }
}
