// SPDX-License-Identifier: Apache-2.0
// The settings beside the picture. Everything in it comes from the stream's header: fields, methods, thresholds,
// shapes and statistics that a later method adds appear without a change here.
import { make, pairs, press } from "./dom";
import { number, raised } from "./format";
import type { Field, Hello, Report, Settings, Stats, Threshold } from "./protocol";

export interface Clip {
  on: boolean;
  axis: number; // 0, 1, 2
  part: number; // 0..1 of the box
  flip: boolean;
}

export interface Actions {
  field(name: string): void;
  logarithmic(on: boolean): void;
  wireframe(on: boolean): void;
  contacts(on: boolean): void;
  glass(on: boolean): void;
  clip(clip: Clip): void;
  method(name: string): void;
  threshold(method: string, name: string, value: number): void;
  drop(shape: string): void;
}

const FIRST = 3; // thresholds that are always in sight; streams name the most useful ones first

const LABELS: Record<string, string> = {
  dofs: "degrees of freedom",
  elements: "elements",
  elastic_elements: "elastic elements",
  rigid_parts: "rigid parts",
  contacts: "contacts",
  cpu_ms: "CPU time of a step, ms",
  wall_ms: "time of a step, ms",
  kinetic: "kinetic energy, J",
  elastic: "elastic energy, J",
  gravitational: "gravitational energy, J",
  speedup: "speedup",
  error: "error",
};

export class Panel {
  private field: HTMLSelectElement | null = null;
  private log: HTMLInputElement | null = null;
  private logRow: HTMLElement | null = null;
  private methods: HTMLButtonElement[] = [];
  private thresholds = new Map<string, (value: number) => void>();
  private numbers: HTMLElement | null = null;
  readonly wireframe = check("Wireframe", "w", (on) => this.actions.wireframe(on));
  readonly contacts = check("Contact forces", "a", (on) => this.actions.contacts(on));
  readonly glass = check("See through obstacles", "o", (on) => this.actions.glass(on));
  readonly clip = check("Cut open", "x", (on) => this.setClip({ on }));
  private cut: Clip = { on: false, axis: 1, part: 0.5, flip: false };
  private cutControls: HTMLElement | null = null;
  private offered = "";

  constructor(
    private readonly root: HTMLElement,
    private readonly actions: Actions,
  ) {}

  // Rebuilt only when something else is offered: whoever uses a control keeps it while bodies come and go.
  open(hello: Hello): void {
    const { dim, fields, live, methods, obstacles, report, shapes, settings } = hello;
    const names = settings.thresholds.map(keyOf);
    const offered = JSON.stringify([dim, fields, live, methods, obstacles.length > 0, report, shapes, names]);
    if (offered !== this.offered) this.build(hello);
    this.offered = offered;
    this.settings(settings);
  }

  private build(hello: Hello): void {
    this.thresholds.clear();
    const parts = [
      hello.report ? group(hello.report.title, reportTable(hello.report)) : null,
      this.colours(hello.fields),
      this.look(hello),
      hello.live && hello.methods.length > 0 ? this.method(hello) : null,
      hello.live && hello.shapes.length > 0 ? this.drops(hello.shapes) : null,
      group("Numbers", (this.numbers = make("div", { id: "numbers" }))),
    ];
    this.root.classList.toggle("wide", hello.report !== null);
    this.root.replaceChildren(...parts.filter((p) => p !== null));
  }

  settings(settings: Settings): void {
    if (this.field) this.field.value = settings.field;
    for (const button of this.methods) press(button, button.value === settings.method);
    for (const t of settings.thresholds) this.thresholds.get(keyOf(t))?.(t.value);
  }

  // Shows or hides what depends on the kind of field.
  showScale(numeric: boolean, logarithmic: boolean): void {
    if (this.logRow) this.logRow.hidden = !numeric;
    if (this.log) this.log.checked = logarithmic;
  }

  stats(views: { name: string; stats: Stats }[]): void {
    const some = views.some(({ stats }) => Object.values(stats).some((value) => value !== null));
    if (this.numbers) this.numbers.parentElement!.hidden = !some;
    this.numbers?.replaceChildren(
      ...views.map(({ name, stats }) => {
        const rows = Object.entries(stats)
          .filter((row): row is [string, number] => row[1] !== null)
          .map(([key, value]): [string, string] => [LABELS[key] ?? key.replaceAll("_", " "), number(value)]);
        const list = pairs(rows);
        if (views.length > 1) list.prepend(make("b", {}, name));
        return list;
      }),
    );
  }

  private colours(fields: Field[]): HTMLElement {
    this.field = make(
      "select",
      { ariaLabel: "Colour by" },
      ...fields.map((f) => make("option", { value: f.name }, f.label)),
    );
    this.field.onchange = () => this.actions.field(this.field!.value);
    const log = check("Logarithmic scale", "l", (on) => this.actions.logarithmic(on));
    [this.log, this.logRow] = [log.box, log.label];
    return group("Colour by", this.field, log.label);
  }

  private method(hello: Hello): HTMLElement {
    this.methods = hello.methods.map((name) => {
      const button = make("button", { value: name, type: "button" }, name);
      button.onclick = () => this.actions.method(name);
      return button;
    });
    const segments = make("div", { className: "segments", role: "group", ariaLabel: "Method" }, ...this.methods);
    const listed = hello.settings.thresholds;
    const several = listed.some((t) => t.method !== listed[0].method);
    const rows = listed.map((t) => this.threshold(t, several));
    const more = make(
      "details",
      { hidden: rows.length <= FIRST },
      make("summary", {}, "More thresholds"),
      ...rows.slice(FIRST),
    );
    return group("Method", segments, ...rows.slice(0, FIRST), more);
  }

  // named: bodies are moved by several methods, so the label says whose it is.
  private threshold(t: Threshold, named: boolean): HTMLElement {
    const id = `threshold-${t.name}${named ? `-${t.method}` : ""}`;
    const label = make(
      "label",
      { htmlFor: id, title: t.help },
      named ? `${t.method}: ${t.label}` : t.label,
      t.unit ? make("span", {}, ` (${raised(t.unit)})`) : null,
    );
    const log = t.logarithmic && t.low > 0;
    const place = (value: number): number =>
      log ? Math.log(value / t.low) / Math.log(t.high / t.low) : (value - t.low) / (t.high - t.low);
    const value = (part: number): number => {
      const raw = log ? t.low * (t.high / t.low) ** part : t.low + part * (t.high - t.low);
      return t.whole ? Math.round(raw) : Number(raw.toPrecision(3));
    };
    const slider = make("input", { type: "range", min: "0", max: "1", step: "any", ariaLabel: t.label, title: t.help });
    const box = make("input", {
      type: "number",
      id,
      min: String(t.low),
      max: String(t.high),
      step: t.whole ? "1" : "any",
    });
    const show = (v: number): void => {
      if (document.activeElement !== slider) slider.value = String(place(v));
      if (document.activeElement !== box) box.value = plain(v);
    };
    slider.oninput = () => {
      const v = value(Number(slider.value));
      box.value = plain(v);
      this.actions.threshold(t.method, t.name, v);
    };
    box.onchange = () => {
      const v = Math.min(t.high, Math.max(t.low, Number(box.value)));
      if (box.value === "" || !Number.isFinite(v)) return;
      slider.value = String(place(v));
      this.actions.threshold(t.method, t.name, v);
    };
    this.thresholds.set(keyOf(t), show);
    return make("div", { className: "threshold" }, label, make("div", { className: "row" }, slider, box));
  }

  private look({ dim, obstacles }: Hello): HTMLElement {
    const axis = make(
      "select",
      { ariaLabel: "Across" },
      ...["x", "y", "z"].map((name, i) => make("option", { value: String(i) }, `across ${name}`)),
    );
    axis.value = String(this.cut.axis);
    axis.onchange = () => this.setClip({ axis: Number(axis.value) });
    const flip = make("button", { type: "button", title: "The other half" }, "Flip");
    flip.onclick = () => this.setClip({ flip: !this.cut.flip });
    const where = make("input", {
      type: "range",
      min: "0",
      max: "1",
      step: "0.002",
      value: String(this.cut.part),
      ariaLabel: "Where to cut",
    });
    where.oninput = () => this.setClip({ part: Number(where.value) });
    this.cutControls = make(
      "div",
      { hidden: !this.cut.on },
      make("div", { className: "row" }, axis, flip),
      make("div", { className: "row" }, where),
    );
    return group(
      "Look",
      this.wireframe.label,
      this.contacts.label,
      ...(obstacles.length > 0 ? [this.glass.label] : []),
      ...(dim === 3 ? [this.clip.label, this.cutControls] : []),
    );
  }

  private setClip(change: Partial<Clip>): void {
    this.cut = { ...this.cut, ...change };
    if (this.cutControls) this.cutControls.hidden = !this.cut.on;
    this.actions.clip(this.cut);
  }

  private drops(shapes: string[]): HTMLElement {
    const shape = make(
      "select",
      { ariaLabel: "Shape" },
      ...shapes.map((name) => make("option", { value: name }, name)),
    );
    const button = make("button", { type: "button", id: "drop" }, "Drop");
    button.onclick = () => this.actions.drop(shape.value);
    return group("Drop a body", make("div", { className: "row" }, shape, button));
  }
}

// Methods may have options of the same name.
function keyOf(t: Threshold): string {
  return `${t.method}.${t.name}`;
}

function group(title: string, ...children: HTMLElement[]): HTMLElement {
  return make("fieldset", {}, make("legend", {}, title), ...children);
}

// What a comparison found; a row with one value spans the columns, and a note the whole line below.
function reportTable({ columns, rows }: Report): HTMLElement {
  const body = rows.flatMap(({ label, values, note }) => {
    const cells = values.map((value) => make("td", { colSpan: values.length === 1 ? columns.length : 1 }, value));
    const row = make("tr", {}, make("th", { scope: "row" }, label), ...cells);
    const below = make("td", { colSpan: 1 + columns.length }, note ?? "");
    return note ? [row, make("tr", { className: "note" }, below)] : [row];
  });
  const head = make("tr", {}, make("td"), ...columns.map((c) => make("th", { scope: "col" }, c)));
  return make("table", { id: "report" }, make("thead", {}, head), make("tbody", {}, ...body));
}

export interface Check {
  label: HTMLLabelElement;
  box: HTMLInputElement;
}

function check(text: string, key: string, changed: (on: boolean) => void): Check {
  const box = make("input", { type: "checkbox" });
  box.onchange = () => changed(box.checked);
  return { label: make("label", { className: "check" }, box, text, make("kbd", {}, key)), box };
}

// For boxes that are typed into: no thin spaces, no superscripts.
function plain(value: number): string {
  return value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)
    ? value.toExponential(3).replace(/\.?0+e/, "e")
    : String(value);
}
