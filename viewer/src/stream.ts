// SPDX-License-Identifier: Apache-2.0
// Reading binary frames: the JSON in front, the inflated payload, and its sections as numbers.
//
// Whatever does not fit is refused with a sentence, since an exported page may have been cut short on its way.
import type { FrameHeader, Section } from "./protocol";

const MAGIC = 0x46574854; // "THWF"

export interface Frame {
  header: FrameHeader;
  payload: Uint8Array<ArrayBuffer>; // begins at a multiple of 4 in its buffer
  size: number; // bytes, as it came
}

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const clean = /\s/.test(text) ? text.replace(/\s+/g, "") : text;
  const padding = clean.endsWith("==") ? 2 : clean.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((clean.length / 4) * 3 - padding);
  const chunk = 1 << 20; // a multiple of 4, so that pieces end where groups end
  for (let from = 0, to = 0; from < clean.length; from += chunk) {
    const part = atob(clean.slice(from, from + chunk));
    for (let i = 0; i < part.length; i++) bytes[to++] = part.charCodeAt(i);
  }
  return bytes;
}

export const u32OfBase64 = (text: string): Uint32Array => new Uint32Array(bytesOfBase64(text).buffer);
export const f32OfBase64 = (text: string): Float32Array => new Float32Array(bytesOfBase64(text).buffer);

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function splitFrame(bytes: Uint8Array<ArrayBuffer>): Frame {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 8 || words.getUint32(0, true) !== MAGIC) throw new Error("A frame does not begin with THWF.");
  const length = words.getUint32(4, true);
  if (8 + length > bytes.byteLength) throw new Error("A frame ends inside its header.");
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as FrameHeader;
  return { header, payload: bytes.subarray(8 + length), size: bytes.byteLength };
}

function checkSections(frame: Frame): Frame {
  for (const s of frame.header.sections) {
    const size = s.type === "f32" ? 4 : s.type === "u16" ? 2 : 1;
    const end = s.offset + size * s.components * s.count;
    if (!(s.offset >= 0 && s.offset % 4 === 0 && end <= frame.payload.byteLength))
      throw new Error(`Frame ${frame.header.frame} ends inside its section "${s.name}".`);
  }
  return frame;
}

// `bytes` must begin at a multiple of 4 in its buffer.
export async function readFrame(bytes: Uint8Array<ArrayBuffer>): Promise<Frame> {
  const frame = splitFrame(bytes);
  if (frame.header.compressed) frame.payload = await inflate(frame.payload);
  checkSections(frame);
  for (const s of frame.header.sections) unpack(frame, s, undefined);
  return frame;
}

// Frames of a file, one behind its length each. Packing is undone here, in place, so that any frame can be shown without
// its predecessors.
export function readFrames(bytes: Uint8Array<ArrayBuffer>): Frame[] {
  const frames: Frame[] = [];
  const previous = new Map<string, Uint8Array | Uint16Array>(); // by view and section
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.byteLength; ) {
    if (at + 4 > bytes.byteLength) throw new Error("The stream ends inside a length.");
    const length = words.getUint32(at, true);
    if (at + 4 + length > bytes.byteLength) throw new Error("The stream ends inside a frame.");
    const frame = checkSections(splitFrame(bytes.slice(at + 4, at + 4 + length)));
    for (const s of frame.header.sections) {
      const key = `${frame.header.view} ${s.name}`,
        values = unpack(frame, s, previous.get(key));
      if (values) previous.set(key, values);
    }
    frames.push(frame);
    at += 4 + length;
  }
  return frames;
}

function quantised(frame: Frame, s: Section): Uint8Array | Uint16Array {
  const start = frame.payload.byteOffset + s.offset,
    length = s.components * s.count;
  return s.type === "u8"
    ? new Uint8Array(frame.payload.buffer, start, length)
    : new Uint16Array(frame.payload.buffer, start, length);
}

// Undoes planes and deltas; `before` is the same section of the frame before. Returns the integers of a section that has
// such.
function unpack(
  frame: Frame,
  s: Section,
  before: Uint8Array | Uint16Array | undefined,
): Uint8Array | Uint16Array | undefined {
  const width = s.type === "f32" ? 4 : s.type === "u16" ? 2 : 1,
    length = s.count * s.components;
  if (s.planes) {
    const bytes = new Uint8Array(frame.payload.buffer, frame.payload.byteOffset + s.offset, width * length),
      stored = bytes.slice();
    for (let plane = 0; plane < width * s.components; plane++) {
      const component = Math.floor(plane / width),
        byte = plane % width;
      for (let i = 0; i < s.count; i++)
        bytes[width * (s.components * i + component) + byte] = stored[plane * s.count + i];
    }
  }
  s.planes = false;
  if (s.type === "f32") return undefined;
  const values = quantised(frame, s);
  if (s.delta) {
    if (before?.length !== length)
      throw new Error(`Section "${s.name}" of frame ${frame.header.frame} continues one that is not there.`);
    for (let i = 0; i < length; i++) values[i] += before[i]; // wraps to the width
  }
  s.delta = false;
  return values;
}

export function findSection(frame: Frame, name: string): Section | undefined {
  return frame.header.sections.find((s) => s.name === name);
}

// The section's numbers. `reuse` is taken when it has the right length.
export function readSection(frame: Frame, s: Section, reuse?: Float32Array): Float32Array {
  const length = s.components * s.count;
  const out = reuse?.length === length ? reuse : new Float32Array(length);
  if (s.type === "f32") {
    out.set(new Float32Array(frame.payload.buffer, frame.payload.byteOffset + s.offset, length));
    return out;
  }
  const q = quantised(frame, s),
    most = s.type === "u8" ? 255 : 65535;
  if (!s.low || !s.high) {
    for (let i = 0; i < length; i++) out[i] = q[i] === most ? -1 : q[i];
    return out;
  }
  for (let k = 0; k < s.components; k++) {
    const low = s.low[k],
      step = (s.high[k] - low) / most;
    if (s.log) for (let i = k; i < length; i += s.components) out[i] = q[i] === 0 ? 0 : 10 ** (low + step * q[i]);
    else for (let i = k; i < length; i += s.components) out[i] = low + step * q[i];
  }
  return out;
}

// The lengths of vectors. `reuse` is taken when it has the right length.
export function magnitudes(raw: Float32Array, components: number, reuse: Float32Array | null): Float32Array {
  const count = raw.length / components;
  const out = reuse?.length === count ? reuse : new Float32Array(count);
  for (let i = 0; i < count; i++) {
    let sum = 0;
    for (let k = components * i; k < components * (i + 1); k++) sum += raw[k] * raw[k];
    out[i] = Math.sqrt(sum);
  }
  return out;
}
