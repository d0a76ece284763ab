// SPDX-License-Identifier: Apache-2.0
// The drawn surface of one view: shared vertices, spread to the three corners of each triangle.
//
// An element's colour belongs to a triangle and ends at its edges, therefore corners are not shared on the graphics
// card. Normals are averaged over neighbours except across creases (more than CREASE at the time the mesh is first seen),
// so that a box keeps its edges and a ball looks round. Everything is allocated once per mesh; a frame costs one pass
// over triangles for normals and one for positions, about a millisecond for twenty thousand triangles.

const CREASE = Math.cos((50 * Math.PI) / 180);

export class Skin {
  readonly corners: number;
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly uv: Float32Array; // x: place on the colour strip, y: unused
  readonly edges: Uint32Array; // corner pairs, each edge of the mesh once
  private readonly group: Uint32Array; // of each corner: whose normals are averaged
  private readonly sums: Float32Array; // per group
  private creased = false;

  constructor(
    readonly triangles: Uint32Array,
    readonly vertexCount: number,
  ) {
    this.corners = triangles.length;
    this.positions = new Float32Array(3 * this.corners);
    this.normals = new Float32Array(3 * this.corners);
    this.uv = new Float32Array(2 * this.corners).fill(0.5);
    this.group = new Uint32Array(this.corners);
    this.sums = new Float32Array(3 * this.corners);
    this.edges = uniqueEdges(triangles, vertexCount);
  }

  // x: three numbers per shared vertex.
  update(x: Float32Array): void {
    const { triangles, positions, normals, sums, group } = this;
    if (!this.creased) {
      groupCorners(triangles, this.vertexCount, x, group);
      this.creased = true;
    }
    sums.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const a = 3 * triangles[t],
        b = 3 * triangles[t + 1],
        c = 3 * triangles[t + 2];
      const ax = x[a],
        ay = x[a + 1],
        az = x[a + 2];
      const ux = x[b] - ax,
        uy = x[b + 1] - ay,
        uz = x[b + 2] - az;
      const vx = x[c] - ax,
        vy = x[c + 1] - ay,
        vz = x[c + 2] - az;
      const nx = uy * vz - uz * vy,
        ny = uz * vx - ux * vz,
        nz = ux * vy - uy * vx; // weighted by area
      for (let k = 0; k < 3; k++) {
        const g = 3 * group[t + k];
        sums[g] += nx;
        sums[g + 1] += ny;
        sums[g + 2] += nz;
        const from = 3 * triangles[t + k],
          to = 3 * (t + k);
        positions[to] = x[from];
        positions[to + 1] = x[from + 1];
        positions[to + 2] = x[from + 2];
      }
    }
    for (let c = 0; c < this.corners; c++) {
      const g = 3 * group[c],
        to = 3 * c;
      const nx = sums[g],
        ny = sums[g + 1],
        nz = sums[g + 2];
      const scale = 1 / (Math.sqrt(nx * nx + ny * ny + nz * nz) || 1);
      normals[to] = nx * scale;
      normals[to + 1] = ny * scale;
      normals[to + 2] = nz * scale;
    }
  }

  // Values per triangle or per vertex become places on the strip.
  colour(place: (value: number) => number, values: ArrayLike<number>, perTriangle: boolean): void {
    const { triangles, uv } = this;
    if (perTriangle)
      for (let t = 0; 3 * t < triangles.length; t++) {
        const u = place(values[t]);
        uv[6 * t] = uv[6 * t + 2] = uv[6 * t + 4] = u;
      }
    else for (let c = 0; c < triangles.length; c++) uv[2 * c] = place(values[triangles[c]]);
  }
}

// The corners around each vertex, as a start per vertex and a list.
function cornersOfVertices(triangles: Uint32Array, vertexCount: number): [Uint32Array, Uint32Array] {
  const start = new Uint32Array(vertexCount + 2),
    list = new Uint32Array(triangles.length);
  for (const v of triangles) start[v + 2]++;
  for (let v = 2; v < start.length; v++) start[v] += start[v - 1];
  for (let c = 0; c < triangles.length; c++) list[start[triangles[c] + 1]++] = c;
  return [start, list];
}

// Corners of a vertex belong to one group while their triangles, going around, turn by less than a crease. The
// group's number is its first corner's.
function groupCorners(triangles: Uint32Array, vertexCount: number, x: Float32Array, group: Uint32Array): void {
  const faces = new Float32Array(triangles.length); // unit normals
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const u = [0, 1, 2].map((k) => x[b + k] - x[a + k]),
      v = [0, 1, 2].map((k) => x[c + k] - x[a + k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(n[0], n[1], n[2]) || 1;
    for (let k = 0; k < 3; k++) faces[t + k] = n[k] / length;
  }
  const [start, list] = cornersOfVertices(triangles, vertexCount);
  for (let v = 0; v < vertexCount; v++)
    for (let i = start[v]; i < start[v + 1]; i++) {
      const c = list[i],
        f = c - (c % 3);
      group[c] = c;
      for (let j = start[v]; j < i; j++) {
        const other = list[j],
          o = other - (other % 3);
        if (faces[f] * faces[o] + faces[f + 1] * faces[o + 1] + faces[f + 2] * faces[o + 2] > CREASE) {
          group[c] = group[other];
          break;
        }
      }
    }
}

function uniqueEdges(triangles: Uint32Array, vertexCount: number): Uint32Array {
  const [start, list] = cornersOfVertices(triangles, vertexCount);
  const edges: number[] = [];
  for (let v = 0; v < vertexCount; v++) {
    const seen = new Set<number>();
    for (let i = start[v]; i < start[v + 1]; i++) {
      const c = list[i],
        t = c - (c % 3);
      for (let k = 0; k < 3; k++) {
        const w = triangles[t + k];
        if (w > v && !seen.has(w)) {
          seen.add(w);
          edges.push(c, t + k);
        }
      }
    }
  }
  return Uint32Array.from(edges);
}
