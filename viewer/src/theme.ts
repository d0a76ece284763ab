// SPDX-License-Identifier: Apache-2.0
// Colours of what three.js draws. Those of the page itself are in style.css; both follow the system's choice of dark or
// light.

export interface Theme {
  obstacle: string;
  floor: string;
  grid: string;
  shadow: number; // opacity
  edge: string; // wireframe
  edgeOpacity: number;
  accent: string; // springs, marks
  contact: string;
  attachment: string;
  sky: string;
  ground: string;
  skyLight: number;
  keyLight: number;
}

const LIGHT: Theme = {
  obstacle: "#b9bec6",
  floor: "#eceef0",
  grid: "#cfd4da",
  shadow: 0.26,
  edge: "#1c2733",
  edgeOpacity: 0.34,
  accent: "#0b63c5",
  contact: "#b3261e",
  attachment: "#b0298b",
  sky: "#ffffff",
  ground: "#b8b2a8",
  skyLight: 1.75,
  keyLight: 1.9,
};

const DARK: Theme = {
  obstacle: "#59616d",
  floor: "#2b3038",
  grid: "#424a55",
  shadow: 0.5,
  edge: "#05080c",
  edgeOpacity: 0.5,
  accent: "#7cc0ff",
  contact: "#ff8a80",
  attachment: "#f49ad9",
  sky: "#dfe9f5",
  ground: "#6a655e",
  skyLight: 1.6,
  keyLight: 1.75,
};

const preference = matchMedia("(prefers-color-scheme: dark)");

export const theme = (): Theme => (preference.matches ? DARK : LIGHT);

export function onThemeChange(listener: () => void): void {
  preference.addEventListener("change", listener);
}
