// SPDX-License-Identifier: Apache-2.0
// The stream between the program and the page, as docs/viewer-protocol.md defines it, version 1.

export const VERSION = 1;

export interface BodyInfo {
  name: string;
  method: string;
  first_vertex: number;
  vertices: number;
  first_triangle: number;
  triangles: number;
  first_element: number;
  elements: number;
  diameter: number;
}

export interface ObstacleInfo {
  name: string;
  kind: string;
  moves: boolean;
  first_vertex: number;
  vertices: number;
  first_triangle: number;
  triangles: number;
}

export interface Field {
  name: string;
  label: string;
  unit: string;
  place: "vertex" | "element";
  components: number;
  categories: string[] | true | null; // names; true: numbered parts, negative is none; null: a magnitude
  colours?: [number, number, number][]; // of named categories
  logarithmic: boolean;
  range?: [number, number]; // over all frames; not in the stream: the page adds it where it holds them all
  warmest?: () => number; // likewise: where the scale of numbers ends
}

export interface Threshold {
  method: string; // whose option it is
  name: string;
  label: string;
  unit: string;
  value: number;
  low: number;
  high: number;
  logarithmic: boolean;
  whole: boolean;
  help: string;
}

export interface Settings {
  playing: boolean;
  speed: number;
  split: boolean;
  interior: boolean;
  method: string;
  field: string;
  thresholds: Threshold[];
}

export interface ViewInfo {
  name: string;
  series?: Record<string, (number | null)[]>;
}

export interface Report {
  title: string;
  columns: string[];
  rows: { label: string; values: string[]; note?: string }[];
}

export interface Hello {
  type: "hello";
  version: number;
  scene: string;
  title: string;
  dim: 2 | 3;
  h: number;
  live: boolean;
  frames: number;
  times: number[];
  views: ViewInfo[];
  bodies: BodyInfo[];
  obstacles: ObstacleInfo[];
  fields: Field[];
  methods: string[];
  settings: Settings;
  shapes: string[];
  box: [number[], number[]];
  interior: boolean;
  mesh: {
    triangles: string;
    element_of_triangle: string;
    tets: string | null;
    obstacle_positions: string;
    obstacle_triangles: string;
  };
  report: Report | null;
}

export interface Section {
  name: string;
  place: "vertex" | "triangle" | "element" | "obstacle" | "contact";
  type: "u8" | "u16" | "f32";
  components: number;
  count: number;
  offset: number;
  low?: number[];
  high?: number[];
  log?: boolean; // ten to the power of the value; 0 is zero
  planes?: boolean; // bytes sorted by component and significance
  delta?: boolean; // differences to the frame before
}

export type Stats = Record<string, number | null>;

export interface FrameHeader {
  frame: number;
  view: number;
  step: number;
  time: number;
  compressed: boolean;
  bytes: number;
  stats: Stats;
  sections: Section[];
}

export interface ElementAnswer {
  type: "element";
  view: number;
  element: number;
  triangle?: number;
  body: number;
  text?: string;
  [key: string]: unknown;
}

export type FromServer = Hello | ({ type: "settings" } & Settings) | ElementAnswer | { type: "error"; message: string };

export type ToServer =
  | { type: "ack"; frame: number; view: number }
  | { type: "play" | "pause" | "step" | "reset" | "release" }
  | { type: "speed"; value: number }
  | { type: "field" | "method"; name: string }
  | { type: "drag"; view: number; triangle: number; bary: number[]; to: number[] }
  | { type: "pick"; view: number; triangle: number }
  | { type: "pick"; view: number; element: number }
  | { type: "settings"; method: string; values: Record<string, number> }
  | { type: "drop"; shape: string; position: number[] }
  | { type: "split" | "interior"; on: boolean }
  | { type: "seek"; frame: number };
