// SPDX-License-Identifier: Apache-2.0
// Everything the mouse can do has a key. One table serves the keyboard and the help overlay.
import { byId, make } from "./dom";

export interface Key {
  keys: string[]; // as KeyboardEvent.key gives them
  shown: string[];
  does: string;
  run: (event: KeyboardEvent) => void;
}

// While someone types or moves a slider, keys belong to that control; space and enter belong to a focused button.
function taken(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (target.closest("dialog")) return true;
  const kind = target instanceof HTMLInputElement ? target.type : target.tagName.toLowerCase();
  if (kind === "number" || kind === "select") return true;
  if (kind === "range")
    return event.key.startsWith("Arrow") || ["Home", "End", "PageUp", "PageDown"].includes(event.key);
  if (kind === "button" || kind === "checkbox") return event.key === " " || event.key === "Enter";
  return false;
}

export function listen(keys: Key[]): void {
  const table = new Map(keys.flatMap((key) => key.keys.map((name) => [name, key] as const)));
  addEventListener("keydown", (event) => {
    const key = table.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (!key || taken(event)) return;
    event.preventDefault();
    key.run(event);
  });
}

export function showHelp(keys: Key[], mouse: [string, string][]): void {
  const dialog = byId<HTMLDialogElement>("help");
  const close = make("button", { type: "button" }, "Close");
  close.onclick = () => dialog.close();
  const row = (what: Node[], does: string): HTMLElement =>
    make("div", {}, make("dt", {}, ...what), make("dd", {}, does));
  const names = (shown: string[]): Node[] => shown.map((s) => make("kbd", {}, s));
  dialog.replaceChildren(
    make("header", {}, make("h2", { id: "help-title" }, "Mouse and keys"), close),
    make("dl", {}, ...mouse.map(([what, does]) => row([document.createTextNode(what)], does))),
    make("dl", { className: "keys" }, ...keys.map(({ shown, does }) => row(names(shown), does))),
  );
  dialog.showModal();
}
