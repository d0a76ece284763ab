// SPDX-License-Identifier: Apache-2.0
// The page as a whole: it takes a stream's messages in, keeps what is shown in step with them, and turns what the user does
// into messages. The pieces know nothing of each other; they meet here.
//
// Two paces: pictures are drawn when something changed, and texts (labels, numbers, plots) at most ten times a second.
import { Box3, Plane, Vector3 } from "three";
import { byId, make, press } from "./dom";
import { bytes, number, seconds, withUnit } from "./format";
import { Hand, type Over } from "./hand";
import { Meter } from "./meter";
import { facingPlane } from "./obstacles";
import { answerRows, showCard, showLabels, showLegend, showMessage } from "./overlays";
import { Outbox } from "./outbox";
import { Painter } from "./painter";
import { Panel, type Clip } from "./panel";
import { Plots } from "./plots";
import { VERSION, type ElementAnswer, type Field, type Hello, type Settings, type ToServer } from "./protocol";
import type { Sink, Source } from "./source";
import { Stage } from "./stage";
import { f32OfBase64, findSection, readSection, type Frame, u32OfBase64 } from "./stream";
import { onThemeChange, theme } from "./theme";
import { LiveTransport, ReplayTransport, type Transport } from "./transport";
import { ViewScene, type Look } from "./viewscene";

const TEXT_MS = 100;
const ASK_MS = 400; // between questions about the element under the mouse

export class App implements Sink {
  readonly stage = new Stage(byId<HTMLCanvasElement>("canvas"), byId("legend"));
  readonly painter = new Painter();
  readonly plots = new Plots(byId("plots"));
  private readonly outbox = new Outbox((message) => this.source?.send(message));
  readonly hand: Hand;
  readonly panel: Panel;
  header: Hello | null = null;
  transport: Transport | null = null;
  source: Source | null = null;
  look: Look = { wireframe: false, contacts: false, glass: false, clip: null };
  private clip: Clip = { on: false, axis: 1, part: 0.5, flip: false };
  private pending: Frame[] = []; // by view: the newest that is not yet drawn
  private unacknowledged: Frame[] = [];
  private lookChanged = true;
  private over: Over | null = null;
  private asked = { view: -1, element: -1, at: 0 };
  private answer: ElementAnswer | null = null;
  private textTimer = 0;
  private textShown = -Infinity; // ms
  readonly meter = new Meter();

  constructor() {
    this.panel = new Panel(byId("panel"), {
      field: (name) => this.chooseField(name),
      logarithmic: (on) => this.setLogarithmic(on),
      wireframe: (on) => this.setLook({ wireframe: on }),
      contacts: (on) => this.setLook({ contacts: on }),
      glass: (on) => this.setLook({ glass: on }),
      clip: (clip) => this.setClip(clip),
      method: (name) => this.send({ type: "method", name }),
      threshold: (method, name, value) => this.send({ type: "settings", method, values: { [name]: value } }),
      drop: (shape) => this.drop(shape),
    });
    this.hand = new Hand(this.stage, byId("stage"), {
      canPull: () => this.header?.live === true,
      clip: () => this.look.clip,
      over: (over) => this.hover(over),
      pull: (view, hit, to) => {
        byId("hint").hidden = true;
        this.send({ type: "drag", view, triangle: hit.triangle, bary: hit.bary, to: to.toArray() });
        this.stage.redraw();
      },
      release: () => {
        this.send({ type: "release" });
        this.stage.redraw();
      },
    });
    this.stage.beforeDraw = () => this.beforeDraw();
    this.stage.afterDraw = () => this.afterDraw();
    this.plots.onSeek = (time) => {
      const times = this.header?.times ?? [];
      const after = times.findIndex((t) => t >= time);
      if (times.length > 0) this.transport?.seek(after < 0 ? times.length - 1 : after);
    };
    onThemeChange(() => this.rebuild());
  }

  send(message: ToServer): void {
    this.outbox.post(message);
  }

  // --- from the stream ----------------------------------------------------------------------------------------------------

  hello(hello: Hello): void {
    if (hello.version !== VERSION)
      return this.error(`This page reads streams of version ${VERSION}; this one is of version ${hello.version}.`);
    const before = this.header;
    this.header = hello;
    document.title = `${hello.title || hello.scene} · Thaw`;
    byId("title").textContent = hello.title || hello.scene;
    byId("badge").textContent = hello.live ? "live" : "replay";
    if (!before || before.live !== hello.live) {
      const changed = (): void => this.showTransport();
      const send = (message: ToServer): void => this.send(message);
      this.transport = hello.live ? new LiveTransport(hello, send, changed) : new ReplayTransport(hello, send, changed);
    }
    this.rebuild();
    this.panel.open(hello);
    this.plots.open(hello);
    byId("split").hidden = !hello.live;
    byId("legend").classList.toggle("wide", hello.views.length > 1);
    byId("back").hidden = hello.live;
    const timeline = byId<HTMLInputElement>("timeline");
    timeline.hidden = hello.live;
    timeline.max = String(Math.max(0, hello.times.length - 1));
    if (hello.report && !before) this.togglePlots(true);
    if (!before) byId("hint").hidden = !hello.live;
    this.takeField(hello.settings.field);
    this.stage.ground = floorOf(hello);
    if (!before || before.dim !== hello.dim) this.stage.look(sceneBox(hello), hello.dim);
    this.showTransport();
  }

  // New objects for three.js; frames that were shown are shown again if they fit.
  private rebuild(): void {
    const hello = this.header;
    if (!hello) return;
    const old = this.stage.views;
    this.hand.letGo();
    this.stage.show(hello.views.map(() => new ViewScene(hello, this.painter, theme(), this.stage.software)));
    old.forEach((view, i) => {
      if (view.frame && !this.pending[i] && i < hello.views.length) this.pending[i] = view.frame;
      view.dispose();
    });
    this.pending.length = Math.min(this.pending.length, hello.views.length);
    this.plots.rebuild();
    this.lookChanged = true;
    this.stage.redraw();
  }

  frame(frame: Frame): void {
    const { view } = frame.header;
    if (!this.header || view >= this.header.views.length) return;
    this.plots.add(frame.header);
    const skipped = this.pending[view];
    if (skipped && skipped !== frame) this.unacknowledged.push(skipped);
    this.pending[view] = frame;
    this.meter.frame(frame.size, frame.header.time);
    this.stage.redraw();
  }

  settings(settings: Settings): void {
    if (!this.header) return;
    const split = this.header.views.length > 1;
    this.header.settings = settings;
    this.transport?.settings(settings);
    this.panel.settings(settings);
    press(byId("split"), split);
    if (settings.field !== this.painter.field.name) this.takeField(settings.field);
  }

  element(answer: ElementAnswer): void {
    this.answer = answer;
    this.showHover();
  }

  error(message: string): void {
    showMessage(message);
  }

  closed(reason: string): void {
    byId("badge").textContent = "ended";
    byId("badge").classList.add("bad");
    showMessage(reason);
  }

  // --- drawing ------------------------------------------------------------------------------------------------------------

  private beforeDraw(): void {
    const { views } = this.stage;
    let fresh = false;
    views.forEach((view, i) => {
      const frame = this.pending[i];
      if (!frame) return;
      view.show(frame);
      view.readValues();
      this.unacknowledged.push(frame);
      delete this.pending[i];
      fresh = true;
    });
    if (fresh || this.lookChanged) {
      if (this.painter.adapt(views.map((v) => v.values))) showLegend(this.painter);
      views.forEach((view) => {
        view.paint();
        view.look(this.look);
      });
    }
    this.lookChanged = false;
    const { pulled } = this.hand;
    views.forEach((view, i) => view.showSpring(pulled?.view === i ? pulled.hit : null, pulled?.to ?? new Vector3()));
    this.hand.look();
    if (fresh) this.soon();
  }

  private afterDraw(): void {
    this.meter.picture();
    for (const { header } of this.unacknowledged.splice(0)) {
      this.send({ type: "ack", frame: header.frame, view: header.view });
      this.transport?.shown(header.frame);
    }
  }

  // Texts and plots: now if they have not just been shown, else a little later.
  private soon(): void {
    if (this.textTimer) return;
    const wait = this.textShown + TEXT_MS - performance.now();
    if (wait <= 0) return this.showTexts();
    this.textTimer = window.setTimeout(() => {
      this.textTimer = 0;
      this.showTexts();
    }, wait);
  }

  private showTexts(): void {
    const { header: hello, stage } = this;
    if (!hello) return;
    if (stage.views.some((view) => view.frame)) this.textShown = performance.now();
    const shown = hello.views.map(({ name }, i) => ({
      name,
      stats: stage.views[i]?.frame?.header.stats ?? {},
      ...stage.viewport(i),
    }));
    showLabels(shown);
    this.panel.stats(shown);
    const header = stage.views.at(-1)?.frame?.header;
    byId("clock").textContent = header ? `${seconds(header.time)} · step ${number(header.step)}` : "";
    this.showPace();
    this.plots.draw(header?.time ?? null);
  }

  // What the stream and the page manage; of a program that is paused, nothing.
  private showPace(): void {
    const pace = this.header?.live && this.transport?.playing ? this.meter.pace : null;
    const parts = pace
      ? [
          `${number(pace.simulated, 2)} s simulated a second`,
          `${bytes(pace.bytes)} a frame`,
          `${Math.round(pace.pictures)} pictures a second`,
        ]
      : [];
    byId("pace").replaceChildren(...parts.map((part) => make("span", {}, part)));
  }

  showTransport(): void {
    const { transport } = this;
    if (!transport || !this.header) return;
    const play = byId("play");
    press(play, transport.playing);
    play.setAttribute("aria-label", transport.playing ? "Pause" : "Play");
    if (document.activeElement !== byId("speed")) showSpeed(transport.speed);
    byId<HTMLInputElement>("timeline").value = String(transport.frame);
    press(byId("split"), this.header.views.length > 1);
    this.soon();
  }

  // --- colours and looks ----------------------------------------------------------------------------------------------------

  chooseField(name: string): void {
    this.send({ type: "field", name });
    this.takeField(name);
  }

  nextField(by: number): void {
    const fields = this.header?.fields ?? [];
    const at = fields.findIndex((f) => f.name === this.painter.field.name);
    if (fields.length > 0) this.chooseField(fields[(at + by + fields.length) % fields.length].name);
  }

  private takeField(name: string): void {
    const field = this.header?.fields.find((f) => f.name === name) ?? this.header?.fields[0];
    if (!field || !this.header) return;
    this.header.settings.field = field.name;
    this.painter.choose(field);
    this.panel.settings(this.header.settings);
    this.panel.showScale(this.painter.smooth, this.painter.logarithmic);
    this.stage.views.forEach((view) => view.readValues());
    showLegend(this.painter);
    this.repaint();
  }

  setLogarithmic(on: boolean): void {
    this.painter.setLogarithmic(on);
    this.panel.showScale(this.painter.smooth, on);
    this.repaint();
  }

  private repaint(): void {
    this.lookChanged = true;
    this.stage.redraw();
  }

  setLook(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
    this.panel.wireframe.box.checked = this.look.wireframe;
    this.panel.contacts.box.checked = this.look.contacts;
    this.repaint();
  }

  // Cutting open needs the inside, which is sent only while it is asked for.
  setClip(clip: Clip): void {
    const hello = this.header;
    if (!hello) return;
    if (clip.on !== this.clip.on && hello.dim === 3) this.send({ type: "interior", on: clip.on });
    this.clip = clip;
    const box = this.bodiesBox(),
      low = box.min.getComponent(clip.axis),
      at = low + clip.part * (box.max.getComponent(clip.axis) - low);
    const normal = new Vector3().setComponent(clip.axis, clip.flip ? -1 : 1);
    this.setLook({ clip: clip.on && !box.isEmpty() ? new Plane(normal, clip.flip ? at : -at) : null });
  }

  togglePlots(on = byId("plots").hidden): void {
    byId("plots").hidden = !on;
    press(byId("plots-open"), on);
    if (on) this.plots.rebuild();
    this.soon();
  }

  // All bodies of all views, as they are now.
  private bodiesBox(): Box3 {
    const box = new Box3();
    for (const { x, frame } of this.stage.views) if (frame) box.union(new Box3().setFromArray(x));
    return box;
  }

  // Everything that is there, from the present direction.
  fitBodies(): void {
    const box = this.bodiesBox();
    if (!box.isEmpty()) this.stage.fit(box);
  }

  // Above everything, in the middle of what is looked at.
  private drop(shape: string): void {
    const { header: hello, stage } = this;
    if (!hello) return;
    const up = hello.dim === 3 ? 2 : 1,
      position = stage.controls.target.toArray(),
      box = this.bodiesBox().union(sceneBox(hello));
    const diameter =
      hello.bodies.find((b) => b.name === shape)?.diameter ?? Math.max(...hello.bodies.map((b) => b.diameter));
    position[up] = box.max.getComponent(up) + 0.75 * diameter;
    if (hello.dim === 2) position[2] = 0;
    this.send({ type: "drop", shape, position });
  }

  // --- the element under the mouse --------------------------------------------------------------------------------------------

  private hover(over: Over | null): boolean {
    this.over = over;
    const changed = this.stage.views.map((view, i) =>
      view.markTriangle(over?.view === i ? (over.picked.hit?.triangle ?? null) : null),
    );
    this.showHover();
    if (over && this.source?.answers) this.ask(over);
    return changed.includes(true);
  }

  // What the program knows about the element; again from time to time, since it changes.
  private ask({ view, picked: { element } }: Over): void {
    const now = performance.now();
    const same = this.asked.view === view && this.asked.element === element;
    if (same && now - this.asked.at < ASK_MS) return;
    this.asked = { view, element, at: now };
    this.send({ type: "pick", view, element });
  }

  private showHover(): void {
    const { over, header: hello } = this;
    const view = over && this.stage.views[over.view];
    if (!over || !hello || !view) return showCard(null);
    const { element } = over.picked;
    const body = hello.bodies.find((b) => element >= b.first_element && element < b.first_element + b.elements);
    const answer = this.answer?.view === over.view && this.answer.element === element ? this.answer : null;
    const rows = this.source?.answers ? this.shownRow(over, view) : this.fileRows(over, view);
    showCard({
      title: `${body?.name ?? "element"} · element ${number(element - (body?.first_element ?? 0))}`,
      rows:
        answer && !answer.text
          ? [...rows, ...answerRows(answer, (n) => hello.fields.find((f) => f.name === n)?.unit ?? "")]
          : rows,
      text: answer?.text ?? "",
      x: over.x,
      y: over.y,
    });
  }

  private shownRow(over: Over, view: ViewScene): [string, string][] {
    const value = view.valueAt(over.picked);
    return value === null ? [] : [[this.painter.field.label, this.say(this.painter.field, value)]];
  }

  // Files hold all fields, and nobody to ask.
  private fileRows(over: Over, view: ViewScene): [string, string][] {
    const { hit, element } = over.picked;
    return (this.header?.fields ?? []).flatMap((field): [string, string][] => {
      const section = view.frame && findSection(view.frame, field.name);
      if (!view.frame || !section || (!hit && section.place !== "element")) return [];
      const all = readSection(view.frame, section),
        n = section.components;
      const at = (i: number): number =>
        Math.hypot(...all.subarray(n * i, n * i + n)) * (n === 1 ? Math.sign(all[i]) || 1 : 1);
      const value =
        section.place === "element"
          ? at(element)
          : section.place === "triangle"
            ? at(hit!.triangle)
            : hit!.bary.reduce((sum, w, k) => sum + w * at(view.skin.triangles[3 * hit!.triangle + k]), 0);
      return [[field.label, this.say(field, value)]];
    });
  }

  private say(field: Field, value: number): string {
    if (Array.isArray(field.categories)) return field.categories[value] ?? "none";
    if (field.categories) return value < 0 ? "none" : number(value);
    return withUnit(value, field.unit);
  }
}

// Another page may have chosen a speed that is not offered here.
function showSpeed(value: number): void {
  const speed = byId<HTMLSelectElement>("speed");
  speed.value = String(value);
  if (speed.selectedIndex >= 0) return;
  speed.append(make("option", { value: String(value) }, `${number(value)} ×`));
  speed.value = String(value);
}

// How high the highest level floor below the middle is; null: there is none.
function floorOf(hello: Hello): number | null {
  const x = f32OfBase64(hello.mesh.obstacle_positions),
    triangles = u32OfBase64(hello.mesh.obstacle_triangles),
    middle = new Vector3().fromArray(hello.box[0]).add(new Vector3().fromArray(hello.box[1])).multiplyScalar(0.5);
  const heights = hello.obstacles
    .filter((o) => hello.dim === 3 && o.kind === "half_space")
    .map((o) =>
      facingPlane(
        x.subarray(3 * o.first_vertex, 3 * (o.first_vertex + o.vertices)),
        triangles.subarray(3 * o.first_triangle, 3 * (o.first_triangle + o.triangles)).map((v) => v - o.first_vertex),
        middle,
      ),
    )
    .filter(({ normal }) => normal.z > 0.95)
    .map(({ foot }) => foot.z);
  return heights.length > 0 ? Math.max(...heights) : null;
}

// The program's box, solid obstacles that are not much larger than it, and the floor that bodies will fall onto.
function sceneBox(hello: Hello): Box3 {
  const box = new Box3(new Vector3().fromArray(hello.box[0]), new Vector3().fromArray(hello.box[1]));
  const size = box.getSize(new Vector3()).length(),
    middle = box.getCenter(new Vector3()),
    x = f32OfBase64(hello.mesh.obstacle_positions),
    triangles = u32OfBase64(hello.mesh.obstacle_triangles);
  for (const o of hello.obstacles) {
    const points = x.subarray(3 * o.first_vertex, 3 * (o.first_vertex + o.vertices)),
      own = new Box3().setFromArray(points);
    if (o.kind !== "half_space") {
      if (own.getSize(new Vector3()).length() < 3 * size) box.union(own);
      continue;
    }
    const corners = triangles.subarray(3 * o.first_triangle, 3 * (o.first_triangle + o.triangles));
    const { normal, foot } = facingPlane(
      points,
      corners.map((v) => v - o.first_vertex),
      middle,
    );
    if (hello.live && hello.dim === 3 && normal.z > 0.5 && foot.distanceTo(middle) < 4 * size) box.expandByPoint(foot);
  }
  return box;
}
