// SPDX-License-Identifier: Apache-2.0
// Where a stream comes from: a running program (live or replay), or the page itself.
//
// All sources speak the same messages; what a source cannot do it answers with an error, as the server would.
import { warmest } from "./colours";
import type { ElementAnswer, FromServer, Hello, Settings, ToServer } from "./protocol";
import {
  bytesOfBase64,
  findSection,
  inflate,
  magnitudes,
  readFrame,
  readFrames,
  readSection,
  type Frame,
} from "./stream";

export interface Sink {
  hello(hello: Hello): void;
  frame(frame: Frame): void;
  settings(settings: Settings): void;
  element(answer: ElementAnswer): void;
  error(message: string): void;
  closed(reason: string): void;
}

export interface Source {
  readonly answers: boolean; // whether somebody knows more about an element than the frames hold
  send(message: ToServer): void;
  close(): void;
}

// A hello is followed by the frames that belong to it. Inflating takes time, therefore all messages wait in one queue.
export function openLive(address: string, sink: Sink): Source {
  const socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  let queue = Promise.resolve();
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    queue = queue
      .then(async () => {
        if (typeof data === "string") deliver(JSON.parse(data) as FromServer, sink);
        else sink.frame(await readFrame(new Uint8Array(data)));
      })
      .catch((reason: unknown) => sink.error(sentence(reason)));
  };
  socket.onclose = ({ reason }) => {
    void queue.then(() => sink.closed(reason || "The program has ended or cannot be reached."));
  };
  return {
    answers: true,
    send: (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    close: () => {
      socket.onclose = null;
      socket.close();
    },
  };
}

function deliver(message: FromServer, sink: Sink): void {
  if (message.type === "hello") sink.hello(message);
  else if (message.type === "settings") sink.settings(message);
  else if (message.type === "element") sink.element(message);
  else if (message.type === "error") sink.error(message.message);
}

// The page holds all frames; a frame of each view is handed out when it is sought.
export async function openEmbedded(header: Element, data: Element, sink: Sink): Promise<Source> {
  const hello = JSON.parse(header.textContent ?? "") as Hello;
  const frames = readFrames(await inflate(bytesOfBase64((data.textContent ?? "").trim())));
  data.textContent = ""; // a long text that is not needed twice
  if (frames.length === 0) throw new Error("This page holds no frames.");
  const at = new Map<number, Frame[]>();
  for (const frame of frames) {
    const moment = at.get(frame.header.frame);
    if (moment) moment.push(frame);
    else at.set(frame.header.frame, [frame]);
  }
  for (const [i, view] of hello.views.entries()) view.series ??= seriesOf(frames.filter((f) => f.header.view === i));
  for (const field of hello.fields) {
    const range = field.components === 1 ? rangeOf(frames, field.name) : longestOf(frames, field.name);
    if (!range) continue;
    field.range = range;
    let end: number | null = null; // computed when it is asked for
    field.warmest = () => (end ??= warmest(valuesOf(frames, field.name), range[1]));
  }
  let shown = frames[0].header.frame;
  const show = (n: number): void => at.get(n)?.forEach((f) => sink.frame(f));
  setTimeout(() => {
    // when the caller knows its source
    sink.hello(hello);
    show(shown);
  });
  return {
    answers: false,
    send: (message) => {
      if (message.type === "seek") show((shown = message.frame));
      else if (message.type === "field") {
        hello.settings.field = message.name;
        sink.settings(hello.settings);
        show(shown);
      }
    },
    close: () => at.clear(),
  };
}

function seriesOf(frames: Frame[]): Record<string, (number | null)[]> {
  const names = new Set(frames.flatMap((f) => Object.keys(f.header.stats)));
  const series: Record<string, (number | null)[]> = { time: frames.map((f) => f.header.time) };
  for (const name of names) series[name] = frames.map((f) => f.header.stats[name] ?? null);
  return series;
}

// What a field's sections span, so that colours mean the same in all frames.
function rangeOf(frames: Frame[], name: string): [number, number] | null {
  const ends = frames
    .flatMap((f) => f.header.sections.filter((s) => s.name === name && s.low && s.high))
    .map((s) => (s.log ? [10 ** s.low![0], 10 ** s.high![0]] : [s.low![0], s.high![0]]));
  return ends.length > 0 ? [Math.min(...ends.map((e) => e[0])), Math.max(...ends.map((e) => e[1]))] : null;
}

// All values of an even choice of frames, one frame after the other.
function* valuesOf(frames: Frame[], name: string): Generator<Float32Array> {
  const every = Math.ceil(frames.length / 60);
  for (let i = 0; i < frames.length; i += every) {
    const section = findSection(frames[i], name);
    if (section) yield magnitudes(readSection(frames[i], section), section.components, null);
  }
}

// Of vectors: from nothing to the longest.
function longestOf(frames: Frame[], name: string): [number, number] | null {
  let longest = -1;
  for (const frame of frames) {
    const section = findSection(frame, name);
    if (!section) continue;
    for (const length of magnitudes(readSection(frame, section), section.components, null))
      if (length > longest) longest = length;
  }
  return longest >= 0 ? [0, longest] : null;
}

export function sentence(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

// The page decides by what it finds in itself.
export async function openSource(sink: Sink): Promise<Source> {
  const header = document.getElementById("thaw-header"),
    data = document.getElementById("thaw-frames");
  if (header && data) return openEmbedded(header, data, sink);
  if (!location.protocol.startsWith("http"))
    throw new Error("This page has nothing to show: it is the viewer alone. Use thaw view, or thaw export --html.");
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return openLive(`${scheme}//${location.host}/stream${location.search}`, sink);
}
