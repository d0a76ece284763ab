// SPDX-License-Identifier: Apache-2.0
// One view: the bodies of one simulation with what belongs to them, ready to be drawn. Split screens have two.
//
// Positions and values of the newest frame stay here, for picking, hovering and new colours without a new frame.
import {
  BufferAttribute,
  BufferGeometry,
  type Camera,
  ClampToEdgeWrapping,
  CylinderGeometry,
  DataTexture,
  DynamicDrawUsage,
  DoubleSide,
  LineBasicMaterial,
  LineSegments,
  LinearFilter,
  Mesh,
  MeshBasicMaterial,
  NearestFilter,
  type Plane,
  RGBAFormat,
  Scene,
  type ShaderMaterial,
  SphereGeometry,
  Vector3,
  type WebGLRenderer,
} from "three";
import { Arrows } from "./arrows";
import { Springs } from "./springs";
import { Cut } from "./cut";
import type { Painter } from "./painter";
import { Obstacles } from "./obstacles";
import { pickTriangle, pointOf, type Hit, type Ray } from "./pick";
import type { Hello } from "./protocol";
import { sectionMaterial, setClipped, setFlat, SHADOW_LAYER, Sun, surfaceMaterial } from "./shading";
import { Skin } from "./skin";
import { findSection, magnitudes, readSection, u32OfBase64, type Frame } from "./stream";
import type { Theme } from "./theme";

export interface Look {
  wireframe: boolean;
  contacts: boolean;
  glass: boolean; // obstacles can be seen through
  clip: Plane | null;
}

// A point of the surface, or an element of the section that a clip plane shows.
export interface Picked {
  point: [number, number, number];
  element: number;
  hit: Hit | null; // null: an element of the section
}

const dynamic = (array: Float32Array, size: number): BufferAttribute => {
  const attribute = new BufferAttribute(array, size);
  attribute.setUsage(DynamicDrawUsage);
  return attribute;
};

export class ViewScene {
  readonly scene = new Scene();
  readonly skin: Skin;
  readonly elementOfTriangle: Uint32Array;
  x: Float32Array; // of all vertices, as sent
  values: Float32Array | null = null;
  frame: Frame | null = null;
  private raw: Float32Array = new Float32Array(0); // of the field, as sent
  private valuesPlace = "triangle";
  private contacts: Float32Array = new Float32Array(0);
  private obstaclesX: Float32Array | undefined;
  private readonly obstacles: Obstacles;
  private readonly arrows: Arrows;
  private readonly springs: Springs;
  private attachments: Float32Array = new Float32Array(0);
  private readonly cut: Cut | null;
  private readonly strip: DataTexture;
  private readonly surface: ShaderMaterial;
  private readonly geometry = new BufferGeometry();
  private readonly edges: LineSegments;
  private readonly section: Mesh<BufferGeometry, ShaderMaterial>;
  private readonly sectionEdges: LineSegments;
  private readonly mark: LineSegments;
  private marked: number | null = null;
  private readonly spring: Mesh; // one long, along +y
  private readonly ends: Mesh[];
  private readonly sun: Sun;

  constructor(
    private readonly hello: Hello,
    private readonly painter: Painter,
    theme: Theme,
    software: boolean,
  ) {
    const count = hello.bodies.reduce((sum, b) => Math.max(sum, b.first_vertex + b.vertices), 0);
    this.skin = new Skin(u32OfBase64(hello.mesh.triangles), count);
    this.elementOfTriangle = u32OfBase64(hello.mesh.element_of_triangle);
    this.cut = hello.mesh.tets ? new Cut(u32OfBase64(hello.mesh.tets)) : null;
    this.x = new Float32Array(3 * count);
    const [low, high] = hello.box.map((p) => new Vector3(...(p as [number, number, number])));
    const size = high.distanceTo(low) || 1;

    this.strip = new DataTexture(painter.texels, painter.texels.length / 4, 1, RGBAFormat);
    this.strip.wrapS = ClampToEdgeWrapping;
    const behindLines = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2 };
    this.sun = new Sun(low, high, theme, hello.dim);
    this.surface = surfaceMaterial(this.sun, { strip: this.strip }, software, behindLines);
    const body = new Mesh(this.geometry, this.surface);
    body.layers.enable(SHADOW_LAYER);
    body.frustumCulled = false;

    const lines = new LineBasicMaterial({ color: theme.edge, transparent: true, opacity: theme.edgeOpacity });
    this.edges = new LineSegments(new BufferGeometry(), lines);
    this.sectionEdges = new LineSegments(new BufferGeometry(), lines.clone());
    this.section = new Mesh(new BufferGeometry(), sectionMaterial(this.strip, behindLines));

    const over = { color: theme.accent, depthTest: false, transparent: true };
    this.mark = new LineSegments(pointsGeometry(6), new LineBasicMaterial(over));
    const rod = new CylinderGeometry(0.0018 * size, 0.0018 * size, 1, 6).translate(0, 0.5, 0);
    this.spring = new Mesh(rod, new MeshBasicMaterial(over));
    this.ends = [0, 1].map(() => new Mesh(new SphereGeometry(0.006 * size, 12, 8), new MeshBasicMaterial(over)));
    for (const object of [this.mark, this.spring, ...this.ends]) {
      object.visible = false;
      object.renderOrder = 3;
    }
    for (const object of [this.edges, this.section, this.sectionEdges, this.mark, this.spring])
      object.frustumCulled = false;

    this.obstacles = new Obstacles(hello, theme, this.sun, software);
    this.arrows = new Arrows(0.12 * size, theme.contact);
    this.springs = new Springs(size, theme.attachment);
    this.scene.add(
      body,
      this.edges,
      this.section,
      this.sectionEdges,
      this.obstacles.group,
      this.arrows.mesh,
      this.springs.group,
      this.mark,
      this.spring,
      ...this.ends,
    );
  }

  // Into what the renderer is set to; the shadow first, where it has changed.
  draw(renderer: WebGLRenderer, camera: Camera): void {
    this.sun.cast(renderer, this.scene);
    renderer.render(this.scene, camera);
  }

  // Takes a frame in. The painter's field must be the one to be shown.
  show(frame: Frame): void {
    const positions = findSection(frame, "positions");
    if (!positions || positions.count !== this.skin.vertexCount) return; // of a mesh that is gone
    this.frame = frame;
    this.x = readSection(frame, positions, this.x);
    if (this.skin.update(this.x)) this.dress();
    for (const name of ["position", "normal"]) this.geometry.attributes[name].needsUpdate = true;
    const contacts = findSection(frame, "contacts"),
      moved = findSection(frame, "obstacles");
    this.contacts = contacts ? readSection(frame, contacts, this.contacts) : new Float32Array(0);
    this.arrows.update(this.contacts);
    const held = findSection(frame, "attachments");
    this.attachments = held ? readSection(frame, held, this.attachments) : new Float32Array(0);
    this.springs.update(this.attachments);
    if (moved) this.obstacles.update((this.obstaclesX = readSection(frame, moved, this.obstaclesX)));
    this.sun.stale = true;
  }

  // Hands the skin's arrays to three.js.
  private dress(): void {
    const { skin, geometry } = this;
    geometry.setAttribute("position", dynamic(skin.positions, 3));
    geometry.setAttribute("normal", dynamic(skin.normals, 3));
    geometry.setAttribute("place", dynamic(skin.place, 1));
    geometry.setIndex(new BufferAttribute(skin.index, 1));
    this.edges.geometry.setAttribute("position", geometry.attributes.position);
    this.edges.geometry.setIndex(new BufferAttribute(skin.edges, 1));
  }

  // Reads the painter's field from the newest frame; magnitudes of vectors. null where the frame has none.
  readValues(): Float32Array | null {
    const section = this.frame && findSection(this.frame, this.painter.field.name);
    if (!this.frame || !section) return (this.values = null);
    this.valuesPlace = section.place;
    this.raw = readSection(this.frame, section, this.raw);
    this.values = section.components === 1 ? this.raw : magnitudes(this.raw, section.components, this.values);
    return this.values;
  }

  // The value under a triangle (with a place on it) or of an element of the section.
  valueAt(picked: Picked): number | null {
    if (!this.values) return null;
    if (this.valuesPlace === "element") return this.values[picked.element] ?? null;
    if (!picked.hit) return null;
    const { triangle, bary } = picked.hit;
    if (this.valuesPlace === "triangle") return this.values[triangle] ?? null;
    return bary.reduce((sum, w, k) => sum + w * this.values![this.skin.triangles[3 * triangle + k]], 0);
  }

  paint(): void {
    const { painter, skin, values, elementOfTriangle } = this;
    const filter = painter.smooth ? LinearFilter : NearestFilter;
    if (this.strip.minFilter !== filter) this.strip.minFilter = this.strip.magFilter = filter;
    this.strip.needsUpdate = true;
    if (!values) skin.place.fill(painter.nothing);
    else if (this.valuesPlace === "vertex") skin.colourVertices(painter.placer(0), values);
    else {
      const perElement = this.valuesPlace === "element";
      for (const [i, body] of this.hello.bodies.entries()) {
        const place = painter.placer(i);
        for (let t = body.first_triangle; t < body.first_triangle + body.triangles; t++) {
          skin.colourTriangle(t, place(values[perElement ? elementOfTriangle[t] : t]));
        }
      }
    }
    if (this.geometry.attributes.place) this.geometry.attributes.place.needsUpdate = true;
    setFlat(this.surface, this.valuesPlace !== "vertex");
  }

  // Applies what the user wants to see; after every frame as well, since a section moves with it.
  look(look: Look): void {
    const planes = look.clip ? [look.clip] : null;
    for (const { material } of [this.edges, this.arrows.mesh])
      (material as LineBasicMaterial | MeshBasicMaterial).clippingPlanes = planes;
    for (const material of this.springs.materials) material.clippingPlanes = planes;
    this.sun.setClip(look.clip);
    setClipped(this.surface, look.clip !== null);
    if (this.hello.dim === 2) this.surface.side = DoubleSide;
    this.edges.visible = look.wireframe;
    this.obstacles.setGlass(look.glass);
    this.arrows.mesh.visible = look.contacts;
    this.section.visible = this.sectionEdges.visible = false;
    if (look.clip && this.cut) this.showSection(look.clip, look.wireframe);
  }

  private showSection(plane: Plane, wireframe: boolean): void {
    const cut = this.cut!;
    const { values, painter, valuesPlace } = this;
    const bodies = this.hello.bodies,
      placers = bodies.map((_, i) => painter.placer(i));
    let body = 0; // elements come in order
    cut.update(this.x, plane.normal.toArray(), plane.constant, (element, a, b, t) => {
      if (!values || valuesPlace === "triangle") return painter.nothing;
      if (valuesPlace === "vertex") return placers[0](values[a] + t * (values[b] - values[a]));
      if (element < bodies[body].first_element) body = 0;
      while (element >= bodies[body].first_element + bodies[body].elements) body++;
      return placers[body](values[element]);
    });
    const geometry = this.section.geometry;
    if (geometry.attributes.position?.array !== cut.positions) {
      geometry.dispose();
      geometry.setAttribute("position", dynamic(cut.positions, 3));
      geometry.setAttribute("place", dynamic(cut.place, 1));
    }
    for (const name of ["position", "place"]) geometry.attributes[name].needsUpdate = true;
    geometry.setDrawRange(0, 3 * cut.triangleCount);
    const lines = this.sectionEdges.geometry;
    if (lines.attributes.position?.array !== cut.lines) {
      lines.dispose();
      lines.setAttribute("position", dynamic(cut.lines, 3));
    }
    lines.attributes.position.needsUpdate = true;
    lines.setDrawRange(0, 2 * cut.lineCount);
    this.section.visible = cut.triangleCount > 0;
    this.sectionEdges.visible = wireframe && cut.lineCount > 0;
  }

  pick(ray: Ray, clip: Plane | null): Picked | null {
    const at = new Vector3();
    const kept = clip && ((x: number, y: number, z: number) => clip.distanceToPoint(at.set(x, y, z)) >= 0);
    const hit = pickTriangle(ray, this.x, this.skin.triangles, this.skin.triangles.length / 3, kept);
    const cut = clip && this.cut && this.cut.triangleCount > 0 ? this.cut : null;
    if (cut) {
      const corners = Uint32Array.from({ length: 3 * cut.triangleCount }, (_, i) => i);
      const inside = pickTriangle(ray, cut.positions, corners, cut.triangleCount, null);
      if (inside && (!hit || inside.distance < hit.distance))
        return { point: pointOf(inside, cut.positions, corners), element: cut.elements[inside.triangle], hit: null };
    }
    if (!hit) return null;
    return { point: pointOf(hit, this.x, this.skin.triangles), element: this.elementOfTriangle[hit.triangle], hit };
  }

  // Outlines a triangle; null: none. Returns whether it was another one before.
  markTriangle(triangle: number | null): boolean {
    const changed = this.marked !== triangle;
    this.marked = triangle;
    this.mark.visible = triangle !== null;
    if (triangle === null) return changed;
    const to = this.mark.geometry.attributes.position as BufferAttribute;
    for (let k = 0; k < 6; k++) {
      const v = 3 * this.skin.triangles[3 * triangle + (((k + 1) >> 1) % 3)];
      to.setXYZ(k, this.x[v], this.x[v + 1], this.x[v + 2]);
    }
    to.needsUpdate = true;
    return changed;
  }

  // The spring from a point of the surface to the hand; null: none.
  showSpring(hit: Hit | null, to: Vector3): void {
    for (const object of [this.spring, ...this.ends]) object.visible = hit !== null;
    if (!hit) return;
    const from = new Vector3(...pointOf(hit, this.x, this.skin.triangles)),
      arm = to.clone().sub(from),
      length = arm.length();
    this.spring.position.copy(from);
    this.spring.scale.set(1, Math.max(length, 1e-9), 1);
    if (length > 0) this.spring.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), arm.divideScalar(length));
    this.ends[0].position.copy(from);
    this.ends[1].position.copy(to);
  }

  dispose(): void {
    this.obstacles.dispose();
    this.arrows.dispose();
    this.springs.dispose();
    this.strip.dispose();
    this.sun.dispose();
    this.scene.traverse((object) => {
      if (!(object instanceof Mesh || object instanceof LineSegments)) return;
      (object.geometry as BufferGeometry).dispose();
      (object.material as MeshBasicMaterial).dispose();
    });
  }
}

function pointsGeometry(count: number): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", dynamic(new Float32Array(3 * count), 3));
  return geometry;
}
