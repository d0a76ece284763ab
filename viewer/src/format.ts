// SPDX-License-Identifier: Apache-2.0
// Numbers for people: four digits, narrow spaces between thousands, powers of ten only where they are needed.

const SUPERSCRIPT: Record<string, string> = {
  "-": "⁻",
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "7": "⁷",
  "8": "⁸",
  "9": "⁹",
};

export function number(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "not a number" : value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text: string;
  if (size >= 1e6 || size < 1e-3) {
    const exponent = Math.floor(Math.log10(size));
    const mantissa = String(Number((value / 10 ** exponent).toPrecision(Math.min(3, digits))));
    const power = "10" + [...String(exponent)].map((c) => SUPERSCRIPT[c]).join("");
    text = mantissa === "1" ? power : `${mantissa} × ${power}`;
  } else if (Number.isInteger(value) || size >= 10 ** digits) {
    text = grouped(Math.round(value));
  } else {
    text = String(Number(value.toPrecision(digits)));
  }
  return text.replace("-", "−");
}

export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

// "1/s^2" with a raised two.
export function raised(unit: string): string {
  return unit.replace(/\^(-?\d+)/g, (_, digits: string) => [...digits].map((c) => SUPERSCRIPT[c]).join(""));
}

export function withUnit(value: number, unit: string): string {
  return unit ? `${number(value)}\u202f${raised(unit)}` : number(value);
}

export function seconds(value: number): string {
  return `${value.toFixed(value < 100 ? 3 : 1)}\u202fs`;
}

export function bytes(value: number): string {
  return value < 1e6 ? `${number(value / 1e3, 2)}\u202fKB` : `${number(value / 1e6, 2)}\u202fMB`;
}
