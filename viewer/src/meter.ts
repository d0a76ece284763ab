// SPDX-License-Identifier: Apache-2.0
// How fast things go: pictures that were drawn, frames and bytes that came, time that was simulated. All by the second that has
// just passed, or longer where frames are rarer; nothing is told of a page that rests.

const WINDOW_MS = 1000;
const LONGEST_MS = 5000;
const REST_MS = 3000; // without a picture

export interface Pace {
  pictures: number; // a second
  frames: number; // a second
  bytes: number; // a frame
  simulated: number; // s a second
}

interface Count {
  at: number; // ms
  pictures: number;
  frames: number;
  bytes: number;
  time: number; // s, of the simulation
}

export class Meter {
  private now: Count = { at: 0, pictures: 0, frames: 0, bytes: 0, time: 0 };
  private before: Count = { ...this.now };
  private last: Pace | null = null;

  picture(): void {
    this.now.pictures++;
    this.turn();
  }

  frame(bytes: number, time: number): void {
    if (time < this.now.time) this.begin(time);
    this.now.frames++;
    this.now.bytes += bytes;
    this.now.time = time;
  }

  get pace(): Pace | null {
    return performance.now() - this.now.at < REST_MS ? this.last : null;
  }

  private begin(time: number): void {
    this.now = { at: performance.now(), pictures: 0, frames: 0, bytes: 0, time };
    this.before = { ...this.now };
    this.last = null;
  }

  private turn(): void {
    const { now, before } = this;
    const at = performance.now();
    if (at - now.at > REST_MS) return this.begin(now.time);
    now.at = at;
    const passed = (at - before.at) / 1000,
      frames = now.frames - before.frames;
    if (1000 * passed < (frames > 0 ? WINDOW_MS : LONGEST_MS)) return;
    this.last = {
      pictures: (now.pictures - before.pictures) / passed,
      frames: frames / passed,
      bytes: frames > 0 ? (now.bytes - before.bytes) / frames : 0,
      simulated: (now.time - before.time) / passed,
    };
    this.before = { ...now };
  }
}
