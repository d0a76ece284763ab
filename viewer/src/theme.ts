// SPDX-License-Identifier: Apache-2.0
// Colours of what three.js draws. Those of the page itself are in style.css; both follow the system's choice of dark or
// light.

export interface Theme {
  obstacle: string;
  floor: string;
  grid: string;
  edge: string; // wireframe
  edgeOpacity: number;
  accent: string; // springs, marks
  contact: string;
  sky: string;
  ground: string;
  skyLight: number;
  keyLight: number;
}

const LIGHT: Theme = {
  obstacle: "#b9bec6", floor: "#e9ebee", grid: "#d3d7dd", edge: "#1c2733", edgeOpacity: 0.34, accent: "#0b63c5",
  contact: "#b3261e", sky: "#ffffff", ground: "#b8b2a8", skyLight: 1.75, keyLight: 1.9,
};

const DARK: Theme = {
  obstacle: "#59616d", floor: "#2b3038", grid: "#3a414b", edge: "#05080c", edgeOpacity: 0.5, accent: "#7cc0ff",
  contact: "#ff8a80", sky: "#dfe9f5", ground: "#4a4641", skyLight: 1.35, keyLight: 1.75,
};

const preference = matchMedia("(prefers-color-scheme: dark)");

export const theme = (): Theme => (preference.matches ? DARK : LIGHT);

export function onThemeChange(listener: () => void): void {
  preference.addEventListener("change", listener);
}
