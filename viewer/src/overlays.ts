// SPDX-License-Identifier: Apache-2.0
// What lies over the picture: legend, names of the views, the card of the element under the mouse, messages.
import { byId, make, pairs } from "./dom";
import { number, raised, withUnit } from "./format";
import type { Painter } from "./painter";
import type { ElementAnswer, Stats } from "./protocol";

const BEYOND = "Some values are higher: the scale leaves out the highest, at most 2 percent";

export function showLegend(painter: Painter): void {
  const { field } = painter,
    legend = painter.legend();
  const title = make("h2", {}, field.label, field.unit ? make("span", {}, ` (${raised(field.unit)})`) : null);
  if (legend.kind === "swatches") {
    const rows = legend.rows.map(([name, colour]) => {
      const swatch = make("i");
      swatch.style.background = colour;
      return make("li", {}, swatch, name);
    });
    byId("legend").replaceChildren(title, make("ul", {}, ...rows));
    return;
  }
  const strip = make("div", { className: "strip" });
  strip.style.background = legend.gradient;
  const ticks = legend.ticks.map(({ at, value, more }) => {
    const name = at < 0.06 ? "first" : at > 0.94 ? "last" : "";
    const tick = make("span", { className: name, title: more ? BEYOND : "" }, number(value, 3) + (more ? " +" : ""));
    tick.style.left = `${100 * at}%`;
    return tick;
  });
  byId("legend").replaceChildren(title, strip, make("div", { className: "ticks" }, ...ticks));
}

export interface Label {
  name: string;
  stats: Stats;
  x: number;
  y: number;
  width: number;
}

export function showLabels(labels: Label[]): void {
  const root = byId("labels");
  root.classList.toggle(
    "stacked",
    labels.some((l) => l.y > 0),
  );
  root.replaceChildren(
    ...labels.map(({ name, stats, x, y, width }) => {
      const { elastic_elements: elastic, elements, dofs } = stats;
      const facts = [
        elastic != null && `${number(elastic)}${elements != null ? ` of ${number(elements)}` : ""} elements elastic`,
        dofs != null && `${number(dofs)} dof`,
        stats.speedup != null && `${number(stats.speedup, 2)} × as fast`,
      ].filter((f) => f !== false);
      const label = make(
        "div",
        {},
        make("b", {}, name),
        make("span", {}, facts.map((f) => f.replaceAll(" ", "\u00a0")).join(" · ")),
      );
      label.style.left = `${x}px`;
      label.style.top = `${y}px`;
      label.style.maxWidth = `${width}px`;
      return label;
    }),
  );
}

export interface CardContent {
  title: string;
  rows: [string, string][];
  text: string;
  x: number;
  y: number;
}

export function showCard(content: CardContent | null): void {
  const card = byId("card");
  card.hidden = !content;
  if (!content) return;
  card.replaceChildren(
    make("h2", {}, content.title),
    ...(content.rows.length > 0 ? [pairs(content.rows)] : []),
    ...(content.text ? [make("p", {}, content.text)] : []),
  );
  // Beside the mouse, on whichever side there is room.
  const { clientWidth: width, clientHeight: height } = card.parentElement!;
  const left = content.x + 18 + card.offsetWidth > width ? content.x - 18 - card.offsetWidth : content.x + 18;
  const top = Math.min(content.y + 14, height - card.offsetHeight - 8);
  card.style.left = `${Math.max(8, left)}px`;
  card.style.top = `${Math.max(8, top)}px`;
}

// The numbers of an answer that are not already told by its text; names are those of `thaw explain --json`.
export function answerRows(answer: ElementAnswer, units: (name: string) => string): [string, string][] {
  const skip = new Set(["type", "view", "element", "triangle", "body", "text"]);
  return Object.entries(answer)
    .filter(([key, value]) => !skip.has(key) && (typeof value === "number" || typeof value === "string"))
    .map(([key, value]) => [
      key.replaceAll("_", " "),
      typeof value === "number" ? withUnit(value, units(key)) : String(value),
    ]);
}

export function showMessage(text: string | null): void {
  const message = byId("message");
  message.hidden = !text;
  if (!text) return;
  const close = make("button", { type: "button", ariaLabel: "Dismiss" }, "×");
  close.onclick = () => showMessage(null);
  message.replaceChildren(text, close);
}
