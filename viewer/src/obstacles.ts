// SPDX-License-Identifier: Apache-2.0
// What bodies lie on. Half-spaces come as thick slabs: only the face towards the bodies is drawn, with a fine grid, and it
// fades out towards its rim, so that it has no end. Everything else is a plain grey solid.
//
// A floor fills most of the picture, so it decides the speed where graphics are computed in software: it is drawn once,
// behind everything, with as little for a pixel to do as can be.
import { BufferAttribute, BufferGeometry, Group, Mesh, type Material, type ShaderMaterial, Vector3 } from "three";
import type { Hello, ObstacleInfo } from "./protocol";
import { floorMaterial, SHADOW_LAYER, type Sun, surfaceMaterial } from "./shading";
import { Skin } from "./skin";
import { f32OfBase64, u32OfBase64 } from "./stream";
import type { Theme } from "./theme";

export class Obstacles {
  readonly group = new Group();
  private readonly solids: { skin: Skin; mesh: Mesh<BufferGeometry, ShaderMaterial>; info: ObstacleInfo }[] = [];

  constructor(
    hello: Hello,
    private readonly theme: Theme,
    private readonly sun: Sun,
    private readonly software: boolean,
  ) {
    const x = f32OfBase64(hello.mesh.obstacle_positions),
      all = u32OfBase64(hello.mesh.obstacle_triangles);
    const low = new Vector3().fromArray(hello.box[0]),
      high = new Vector3().fromArray(hello.box[1]);
    const middle = low.clone().add(high).multiplyScalar(0.5);
    for (const info of hello.obstacles) {
      const triangles = all
        .subarray(3 * info.first_triangle, 3 * (info.first_triangle + info.triangles))
        .map((v) => v - info.first_vertex);
      const own = x.subarray(3 * info.first_vertex, 3 * (info.first_vertex + info.vertices));
      const floor = info.kind === "half_space" && !info.moves && hello.dim === 3;
      const mesh = floor ? this.floor(own, triangles, middle) : this.solid(own, triangles, info);
      mesh.name = info.name;
      this.group.add(mesh);
    }
  }

  private solid(x: Float32Array, triangles: Uint32Array, info: ObstacleInfo): Mesh {
    const skin = new Skin(triangles, info.vertices);
    skin.update(x);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(skin.positions, 3));
    geometry.setAttribute("normal", new BufferAttribute(skin.normals, 3));
    geometry.setIndex(new BufferAttribute(skin.index, 1));
    const mesh = new Mesh(geometry, surfaceMaterial(this.sun, { colour: this.theme.obstacle }, this.software));
    mesh.layers.enable(SHADOW_LAYER);
    mesh.frustumCulled = false;
    this.solids.push({ skin, mesh, info });
    return mesh;
  }

  private floor(x: Float32Array, triangles: Uint32Array, middle: Vector3): Mesh {
    const { normal, foot, radius } = facingPlane(x, triangles, middle);
    const cell = 10 ** Math.floor(Math.log10(radius / 1.5)); // a power of ten metres
    const floor = new Mesh(square(radius), floorMaterial(this.sun, radius, cell, this.theme, this.software));
    floor.renderOrder = -1; // behind everything; it writes no depth
    floor.position.copy(foot);
    floor.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
    return floor;
  }

  setGlass(on: boolean): void {
    for (const { mesh } of this.solids) {
      const { material } = mesh;
      if (material.transparent === on) continue;
      material.transparent = on;
      material.depthWrite = !on;
      material.uniforms.opacity.value = on ? 0.28 : 1;
      if (on) mesh.layers.disable(SHADOW_LAYER);
      else mesh.layers.enable(SHADOW_LAYER);
    }
  }

  // x: vertices of all obstacles, where any moves.
  update(x: Float32Array): void {
    for (const { skin, mesh, info } of this.solids)
      if (info.moves) {
        skin.update(x.subarray(3 * info.first_vertex, 3 * (info.first_vertex + info.vertices)));
        for (const name of ["position", "normal"]) mesh.geometry.attributes[name].needsUpdate = true;
      }
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      (object.material as Material).dispose();
      (object.geometry as BufferGeometry).dispose();
    });
  }
}

function corner(x: Float32Array, v: number): Vector3 {
  return new Vector3(x[3 * v], x[3 * v + 1], x[3 * v + 2]);
}

// The face of the slab that looks at the bodies: the largest of those whose outer side they are on. `foot`: the point of it
// that is nearest to their middle.
export function facingPlane(
  x: Float32Array,
  triangles: Uint32Array,
  middle: Vector3,
): { normal: Vector3; foot: Vector3; radius: number } {
  let normal = new Vector3(0, 0, 1),
    origin = new Vector3(),
    largest = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => corner(x, triangles[t + k]));
    const n = b.clone().sub(a).cross(c.clone().sub(a)),
      area = n.length();
    if (area > 1.001 * largest || (area > 0.999 * largest && middle.clone().sub(a).dot(n) > 0))
      [normal, origin, largest] = [n.divideScalar(area || 1), a, Math.max(area, largest)];
  }
  const foot = middle.clone().addScaledVector(normal, origin.clone().sub(middle).dot(normal));
  return { normal, foot, radius: Math.sqrt(largest) / 2 }; // `largest` is the area of the square
}

// In its own x and y, facing +z.
function square(half: number): BufferGeometry {
  const geometry = new BufferGeometry();
  const corners = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, -1],
    [1, 1],
    [-1, 1],
  ];
  geometry.setAttribute(
    "position",
    new BufferAttribute(Float32Array.from(corners.flatMap(([u, v]) => [half * u, half * v, 0])), 3),
  );
  return geometry;
}
