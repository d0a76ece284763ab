// SPDX-License-Identifier: Apache-2.0
// A stand-in for the program: streams as docs/viewer-protocol.md defines them, of blocks that sway and wake when pulled.
// It knows no physics; it lets the page be tested alone, at any size, with values that are known in advance.
import { createServer } from "node:http";
import { deflateRawSync } from "node:zlib";
import { WebSocketServer } from "ws";

const base64 = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");

// Blocks of n cubes a side, six tetrahedra a cube, on a floor at z = 0.
function blocks(count, n, size) {
  const rest = [],
    tets = [],
    bodies = [];
  for (let b = 0; b < count; b++) {
    const first = rest.length / 3,
      firstTet = tets.length / 4;
    const at = (i, j, k) => first + (i * (n + 1) + j) * (n + 1) + k;
    for (let i = 0; i <= n; i++)
      for (let j = 0; j <= n; j++)
        for (let k = 0; k <= n; k++)
          rest.push(size * (i / n - 0.5) + 1.5 * size * (b - (count - 1) / 2), size * (j / n - 0.5), (size * k) / n);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++)
        for (let k = 0; k < n; k++) {
          const path = [
            [1, 2, 4],
            [1, 4, 2],
            [2, 1, 4],
            [2, 4, 1],
            [4, 1, 2],
            [4, 2, 1],
          ];
          const corner = (bits) => at(i + (bits & 1), j + ((bits >> 1) & 1), k + ((bits >> 2) & 1));
          path.forEach(([p, q, r], even) => {
            const tet = [corner(0), corner(p), corner(p + q), corner(p + q + r)];
            if ([0, 3, 4].includes(even)) tets.push(tet[0], tet[1], tet[2], tet[3]);
            else tets.push(tet[0], tet[2], tet[1], tet[3]);
          });
        }
    bodies.push({
      name: `block-${b}`,
      first,
      firstTet,
      vertices: rest.length / 3 - first,
      elements: tets.length / 4 - firstTet,
    });
  }
  return { rest: Float32Array.from(rest), tets: Uint32Array.from(tets), bodies };
}

// Faces that belong to one tetrahedron only, body by body, outward.
function surface(mesh) {
  const faces = new Map(),
    key = (f) => [...f].sort((a, b) => a - b).join();
  for (let e = 0; 4 * e < mesh.tets.length; e++) {
    const [a, b, c, d] = mesh.tets.subarray(4 * e, 4 * e + 4);
    for (const face of [
      [a, c, b],
      [a, b, d],
      [b, c, d],
      [a, d, c],
    ])
      if (!faces.delete(key(face))) faces.set(key(face), { face, e });
  }
  return [...faces.values()];
}

const REASONS = ["none", "rate", "contact", "load"];
export const FIELDS = [
  {
    name: "part",
    label: "rigid part",
    unit: "",
    place: "element",
    components: 1,
    categories: true,
    logarithmic: false,
  },
  {
    name: "reason",
    label: "why it is awake",
    unit: "",
    place: "element",
    components: 1,
    categories: REASONS,
    logarithmic: false,
  },
  {
    name: "strain_rate",
    label: "strain rate",
    unit: "1/s",
    place: "element",
    components: 1,
    categories: null,
    logarithmic: true,
  },
  {
    name: "velocity",
    label: "speed",
    unit: "m/s",
    place: "vertex",
    components: 3,
    categories: null,
    logarithmic: false,
  },
];

export class Mock {
  constructor({ count = 2, n = 6, size = 0.2, views = 1, interior = false } = {}) {
    this.settings = {
      playing: false,
      speed: 1,
      split: views > 1,
      interior,
      method: "rigidify",
      field: "part",
      thresholds: [
        {
          method: "rigidify",
          name: "tau_rigid",
          label: "Strain rate to fall asleep",
          unit: "1/s²",
          value: 1e-4,
          low: 1e-8,
          high: 100,
          logarithmic: true,
          whole: false,
          help: "An element below may become rigid.",
        },
        {
          method: "rigidify",
          name: "steps",
          label: "Steps below",
          unit: "",
          value: 5,
          low: 1,
          high: 50,
          logarithmic: false,
          whole: true,
          help: "For so many steps in a row.",
        },
      ],
    };
    this.options = { count, n, size };
    this.step = 0;
    this.frameNumber = 0;
    this.pull = null;
    this.build();
  }

  build() {
    const { count, n, size } = this.options;
    this.mesh = blocks(count, n, size);
    this.faces = surface(this.mesh);
    // Vertices of the surface only, unless the inside is asked for.
    this.sent = this.settings.interior
      ? [...Array(this.mesh.rest.length / 3).keys()]
      : [...new Set(this.faces.flatMap((f) => f.face))].sort((a, b) => a - b);
    this.place = new Map(this.sent.map((v, i) => [v, i]));
  }

  hello(extra = {}) {
    const {
      mesh,
      faces,
      place,
      sent,
      options: { count, size },
      settings,
    } = this;
    const within = (list, first, n, of) => list.filter((item) => of(item) >= first && of(item) < first + n).length;
    let triangle = 0,
      vertex = 0;
    const bodies = mesh.bodies.map((b) => {
      const triangles = within(faces, b.firstTet, b.elements, (f) => f.e),
        vertices = within(sent, b.first, b.vertices, (v) => v);
      const body = {
        name: b.name,
        method: settings.method,
        first_vertex: vertex,
        vertices,
        first_triangle: triangle,
        triangles,
        first_element: b.firstTet,
        elements: b.elements,
        diameter: size * Math.sqrt(3),
      };
      triangle += triangles;
      vertex += vertices;
      return body;
    });
    const w = 1.5 * size * count;
    const slab = Float32Array.from([-3, 3].flatMap((x) => [-3, 3].flatMap((y) => [-0.5, 0].flatMap((z) => [x, y, z]))));
    const slabFaces = Uint32Array.from([
      0, 1, 2, 1, 3, 2, 4, 6, 5, 5, 6, 7, 0, 4, 1, 1, 4, 5, 2, 3, 6, 3, 7, 6, 0, 2, 4, 2, 6, 4, 1, 5, 3, 3, 5, 7,
    ]);
    return {
      type: "hello",
      version: 1,
      scene: "mock",
      title: "Blocks that sway",
      dim: 3,
      h: 0.01,
      live: true,
      frames: 0,
      times: [],
      views: settings.split ? [{ name: "full" }, { name: "rigidify" }] : [{ name: settings.method }],
      bodies,
      obstacles: [
        {
          name: "floor",
          kind: "half_space",
          moves: false,
          first_vertex: 0,
          vertices: 8,
          first_triangle: 0,
          triangles: 12,
        },
      ],
      fields: FIELDS,
      methods: ["full", "rigidify"],
      settings,
      shapes: ["block-0"],
      box: [
        [-w / 2, -size, 0],
        [w / 2, size, 1.2 * size],
      ],
      interior: settings.interior,
      mesh: {
        triangles: base64(Uint32Array.from(faces.flatMap((f) => f.face.map((v) => place.get(v))))),
        element_of_triangle: base64(Uint32Array.from(faces, (f) => f.e)),
        tets: settings.interior ? base64(mesh.tets) : null,
        obstacle_positions: base64(slab),
        obstacle_triangles: base64(slabFaces),
      },
      report: null,
      ...extra,
    };
  }

  position(v, time, out) {
    const {
      mesh: { rest },
      options: { size },
      pull,
    } = this;
    const [x, y, z] = rest.subarray(3 * v, 3 * v + 3);
    const sway = 0.18 * Math.sin(3 * time + 2 * x) * (z / size) ** 2 * size * 2;
    ((out[0] = x + sway), (out[1] = y + 0.4 * sway), (out[2] = z));
    if (pull) {
      const near = Math.exp(
        -((x - pull.rest[0]) ** 2 + (y - pull.rest[1]) ** 2 + (z - pull.rest[2]) ** 2) / (0.3 * size) ** 2,
      );
      for (let k = 0; k < 3; k++) out[k] += 0.5 * near * (pull.to[k] - pull.rest[k]);
    }
    return out;
  }

  awake(view, e, time) {
    if (this.settings.method === "full" || (this.settings.split && view === 0)) return 1;
    const {
      mesh: { tets, rest },
      options: { size },
      pull,
    } = this;
    const v = 3 * tets[4 * e];
    if (pull && Math.hypot(rest[v] - pull.rest[0], rest[v + 1] - pull.rest[1], rest[v + 2] - pull.rest[2]) < 0.6 * size)
      return 3;
    return rest[v + 2] > size * (0.75 + 0.2 * Math.sin(2 * time)) ? 1 : rest[v + 2] === 0 ? 2 : 0;
  }

  value(name, view, e, time) {
    const why = this.awake(view, e, time),
      body = this.mesh.bodies.findIndex((b) => e < b.firstTet + b.elements);
    if (name === "part")
      return why
        ? -1
        : this.mesh.rest[3 * this.mesh.tets[4 * e]] > 1.5 * this.options.size * (body - (this.options.count - 1) / 2)
          ? 1
          : 0;
    if (name === "reason") return why;
    return 10 ** (-4 + 5 * (this.mesh.rest[3 * this.mesh.tets[4 * e] + 2] / this.options.size)) * (why ? 1 : 1e-3);
  }

  frame(view, { fields = [this.settings.field], compressed = false } = {}) {
    const time = this.step * 0.01,
      { mesh, faces, sent, settings } = this;
    const parts = [],
      sections = [];
    let bytes = 0;
    const add = (name, place, type, components, array, range = {}) => {
      sections.push({ name, place, type, components, count: array.length / components, offset: bytes, ...range });
      const buffer = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
      parts.push(buffer, Buffer.alloc((4 - (buffer.length % 4)) % 4));
      bytes += buffer.length + parts.at(-1).length;
    };
    const reach = Math.max(2, this.options.size * this.options.count); // all blocks and some room
    const box = [
        [-reach, -2, -0.2],
        [reach, 2, 1.8],
      ],
      x = [0, 0, 0];
    const q = new Uint16Array(3 * sent.length);
    sent.forEach((v, i) => {
      this.position(v, time, x);
      for (let k = 0; k < 3; k++) q[3 * i + k] = Math.round((65535 * (x[k] - box[0][k])) / (box[1][k] - box[0][k]));
    });
    add("positions", "vertex", "u16", 3, q, { low: box[0], high: box[1], delta: false });
    for (const field of FIELDS.filter((f) => fields.includes(f.name))) {
      if (field.place === "vertex") {
        add(
          field.name,
          "vertex",
          "f32",
          3,
          Float32Array.from(sent.flatMap((v) => [Math.abs(Math.cos(3 * time)) * mesh.rest[3 * v + 2] * 5, 0, 0])),
        );
        continue;
      }
      const of = settings.interior ? [...Array(mesh.tets.length / 4).keys()] : faces.map((f) => f.e);
      const values = of.map((e) => this.value(field.name, view, e, time));
      const place = settings.interior ? "element" : "triangle";
      if (field.categories)
        add(
          field.name,
          place,
          "u8",
          1,
          Uint8Array.from(values, (v) => (v < 0 ? 255 : v)),
        );
      else add(field.name, place, "f32", 1, Float32Array.from(values));
    }
    add(
      "contacts",
      "contact",
      "f32",
      6,
      Float32Array.from(
        mesh.bodies.flatMap((_, b) =>
          [0, 1, 2, 3].flatMap((i) => {
            const { size, count } = this.options;
            return [
              size * ((i & 1) - 0.5) + 1.5 * size * (b - (count - 1) / 2),
              size * ((i >> 1) - 0.5),
              0,
              0.2,
              0,
              1 + 3 * i,
            ];
          }),
        ),
      ),
    );
    const elements = mesh.tets.length / 4;
    let elastic = 0;
    for (let e = 0; e < elements; e++) elastic += this.awake(view, e, time) ? 1 : 0;
    const full = settings.split && view === 0;
    const stats = {
      dofs: 3 * elastic,
      elements,
      elastic_elements: elastic,
      rigid_parts: full ? 0 : 4,
      contacts: 4,
      cpu_ms: 0.3 + elastic / 800,
      wall_ms: 0.3 + elastic / 700,
      ...(settings.split && !full
        ? { speedup: 1 + 5 * (1 - elastic / elements), error: 1e-3 * Math.abs(Math.sin(time)) }
        : {}),
    };
    let payload = Buffer.concat(parts);
    if (compressed) payload = deflateRawSync(payload);
    let header = JSON.stringify({
      frame: this.frameNumber,
      view,
      step: this.step,
      time,
      compressed,
      bytes,
      stats,
      sections,
    });
    header += " ".repeat((4 - (Buffer.byteLength(header) % 4)) % 4);
    const head = Buffer.alloc(8);
    head.writeUInt32LE(0x46574854, 0);
    head.writeUInt32LE(Buffer.byteLength(header), 4);
    return Buffer.concat([head, Buffer.from(header), payload]);
  }

  // Point of a surface triangle before anything moved.
  grab({ triangle, bary, to }) {
    const face = this.faces[triangle].face;
    this.pull = this.pull
      ? { ...this.pull, to }
      : { to, rest: [0, 1, 2].map((k) => bary.reduce((s, w, c) => s + w * this.mesh.rest[3 * face[c] + k], 0)) };
  }
}

// Answers a page as the program would. `log` collects what the page said.
export function serve(html, mock, { fps = 60, compressed = false } = {}) {
  const http = createServer((_request, response) => response.setHeader("Content-Type", "text/html").end(html));
  const sockets = new WebSocketServer({ server: http, path: "/stream" });
  const log = [],
    times = []; // ms, of each message
  sockets.on("connection", (socket) => {
    const flying = [0, 0];
    const say = (message) => socket.send(JSON.stringify(message));
    const owed = [false, false]; // the newest frame could not be sent yet
    const sendTo = (view) => {
      owed[view] = flying[view] >= 2;
      if (!owed[view]) (flying[view]++, socket.send(mock.frame(view, { compressed })));
    };
    const show = () => {
      mock.frameNumber++;
      for (let view = 0; view < (mock.settings.split ? 2 : 1); view++) sendTo(view);
    };
    const settle = () => say({ type: "settings", ...mock.settings });
    const again = () => (mock.build(), flying.fill(0), say(mock.hello()), show());
    again();
    const timer = setInterval(() => {
      if (mock.settings.playing) (mock.step++, show());
    }, 1000 / fps);
    socket.on("close", () => clearInterval(timer));
    socket.on("message", (text) => {
      const m = JSON.parse(text);
      log.push(m);
      times.push(Date.now());
      const { settings } = mock;
      const act = {
        ack: () => {
          flying[m.view] = Math.max(0, flying[m.view] - 1);
          if (owed[m.view]) sendTo(m.view);
        },
        play: () => ((settings.playing = true), settle()),
        pause: () => ((settings.playing = false), settle()),
        step: () => (mock.step++, show()),
        reset: () => ((mock.step = 0), show()),
        speed: () => ((settings.speed = m.value), settle()),
        field: () => ((settings.field = m.name), settle(), show()),
        method: () => ((settings.method = m.name), settle(), show()),
        settings: () => (
          settings.thresholds.forEach((t) => {
            t.value = m.values[t.name] ?? t.value;
          }),
          settle()
        ),
        drag: () => (mock.grab(m), settings.playing || show()),
        release: () => ((mock.pull = null), settings.playing || show()),
        split: () => ((settings.split = m.on), again()),
        interior: () => ((settings.interior = m.on), again()),
        drop: () => (mock.options.count++, again()),
        pick: () =>
          say({
            type: "element",
            view: m.view,
            element: m.element,
            body: 0,
            text: `Element ${m.element} is as calm as a mock can be.`,
          }),
      }[m.type];
      if (act) act();
      else say({ type: "error", message: `Unknown message "${m.type}".` });
    });
  });
  return new Promise((resolve) =>
    http.listen(0, "127.0.0.1", () =>
      resolve({
        url: `http://127.0.0.1:${http.address().port}/?token=mock`,
        log,
        times,
        close: () => (sockets.clients.forEach((c) => c.terminate()), http.close()),
      }),
    ),
  );
}

// Differences to the frame before, bytes sorted, as `thaw export` writes them.
function deltas(frames) {
  const before = new Map();
  return frames.map((frame) => {
    const length = frame.readUInt32LE(4),
      header = JSON.parse(frame.subarray(8, 8 + length)),
      payload = Buffer.from(frame.subarray(8 + length));
    for (const s of header.sections) {
      if (s.type === "f32") continue;
      const wide = s.type === "u16",
        n = s.count * s.components,
        key = `${header.view} ${s.name}`;
      const q = Array.from({ length: n }, (_, i) =>
        wide ? payload.readUInt16LE(s.offset + 2 * i) : payload[s.offset + i],
      );
      const last = before.get(key) ?? Array(n).fill(0);
      s.delta = before.has(key);
      s.planes = true;
      for (let i = 0; i < n; i++) {
        const d = (q[i] - last[i]) & (wide ? 65535 : 255),
          k = i % s.components,
          item = Math.floor(i / s.components);
        const low = s.offset + k * s.count * (wide ? 2 : 1) + item;
        payload[low] = d & 255;
        if (wide) payload[low + s.count] = d >> 8;
      }
      before.set(key, q);
    }
    let text = JSON.stringify(header);
    text += " ".repeat((4 - (Buffer.byteLength(text) % 4)) % 4);
    const head = Buffer.alloc(8);
    head.writeUInt32LE(0x46574854, 0);
    head.writeUInt32LE(Buffer.byteLength(text), 4);
    return Buffer.concat([head, Buffer.from(text), payload]);
  });
}

// A page with all its frames inside.
export function embedded(html, mock, count, extra = {}) {
  const frames = [],
    times = [];
  for (let i = 0; i < count; i++, mock.step += 2, mock.frameNumber++) {
    times.push(mock.step * 0.01);
    for (let view = 0; view < (mock.settings.split ? 2 : 1); view++)
      frames.push(mock.frame(view, { fields: FIELDS.map((f) => f.name) }));
  }
  const hello = mock.hello({ live: false, frames: count, times, shapes: [], methods: [], ...extra });
  const stream = Buffer.concat(
    deltas(frames).flatMap((f) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(f.length);
      return [length, f];
    }),
  );
  return html.replace(
    "<!--thaw-data-->",
    () =>
      `<script type="application/json" id="thaw-header">${JSON.stringify(hello).replaceAll("<", "\\u003c")}</script>\n` +
      `<script type="application/octet-stream" id="thaw-frames">${deflateRawSync(stream).toString("base64")}</script>`,
  );
}
