// SPDX-License-Identifier: Apache-2.0
// Which triangle lies under the mouse: the nearest of all, by Moeller and Trumbore's test (1997) over the shared vertices.
// Twenty thousand triangles take well below a millisecond, so no tree is kept for a mesh that moves.

export interface Ray {
  origin: ArrayLike<number>;
  direction: ArrayLike<number>;
}

export interface Hit {
  triangle: number;
  bary: [number, number, number];
  distance: number;
}

export type Kept = (x: number, y: number, z: number) => boolean;

// `kept` says which points are drawn at all (what a clip plane has cut away cannot be hit).
export function pickTriangle(
  ray: Ray,
  x: Float32Array,
  triangles: Uint32Array,
  count: number,
  kept: Kept | null,
): Hit | null {
  const [ox, oy, oz] = Array.from(ray.origin),
    [dx, dy, dz] = Array.from(ray.direction);
  let best: Hit | null = null;
  for (let t = 0; t < count; t++) {
    const a = 3 * triangles[3 * t],
      b = 3 * triangles[3 * t + 1],
      c = 3 * triangles[3 * t + 2];
    const ux = x[b] - x[a],
      uy = x[b + 1] - x[a + 1],
      uz = x[b + 2] - x[a + 2];
    const vx = x[c] - x[a],
      vy = x[c + 1] - x[a + 1],
      vz = x[c + 2] - x[a + 2];
    const px = dy * vz - dz * vy,
      py = dz * vx - dx * vz,
      pz = dx * vy - dy * vx;
    const det = ux * px + uy * py + uz * pz;
    if (det === 0) continue;
    const sx = ox - x[a],
      sy = oy - x[a + 1],
      sz = oz - x[a + 2];
    const beta = (sx * px + sy * py + sz * pz) / det;
    if (beta < 0 || beta > 1) continue;
    const qx = sy * uz - sz * uy,
      qy = sz * ux - sx * uz,
      qz = sx * uy - sy * ux;
    const gamma = (dx * qx + dy * qy + dz * qz) / det;
    if (gamma < 0 || beta + gamma > 1) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / det;
    if (distance <= 0 || (best && distance >= best.distance)) continue;
    if (kept && !kept(ox + distance * dx, oy + distance * dy, oz + distance * dz)) continue;
    best = { triangle: t, bary: [1 - beta - gamma, beta, gamma], distance };
  }
  return best;
}

// Where that point of the triangle is.
export function pointOf(hit: Hit, x: Float32Array, triangles: Uint32Array): [number, number, number] {
  const at = (k: number): number =>
    hit.bary.reduce((sum, weight, corner) => sum + weight * x[3 * triangles[3 * hit.triangle + corner] + k], 0);
  return [at(0), at(1), at(2)];
}
