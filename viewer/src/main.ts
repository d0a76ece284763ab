// SPDX-License-Identifier: Apache-2.0
// Starts the page: buttons, keys, and a source.
import { App } from "./app";
import { byId, make, press } from "./dom";
import { listen, showHelp, type Key } from "./keys";
import { showMessage } from "./overlays";
import { openSource, sentence } from "./source";
import "./style.css";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100];
const TURN = Math.PI / 36;

const MOUSE: [string, string][] = [
  ["drag a body", "pull it by a spring (live)"],
  ["drag elsewhere", "turn the camera; right button or two fingers: move it"],
  ["wheel, pinch", "zoom"],
  ["rest on an element", "its numbers"],
];

function start(): void {
  const app = new App();
  const play = (): void => app.transport?.play(!app.transport.playing);
  const toggleSplit = (): void => app.send({ type: "split", on: (app.header?.views.length ?? 1) < 2 });
  const toggle = (id: string, button: string): void => {
    const element = byId(id);
    element.hidden = !element.hidden;
    press(byId(button), !element.hidden);
  };
  const click = (box: HTMLInputElement): void => box.click();

  const keys: Key[] = [
    { keys: [" "], shown: ["space"], does: "play or pause", run: play },
    { keys: ["s", "."], shown: ["s", "."], does: "single step", run: () => app.transport?.step(1) },
    { keys: [","], shown: [","], does: "previous frame (replay)", run: () => app.transport?.step(-1) },
    { keys: ["r"], shown: ["r"], does: "back to the start", run: () => app.transport?.reset() },
    {
      keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
      shown: ["←", "→", "↑", "↓"],
      does: "turn the camera; with shift: move it",
      run: (event) => steer(app, event),
    },
    {
      keys: ["+", "=", "-"],
      shown: ["+", "−"],
      does: "zoom",
      run: ({ key }) => app.stage.zoom(key === "-" ? 1 / 1.15 : 1.15),
    },
    { keys: ["f"], shown: ["f"], does: "show all bodies", run: () => app.fitBodies() },
    {
      keys: ["c"],
      shown: ["c"],
      does: "colour by the next field; with shift: the one before",
      run: ({ shiftKey }) => app.nextField(shiftKey ? -1 : 1),
    },
    { keys: ["l"], shown: ["l"], does: "logarithmic scale", run: () => app.setLogarithmic(!app.painter.logarithmic) },
    { keys: ["w"], shown: ["w"], does: "wireframe", run: () => click(app.panel.wireframe.box) },
    { keys: ["a"], shown: ["a"], does: "contact forces as arrows", run: () => click(app.panel.contacts.box) },
    { keys: ["o"], shown: ["o"], does: "see through obstacles", run: () => click(app.panel.glass.box) },
    { keys: ["x"], shown: ["x"], does: "cut open", run: () => click(app.panel.clip.box) },
    { keys: ["m"], shown: ["m"], does: "next method", run: () => nextMethod(app) },
    { keys: ["v"], shown: ["v"], does: "split screen", run: toggleSplit },
    { keys: ["p"], shown: ["p"], does: "plots", run: () => app.togglePlots() },
    { keys: ["h"], shown: ["h"], does: "show or hide the panel", run: () => toggle("panel", "panel-open") },
    { keys: ["?"], shown: ["?"], does: "this help", run: () => showHelp(keys, MOUSE) },
  ];
  listen(keys);

  byId("play").onclick = play;
  byId("step").onclick = () => app.transport?.step(1);
  byId("back").onclick = () => app.transport?.step(-1);
  byId("reset").onclick = () => app.transport?.reset();
  byId("split").onclick = toggleSplit;
  byId("plots-open").onclick = () => app.togglePlots();
  byId("panel-open").onclick = () => toggle("panel", "panel-open");
  byId("help-open").onclick = () => showHelp(keys, MOUSE);
  const timeline = byId<HTMLInputElement>("timeline");
  timeline.oninput = () => app.transport?.seek(Number(timeline.value));
  const speed = byId<HTMLSelectElement>("speed");
  speed.append(...SPEEDS.map((s) => make("option", { value: String(s) }, s === 100 ? "fastest" : `${s} ×`)));
  speed.value = "1";
  speed.onchange = () => app.transport?.setSpeed(Number(speed.value));
  // Whoever clicks a button and then presses space means to play, not the button again; whoever came by keys keeps the focus.
  document.addEventListener("click", ({ detail, target }) => {
    if (detail > 0 && target instanceof Element && target.closest("header button, footer button"))
      byId("canvas").focus({ preventScroll: true });
  });
  if (matchMedia("(max-width: 900px)").matches) toggle("panel", "panel-open");

  openSource(app).then(
    (source) => {
      app.source = source;
    },
    (reason: unknown) => showMessage(sentence(reason)),
  );
  Object.assign(window, { thaw: app }); // for the tests and for the curious
}

function steer(app: App, { key, shiftKey }: KeyboardEvent): void {
  const x = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0,
    y = key === "ArrowUp" ? 1 : key === "ArrowDown" ? -1 : 0;
  if (shiftKey) app.stage.pan(0.05 * x, 0.05 * y);
  else app.stage.turn(TURN * x, TURN * y);
}

function nextMethod(app: App): void {
  const { methods, settings } = app.header ?? {};
  if (methods && settings && methods.length > 0)
    app.send({ type: "method", name: methods[(methods.indexOf(settings.method) + 1) % methods.length] });
}

try {
  start();
} catch (reason) {
  showMessage(`This page needs WebGL 2, which the browser does not offer. (${sentence(reason)})`);
}
