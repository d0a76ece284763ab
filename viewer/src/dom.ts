// SPDX-License-Identifier: Apache-2.0
// Elements without ceremony. Text is always set as text, never as markup.

type Child = Node | string | null | undefined | false;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return element;
}

export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element as T;
}

export function press(button: HTMLElement, on: boolean): void {
  button.setAttribute("aria-pressed", String(on));
}

// Terms and what they are.
export function pairs(rows: [string, string][]): HTMLDListElement {
  return make("dl", {}, ...rows.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]));
}
