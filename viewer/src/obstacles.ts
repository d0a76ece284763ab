// SPDX-License-Identifier: Apache-2.0
// What bodies lie on. Half-spaces come as thick slabs: only the face towards the bodies is drawn, with a fine grid, and it
// fades out towards its rim, so that it has no end. Everything else is a plain grey solid.
import {
  BufferAttribute, BufferGeometry, CanvasTexture, Group, LinearFilter, Mesh, MeshLambertMaterial, RepeatWrapping,
  SRGBColorSpace, Vector3, type Texture,
} from "three";
import type { Hello, ObstacleInfo } from "./protocol";
import { Skin } from "./skin";
import { f32OfBase64, u32OfBase64 } from "./stream";
import type { Theme } from "./theme";

export class Obstacles {
  readonly group = new Group();
  private readonly solids: { skin: Skin; geometry: BufferGeometry; info: ObstacleInfo }[] = [];

  constructor(hello: Hello, theme: Theme) {
    const x = f32OfBase64(hello.mesh.obstacle_positions), all = u32OfBase64(hello.mesh.obstacle_triangles);
    const middle = new Vector3(
      ...[0, 1, 2].map((k) => (hello.box[0][k] + hello.box[1][k]) / 2) as [number, number, number]);
    for (const info of hello.obstacles) {
      const triangles = all
        .subarray(3 * info.first_triangle, 3 * (info.first_triangle + info.triangles))
        .map((v) => v - info.first_vertex);
      const own = x.subarray(3 * info.first_vertex, 3 * (info.first_vertex + info.vertices));
      const floor = info.kind === "half_space" && !info.moves && hello.dim === 3;
      const mesh = floor ? floorMesh(own, triangles, middle, theme) : this.solid(own, triangles, info, theme, hello.dim);
      mesh.name = info.name;
      this.group.add(mesh);
    }
  }

  private solid(x: Float32Array, triangles: Uint32Array, info: ObstacleInfo, theme: Theme, dim: 2 | 3): Mesh {
    const skin = new Skin(triangles, info.vertices);
    skin.update(x);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(skin.positions, 3));
    geometry.setAttribute("normal", new BufferAttribute(skin.normals, 3));
    const mesh = new Mesh(geometry, new MeshLambertMaterial({ color: theme.obstacle }));
    mesh.castShadow = mesh.receiveShadow = dim === 3;
    mesh.frustumCulled = false;
    this.solids.push({ skin, geometry, info });
    return mesh;
  }

  // x: vertices of all obstacles, where any moves.
  update(x: Float32Array): void {
    for (const { skin, geometry, info } of this.solids)
      if (info.moves) {
        skin.update(x.subarray(3 * info.first_vertex, 3 * (info.first_vertex + info.vertices)));
        geometry.attributes.position.needsUpdate = geometry.attributes.normal.needsUpdate = true;
      }
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      const material = object.material as MeshLambertMaterial;
      material.map?.dispose();
      material.alphaMap?.dispose();
      material.dispose();
      (object.geometry as BufferGeometry).dispose();
    });
  }
}

function corner(x: Float32Array, v: number): Vector3 {
  return new Vector3(x[3 * v], x[3 * v + 1], x[3 * v + 2]);
}

// The face of the slab that looks at the bodies: the largest of those whose outer side they are on.
function floorMesh(x: Float32Array, triangles: Uint32Array, middle: Vector3, theme: Theme): Mesh {
  let normal = new Vector3(0, 0, 1), origin = new Vector3(), largest = 0;
  const faces: { at: number; normal: Vector3 }[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => corner(x, triangles[t + k]));
    const n = b.clone().sub(a).cross(c.clone().sub(a)), area = n.length();
    if (area === 0) continue;
    n.divideScalar(area);
    faces.push({ at: t, normal: n });
    if (area > 1.001 * largest || (area > 0.999 * largest && middle.clone().sub(a).dot(n) > 0)) {
      [normal, origin, largest] = [n, a, Math.max(area, largest)];
    }
  }
  const index = faces.filter((f) => f.normal.dot(normal) > 0.999).flatMap((f) => [0, 1, 2].map((k) => triangles[f.at + k]));

  // Coordinates within the face, around the point below the bodies.
  const foot = middle.clone().addScaledVector(normal, origin.clone().sub(middle).dot(normal));
  const right = (Math.abs(normal.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0));
  right.addScaledVector(normal, -right.dot(normal)).normalize();
  const up = normal.clone().cross(right);
  const places = index.map((v) => corner(x, v).sub(foot)).map((p) => [p.dot(right), p.dot(up)]);
  const radius = Math.max(1e-9, ...places.map(([u, v]) => Math.max(Math.abs(u), Math.abs(v))));

  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(index.flatMap((v) => corner(x, v).toArray())), 3));
  geometry.setAttribute("normal", new BufferAttribute(Float32Array.from(index.flatMap(() => normal.toArray())), 3));
  geometry.setAttribute("uv", new BufferAttribute(
    Float32Array.from(places.flatMap(([u, v]) => [0.5 + u / (2 * radius), 0.5 + v / (2 * radius)])), 2));
  const mesh = new Mesh(geometry, new MeshLambertMaterial({
    map: gridTexture(radius, theme), alphaMap: fadeTexture(), transparent: true, depthWrite: false,
  }));
  mesh.receiveShadow = true;
  mesh.renderOrder = -1; // behind everything; it writes no depth
  return mesh;
}

// One cell of the grid is a power of ten metres.
function gridTexture(radius: number, theme: Theme): Texture {
  const cell = 10 ** Math.floor(Math.log10(radius / 1.5));
  const size = 256, canvas = new OffscreenCanvas(size, size), pen = canvas.getContext("2d")!;
  pen.fillStyle = theme.floor;
  pen.fillRect(0, 0, size, size);
  pen.fillStyle = theme.grid;
  pen.fillRect(0, size / 2 - 1, size, 2);
  pen.fillRect(size / 2 - 1, 0, 2, size);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.anisotropy = 4;
  const cells = (2 * radius) / cell;
  texture.repeat.set(cells, cells);
  texture.offset.set(0.5 - cells / 2, 0.5 - cells / 2);
  return texture;
}

function fadeTexture(): Texture {
  const size = 128, canvas = new OffscreenCanvas(size, size), pen = canvas.getContext("2d")!;
  const fade = pen.createRadialGradient(size / 2, size / 2, 0, size / 2, size / 2, size / 2);
  for (let i = 0; i <= 8; i++) {
    const r = i / 8, s = r * r * (3 - 2 * r);
    fade.addColorStop(r, `rgb(${Array(3).fill(Math.round(255 * (1 - s))).join(" ")})`);
  }
  pen.fillStyle = fade;
  pen.fillRect(0, 0, size, size);
  const texture = new CanvasTexture(canvas);
  texture.minFilter = LinearFilter;
  return texture;
}
