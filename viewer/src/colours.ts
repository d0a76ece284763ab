// SPDX-License-Identifier: Apache-2.0
// From a field's value to a colour, and the legend's ticks.
//
// A field is shown through a strip of texels: the page turns values into texture coordinates, the graphics card looks
// the colour up after interpolation. Numbers use a strip from ice to embers (the one of `thaw render`); categories
// and numbered parts use one texel each. Nothing here knows a field by name: place, categories, unit and
// scale come with the stream.

export type Rgb = [number, number, number]; // sRGB, 0..255

const ICE_TO_EMBERS: Rgb[] = [
  [62, 101, 156],
  [82, 147, 190],
  [146, 200, 214],
  [233, 234, 222],
  [246, 190, 112],
  [232, 118, 76],
  [178, 42, 66],
];

// What is elastic keeps one warm colour; rigid parts take cool ones around it. As in `thaw render` (app/colour.c).
export const ELASTIC: Rgb = [232, 118, 76];
// For streams that bring no colours of their own.
const CATEGORIES: Rgb[] = [
  ELASTIC,
  [80, 145, 192],
  [112, 100, 168],
  [112, 178, 126],
  [222, 168, 60],
  [150, 190, 214],
  [206, 90, 84],
  [214, 130, 178],
  [74, 158, 160],
  [168, 108, 84],
];
const NONE: Rgb = [158, 164, 173];

const toLinear = (c: number): number => (c <= 10.31 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
const toSrgb = (c: number): number =>
  255 * Math.min(1, Math.max(0, c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));

// t in 0..1; mixed in linear light, as the pictures are.
export function sequential(t: number): Rgb {
  const last = ICE_TO_EMBERS.length - 1;
  const at = t > 0 ? Math.min(t * last, last) : 0; // also for what is not a number
  const i = Math.min(Math.floor(at), last - 1);
  const mix = (k: number): number =>
    toSrgb((1 - at + i) * toLinear(ICE_TO_EMBERS[i][k]) + (at - i) * toLinear(ICE_TO_EMBERS[i + 1][k]));
  return [mix(0), mix(1), mix(2)];
}

// Oklab (B. Ottosson 2020) keeps lightness the same around the hue circle.
function oklch(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos(hue),
    b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    toSrgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    toSrgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    toSrgb(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

// Rigid part n. Steps of the golden section leave the largest gaps between any few neighbours; the arc of warm hues
// (15 to 135 degrees) is left to what is elastic. Lightness alternates, so that parts differ in grey as well.
export function partColour(n: number): Rgb {
  const turn = (0.28 + n * 0.6180339887) % 1;
  const hue = ((135 + 240 * turn) * Math.PI) / 180;
  return oklch([0.66, 0.74, 0.58][n % 3], 0.115, hue);
}

export function categoryColour(n: number, name: string): Rgb {
  return name === "none" ? NONE : CATEGORIES[((n % CATEGORIES.length) + CATEGORIES.length) % CATEGORIES.length];
}

export const css = (c: Rgb): string => `rgb(${c.map(Math.round).join(" ")})`;

export function strip(length: number, colour: (i: number) => Rgb, into: Uint8Array): void {
  for (let i = 0; i < length; i++) {
    const c = colour(i);
    for (let k = 0; k < 3; k++) into[4 * i + k] = Math.round(c[k]);
    into[4 * i + 3] = 255;
  }
}

// A scale maps values to 0..1. On a logarithmic one everything below `low` is `low`.
export interface Scale {
  low: number;
  high: number;
  logarithmic: boolean;
}

export function scaled(scale: Scale, value: number): number {
  const { low, high } = scale;
  if (!(high > low)) return 0;
  const t = scale.logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return t > 0 ? Math.min(t, 1) : 0; // also for what is not a number
}

export function unscaled(scale: Scale, t: number): number {
  const { low, high } = scale;
  return scale.logarithmic ? low * (high / low) ** t : low + t * (high - low);
}

// Round values to write beside the strip: 1, 2 or 5 times a power of ten, or the powers alone.
export function ticks(scale: Scale, wanted: number): number[] {
  const { low, high } = scale;
  if (!(high > low)) return [low];
  if (scale.logarithmic) {
    const first = Math.ceil(Math.log10(low) - 1e-9),
      last = Math.floor(Math.log10(high) + 1e-9);
    const every = Math.max(1, Math.ceil((last - first) / wanted));
    const out: number[] = [];
    for (let e = first; e <= last; e += every) out.push(10 ** e);
    return out.length > 1 ? out : [low, high];
  }
  const raw = (high - low) / wanted,
    power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw * 0.999) ?? 10);
  const out: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); i++) out.push(i * step);
  return out;
}

// As `thaw render` does: the highest two percent of the values above zero are left out, of many frames no more than 12 percent
// of one. To within an eighth of the power of two below: the upper 12 bits of a number count bins of that width.
export function warmest(values: Iterable<Float32Array | null>, most: number): number {
  const INFINITE = 0x7f8,
    count = new Uint32Array(INFINITE);
  let all = 0,
    frames = 0;
  for (const array of values) {
    frames++;
    if (!array) continue;
    for (const bits of new Uint32Array(array.buffer, array.byteOffset, array.length))
      if (bits > 0 && bits >>> 20 < INFINITE) {
        count[bits >>> 20]++;
        all++;
      }
  }
  const kept = (1 - Math.min(0.02, 0.12 / frames)) * all;
  for (let i = 0, below = 0; i < INFINITE; i++)
    if ((below += count[i]) >= kept) return Math.min(most, new Float32Array(Uint32Array.of((i + 1) << 20).buffer)[0]);
  return most;
}
