// SPDX-License-Identifier: Apache-2.0
// What bodies lie on. Half-spaces come as thick slabs: only the face towards the bodies is drawn, with a fine grid, and it
// fades out towards its rim, so that it has no end. Everything else is a plain grey solid.
//
// A floor fills most of the picture, so it decides the speed where graphics are computed in software: it is unlit, without
// textures, and takes the shadow only on a smaller sheet below the bodies (a lit and textured floor cost four times as much).
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  Mesh,
  MeshLambertMaterial,
  ShaderMaterial,
  ShadowMaterial,
  Vector3,
  type Material,
} from "three";
import type { Hello, ObstacleInfo } from "./protocol";
import { Skin } from "./skin";
import { f32OfBase64, u32OfBase64 } from "./stream";
import type { Theme } from "./theme";

export class Obstacles {
  readonly group = new Group();
  private readonly solids: { skin: Skin; mesh: Mesh<BufferGeometry, MeshLambertMaterial>; info: ObstacleInfo }[] = [];

  constructor(hello: Hello, theme: Theme) {
    const x = f32OfBase64(hello.mesh.obstacle_positions),
      all = u32OfBase64(hello.mesh.obstacle_triangles);
    const low = new Vector3().fromArray(hello.box[0]),
      high = new Vector3().fromArray(hello.box[1]);
    const middle = low.clone().add(high).multiplyScalar(0.5),
      size = high.distanceTo(low) || 1;
    for (const info of hello.obstacles) {
      const triangles = all
        .subarray(3 * info.first_triangle, 3 * (info.first_triangle + info.triangles))
        .map((v) => v - info.first_vertex);
      const own = x.subarray(3 * info.first_vertex, 3 * (info.first_vertex + info.vertices));
      const floor = info.kind === "half_space" && !info.moves && hello.dim === 3;
      const mesh = floor
        ? floorMesh(own, triangles, middle, size, theme)
        : this.solid(own, triangles, info, theme, hello.dim);
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
    this.solids.push({ skin, mesh, info });
    return mesh;
  }

  setGlass(on: boolean): void {
    for (const { mesh } of this.solids) {
      const { material } = mesh;
      if (material.transparent === on) continue;
      Object.assign(material, { transparent: on, opacity: on ? 0.28 : 1, depthWrite: !on, needsUpdate: true });
      mesh.castShadow = !on;
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

// The face of the slab that looks at the bodies: the largest of those whose outer side they are on.
function facingPlane(
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

function floorMesh(x: Float32Array, triangles: Uint32Array, middle: Vector3, size: number, theme: Theme): Group {
  const { normal, foot, radius } = facingPlane(x, triangles, middle);
  const cell = 10 ** Math.floor(Math.log10(radius / 1.5)); // a power of ten metres
  const floor = new Mesh(
    square(radius),
    new ShaderMaterial({
      vertexShader: FLOOR_VERTEX,
      fragmentShader: FLOOR_FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: {
        floor: { value: new Color(theme.floor) },
        grid: { value: new Color(theme.grid) },
        radius: { value: radius },
        cell: { value: cell },
      },
    }),
  );
  const shadow = new Mesh(
    square(Math.min(radius, 1.1 * size)),
    new ShadowMaterial({ opacity: theme.shadow, depthWrite: false }),
  );
  shadow.receiveShadow = true;
  [floor.renderOrder, shadow.renderOrder] = [-2, -1]; // behind everything; they write no depth
  const group = new Group();
  group.add(floor, shadow);
  group.position.copy(foot);
  group.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
  return group;
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
  geometry.setAttribute("normal", new BufferAttribute(Float32Array.from(corners.flatMap(() => [0, 0, 1])), 3));
  return geometry;
}

const FLOOR_VERTEX = `
varying vec2 place;
void main() {
  place = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Lines keep about a pixel's width at any distance, and fade where they would be closer than a few pixels. Floor and
// background differ by a few of 256 steps only: noise breaks up the rings that the fade would show.
const FLOOR_FRAGMENT = `
uniform vec3 floor, grid;
uniform float radius, cell;
varying vec2 place;
void main() {
  vec2 at = place / cell, width = fwidth(at), off = abs(fract(at + 0.5) - 0.5) / width;
  float line = (1.0 - min(min(off.x, off.y), 1.0)) * (1.0 - smoothstep(0.1, 0.5, max(width.x, width.y)));
  float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
  float fade = 1.0 - smoothstep(0.0, 1.0, length(place) / radius);
  gl_FragColor = vec4(mix(floor, grid, line), clamp(fade + 0.1 * noise * fade, 0.0, 1.0));
  #include <colorspace_fragment>
}`;
