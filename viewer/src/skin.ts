// SPDX-License-Identifier: Apache-2.0
// The drawn surface of one view: the points that the graphics card gets, and triangles between them.
//
// Points are vertices, more than one where the surface has a crease (more than CREASE at the time the mesh is first seen): a
// box keeps its edges and a ball looks round. An element's colour belongs to a triangle and ends at its edges. For that the
// card takes a "flat" value from the last corner of a triangle, so each triangle gets a last corner of its own, copying a
// point where none is left. There are about as many points then as triangles, a third of three corners each. Everything is
// allocated once per mesh; a frame costs one pass over triangles, about half a millisecond for twenty thousand.

const CREASE = Math.cos((50 * Math.PI) / 180);

export class Skin {
  index = new Uint32Array(0); // three points a triangle
  edges = new Uint32Array(0); // pairs of points, each edge of the mesh once
  positions = new Float32Array(0);
  normals = new Float32Array(0);
  place = new Float32Array(0); // on the strip of colours, of each point
  private vertexOf = new Uint32Array(0); // of each point
  private copyOf = new Uint32Array(0); // of points behind the first `own`: whose normal they share
  private own = 0;

  constructor(
    readonly triangles: Uint32Array,
    readonly vertexCount: number,
  ) {}

  get pointCount(): number {
    return this.vertexOf.length;
  }

  // x: three numbers per vertex. Returns whether this was the first time, so that all arrays are new.
  update(x: Float32Array): boolean {
    const first = this.index.length !== this.triangles.length;
    if (first) this.lay(x);
    const { triangles, index, positions, normals, vertexOf, copyOf, own } = this;
    for (let p = 0; p < vertexOf.length; p++) {
      const from = 3 * vertexOf[p];
      positions[3 * p] = x[from];
      positions[3 * p + 1] = x[from + 1];
      positions[3 * p + 2] = x[from + 2];
    }
    normals.fill(0);
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
      for (let k = t; k < t + 3; k++) {
        const p = index[k],
          to = 3 * (p < own ? p : copyOf[p - own]);
        normals[to] += nx;
        normals[to + 1] += ny;
        normals[to + 2] += nz;
      }
    }
    for (let p = 0; p < 3 * own; p += 3) {
      const scale = 1 / (Math.hypot(normals[p], normals[p + 1], normals[p + 2]) || 1);
      normals[p] *= scale;
      normals[p + 1] *= scale;
      normals[p + 2] *= scale;
    }
    for (let i = 0; i < copyOf.length; i++) normals.copyWithin(3 * (own + i), 3 * copyOf[i], 3 * copyOf[i] + 3);
    return first;
  }

  // Finds the points of each triangle.
  private lay(x: Float32Array): void {
    const { triangles } = this,
      group = groupCorners(triangles, this.vertexCount, x);
    const point = new Uint32Array(triangles.length), // of each corner
      vertexOf: number[] = [],
      copyOf: number[] = [];
    for (let c = 0; c < triangles.length; c++)
      point[c] = group[c] === c ? vertexOf.push(triangles[c]) - 1 : point[group[c]]; // a group's first corner comes first
    const own = vertexOf.length,
      taken = new Uint8Array(own); // is the last corner of a triangle
    const index = new Uint32Array(triangles.length);
    for (let t = 0; t < triangles.length; t += 3) {
      const free = [2, 0, 1].find((k) => !taken[point[t + k]]),
        last = free ?? 2;
      for (let k = 0; k < 3; k++) index[t + k] = point[t + ((last + 1 + k) % 3)]; // the same way around
      if (free !== undefined) taken[point[t + last]] = 1;
      else {
        copyOf.push(index[t + 2]);
        index[t + 2] = vertexOf.push(triangles[t + last]) - 1;
      }
    }
    this.own = own;
    this.vertexOf = Uint32Array.from(vertexOf);
    this.copyOf = Uint32Array.from(copyOf);
    this.index = index;
    this.edges = uniqueEdges(triangles, this.vertexCount).map((c) => point[c]);
    this.positions = new Float32Array(3 * vertexOf.length);
    this.normals = new Float32Array(3 * vertexOf.length);
    this.place = new Float32Array(vertexOf.length).fill(0.5);
  }

  // Places on the strip, of a triangle or of all vertices by their values.
  colourTriangle(triangle: number, place: number): void {
    this.place[this.index[3 * triangle + 2]] = place;
  }
  colourVertices(place: (value: number) => number, values: ArrayLike<number>): void {
    for (let p = 0; p < this.vertexOf.length; p++) this.place[p] = place(values[this.vertexOf[p]]);
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
function groupCorners(triangles: Uint32Array, vertexCount: number, x: Float32Array): Uint32Array {
  const group = new Uint32Array(triangles.length),
    faces = new Float32Array(triangles.length); // unit normals
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
  return group;
}

// As pairs of corners.
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
