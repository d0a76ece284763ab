// SPDX-License-Identifier: Apache-2.0
// The choice of a field's colours: the strip that surfaces are painted with, and the scale behind it.
//
// The scale of numbers follows the data calmly: it widens at once, and shrinks only when the data have become much
// smaller, so that colours do not flicker from frame to frame. It leaves out the highest two percent, as `thaw render`
// does: a few elements at a clamped corner would take all colours. The legend says so.
import {
  categoryColour,
  css,
  ELASTIC,
  partColour,
  scaled,
  sequential,
  strip,
  ticks,
  warmest,
  type Rgb,
  type Scale,
} from "./colours";
import type { Field } from "./protocol";

export const TEXELS = 512;

const PLAIN: Field = {
  name: "",
  label: "plain",
  unit: "",
  place: "vertex",
  components: 1,
  categories: ["surface"],
  logarithmic: false,
};

export class Painter {
  readonly texels = new Uint8Array(4 * TEXELS);
  field: Field = PLAIN;
  scale: Scale = { low: 0, high: 1, logarithmic: false };
  logarithmic = false; // asked for by the user
  cut = false; // values have been beyond the end of the scale
  private smallSince = 0;

  constructor() {
    this.choose(PLAIN);
  }

  get smooth(): boolean {
    return this.field.categories === null;
  }

  get nothing(): number {
    return this.texel(0);
  }

  choose(field: Field): void {
    const another = field.name !== this.field.name;
    this.field = field;
    if (another) this.logarithmic = field.logarithmic;
    this.cut = false;
    this.scale = { low: 0, high: 0, logarithmic: this.logarithmic };
    strip(TEXELS, (i) => this.colourOfTexel(i), this.texels);
  }

  setLogarithmic(on: boolean): void {
    this.logarithmic = on;
    this.scale = { low: 0, high: 0, logarithmic: on };
  }

  private colourOfTexel(i: number): Rgb {
    const { categories } = this.field;
    if (categories === null) return sequential(i / (TEXELS - 1));
    if (categories === true) return i === 0 ? ELASTIC : partColour(i - 1);
    return this.field.colours?.[i] ?? categoryColour(i, categories[i] ?? "");
  }

  private texel(i: number): number {
    return (i + 0.5) / TEXELS;
  }

  // Widens or shrinks the scale for the values of a new frame. Returns whether it changed.
  adapt(values: (Float32Array | null)[]): boolean {
    if (!this.smooth) return false;
    let low = Infinity,
      high = -Infinity,
      least = Infinity; // least above zero
    for (const array of values)
      for (const v of array ?? []) {
        if (v < low) low = v;
        if (v > high && v < Infinity) high = v;
        if (v > 0 && v < least) least = v;
      }
    if (this.field.range) [low, high] = this.field.range;
    if (this.field.range && low > 0) least = low;
    if (!(high >= low)) return false;
    const old = { ...this.scale, cut: this.cut };
    const most = low < 0 ? high : this.field.range ? (this.field.warmest?.() ?? high) : warmest(values, high);
    this.scale = this.logarithmic ? this.logScale(high, least) : this.linearScale(low, most);
    this.cut = high > this.scale.high * (1 + 1e-6) || (this.cut && this.scale.high === old.high);
    return this.scale.low !== old.low || this.scale.high !== old.high || this.cut !== old.cut;
  }

  private linearScale(low: number, high: number): Scale {
    const now = this.scale,
      from = low < 0 ? Math.min(low, now.low) : 0;
    const shrink = high < 0.35 * now.high && ++this.smallSince > 60;
    if (high > now.high || shrink) {
      this.smallSince = 0;
      return { low: from, high: niceAbove(high), logarithmic: false };
    }
    if (high >= 0.35 * now.high) this.smallSince = 0;
    return { low: from, high: now.high || 1, logarithmic: false };
  }

  // At most eight powers of ten below the largest value.
  private logScale(high: number, least: number): Scale {
    const top = high > 0 ? 10 ** Math.ceil(Math.log10(high) - 1e-9) : 1;
    const most = Math.max(top, this.scale.high);
    const bottom = Number.isFinite(least) ? 10 ** Math.floor(Math.log10(least)) : most / 1e4;
    const low = Math.max(most / 1e8, Math.min(bottom, most / 10, this.scale.low || Infinity));
    return { low, high: most, logarithmic: true };
  }

  // From values of a body to places on the strip.
  placer(body: number): (value: number) => number {
    const { categories } = this.field;
    if (categories === null) {
      const { scale } = this;
      return (v) => (0.5 + scaled(scale, v) * (TEXELS - 1)) / TEXELS;
    }
    // Parts are counted in each body; neighbours shall not share a colour because both are number 0.
    if (categories === true) return (v) => this.texel(v < 0 ? 0 : 1 + ((v + 37 * body) % (TEXELS - 1)));
    return (v) => this.texel(Math.max(0, Math.min(v, categories.length - 1)));
  }

  legend():
    | { kind: "strip"; gradient: string; ticks: { at: number; value: number; more: boolean }[] }
    | { kind: "swatches"; rows: [string, string][] } {
    const { categories } = this.field;
    if (categories === null) {
      const stops = Array.from({ length: 13 }, (_, i) => css(sequential(i / 12)));
      const long = !this.scale.logarithmic && (this.scale.high >= 1e4 || this.scale.high < 1e-2); // numbers need room
      const marks = ticks(this.scale, long ? 2 : 4).map((value) => ({
        at: scaled(this.scale, value),
        value,
        more: false,
      }));
      const end = { at: 1, value: this.scale.high, more: true }; // where more follows
      const shown = this.cut ? [...marks.filter((m) => m.at < 0.7), end] : marks;
      return { kind: "strip", gradient: `linear-gradient(90deg, ${stops.join(", ")})`, ticks: shown };
    }
    if (categories === true) {
      const parts = `linear-gradient(90deg, ${[0, 1, 2, 3].map((i) => `${css(partColour(i))} ${25 * i}% ${25 * i + 25}%`).join(", ")})`;
      return {
        kind: "swatches",
        rows: [
          [`no ${this.field.label}`, css(ELASTIC)],
          [`${this.field.label}, each its own`, parts],
        ],
      };
    }
    return {
      kind: "swatches",
      rows: categories.map((name, i) => [name, css(this.field.colours?.[i] ?? categoryColour(i, name))]),
    };
  }
}

function niceAbove(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 1.5, 2, 3, 5, 7, 10].find((m) => m * power >= value) ?? 10);
}
