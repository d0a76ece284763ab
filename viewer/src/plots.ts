// SPDX-License-Identifier: Apache-2.0
// Numbers over time: one small plot per quantity, one line per view.
//
// Replays bring whole series; live ones grow with each frame, and lose every second point when they become long, so
// that neither memory nor drawing grows without bound.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { make } from "./dom";
import { number } from "./format";
import type { FrameHeader, Hello } from "./protocol";

// What is plotted, in this order, where the stream has it. `pair`: makes sense for two views only.
const QUANTITIES: { name: string; label: string; pair?: true }[] = [
  { name: "elastic_elements", label: "elastic elements" },
  { name: "dofs", label: "degrees of freedom" },
  { name: "speedup", label: "speedup", pair: true },
  { name: "error", label: "difference, of the diameter", pair: true },
  { name: "cpu_ms", label: "CPU time of a step, ms" },
  { name: "contacts", label: "contacts" },
];
const SHOWN = 4;
const LONGEST = 4000;

type Series = { time: number[]; columns: Map<string, (number | null)[]> };

export class Plots {
  private plots: { plot: uPlot; name: string }[] = [];
  private series: Series[] = [];
  private names: string[] = []; // of the views
  private growing = false;
  private stale = false;
  onSeek: (time: number) => void = () => undefined;

  constructor(private readonly parent: HTMLElement) {
    new ResizeObserver(() => this.resize()).observe(parent);
  }

  open(hello: Hello): void {
    const same = this.growing && hello.live && this.series.length === hello.views.length;
    this.growing = hello.live;
    if (!same)
      this.series = hello.views.map(({ series }) => ({
        time: (series?.time ?? []).map((t) => t ?? 0),
        columns: new Map(Object.entries(series ?? {}).filter(([name]) => name !== "time")),
      }));
    this.names = hello.views.map((v) => v.name);
    this.rebuild();
  }

  private wanted(): string[] {
    return QUANTITIES.filter((q) => !q.pair || this.series.length > 1)
      .filter((q) => this.series.some((s) => s.columns.get(q.name)?.some((v) => v !== null)))
      .slice(0, SHOWN)
      .map((q) => q.name);
  }

  add(header: FrameHeader): void {
    const series = this.series[header.view];
    if (!this.growing || !series) return;
    const last = series.time.at(-1);
    if (last !== undefined && header.time < last) {
      series.time.length = 0;
      series.columns.clear();
    } else if (header.time === last) return;
    if (series.time.length >= LONGEST) thin(series);
    series.time.push(header.time);
    for (const [name, value] of Object.entries(header.stats)) {
      let column = series.columns.get(name);
      if (!column) series.columns.set(name, (column = Array(series.time.length - 1).fill(null)));
      column.push(value);
    }
    for (const column of series.columns.values()) while (column.length < series.time.length) column.push(null);
    this.stale = true;
  }

  // Draws what has come since the last call; `now` is marked.
  draw(now: number | null): void {
    if (this.parent.hidden || this.series.length === 0) return;
    if (this.stale && this.wanted().join() !== this.plots.map((p) => p.name).join()) this.rebuild();
    if (this.stale) for (const { plot, name } of this.plots) plot.setData(this.data(name));
    this.stale = false;
    if (!this.growing && now !== null)
      for (const { plot } of this.plots) plot.setCursor({ left: plot.valToPos(now, "x"), top: -10 }, false);
  }

  private data(name: string): uPlot.AlignedData {
    const all = this.series.map((s) => [s.time, s.columns.get(name) ?? s.time.map(() => null)] as uPlot.AlignedData);
    return all.length === 1 ? all[0] : uPlot.join(all);
  }

  rebuild(): void {
    this.plots.forEach(({ plot }) => plot.destroy());
    this.plots = [];
    this.parent.replaceChildren();
    if (this.parent.hidden) return; // without a size; whoever shows it calls again
    const style = getComputedStyle(this.parent);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const axis = {
      stroke: colour("--quiet"),
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { show: false },
      font: "11px system-ui, sans-serif",
    };
    const names = this.wanted();
    const stroke = (view: number): string => colour(view === this.series.length - 1 ? "--accent" : "--second");
    const holders = names.map((name, i) => make("figure", {}, this.caption(name, i === 0 ? stroke : null)));
    this.parent.append(...holders); // all at once, since each takes its share of the width
    this.plots = names.map((name, i) => {
      const holder = holders[i];
      const plot = new uPlot(
        {
          ...this.size(holder),
          cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
          legend: { show: false },
          scales: {
            x: { time: false },
            y: { range: (_plot, low, high) => [Math.min(0, low ?? 0), (high ?? 0) > 0 ? 1.08 * high : 1] },
          },
          axes: [
            { ...axis, size: 20, gap: 2, space: 60 },
            { ...axis, size: 58, gap: 4, space: 24, values: (_plot, values) => values.map(tick) },
          ],
          series: [
            {},
            ...this.series.map((_, view) => ({
              label: this.names[view],
              stroke: stroke(view),
              width: 1.6,
              points: { show: false },
              spanGaps: true,
            })),
          ],
        },
        this.data(name),
        holder,
      );
      plot.over.addEventListener("click", () => {
        if (plot.cursor.left !== undefined) this.onSeek(plot.posToVal(plot.cursor.left, "x"));
      });
      return { plot, name };
    });
    this.stale = true;
  }

  // What is plotted, and which line is which where there are several; once, since all plots have the same lines.
  private caption(name: string, stroke: ((view: number) => string) | null): HTMLElement {
    const { label } = QUANTITIES.find((q) => q.name === name)!;
    const keys =
      stroke && this.names.length > 1
        ? this.names.map((view, i) => {
            const line = make("i");
            line.style.background = stroke(i);
            return make("span", {}, line, view);
          })
        : [];
    return make("figcaption", {}, label, ...keys);
  }

  private size(holder: HTMLElement): { width: number; height: number } {
    return { width: Math.max(120, holder.clientWidth), height: Math.max(60, holder.clientHeight - 20) };
  }

  private resize(): void {
    for (const { plot } of this.plots) plot.setSize(this.size(plot.root.parentElement!));
  }
}

// Short enough for the margin.
function tick(value: number): string {
  return number(value, 3).replace(" × ", "·");
}

function thin(series: Series): void {
  const half = <T>(array: T[]): T[] => array.filter((_, i) => i % 2 === 0);
  series.time = half(series.time);
  for (const [name, column] of series.columns) series.columns.set(name, half(column));
}
