// SPDX-License-Identifier: Apache-2.0
// Play, pause, step, reset and speed. A running program does them itself; of a replay or a file the page is the
// clock and asks for the frame that the time has come for.
import type { Hello, Settings, ToServer } from "./protocol";

export interface Transport {
  readonly playing: boolean;
  readonly speed: number;
  readonly frame: number; // of a replay
  play(on: boolean): void;
  step(by: number): void;
  reset(): void;
  setSpeed(value: number): void;
  seek(frame: number): void;
  settings(settings: Settings): void;
  shown(frame: number): void; // a frame has been drawn
}

type Send = (message: ToServer) => void;

export class LiveTransport implements Transport {
  playing: boolean;
  speed: number;
  readonly frame = 0;

  constructor(
    hello: Hello,
    private readonly send: Send,
    private readonly changed: () => void,
  ) {
    this.playing = hello.settings.playing;
    this.speed = hello.settings.speed;
  }

  play(on: boolean): void {
    this.playing = on; // until the program says otherwise
    this.send({ type: on ? "play" : "pause" });
    this.changed();
  }
  step(by: number): void {
    if (by < 0) return; // time cannot be undone
    if (this.playing) this.play(false);
    this.send({ type: "step" });
  }
  reset(): void {
    this.send({ type: "reset" });
  }
  setSpeed(value: number): void {
    this.speed = value;
    this.send({ type: "speed", value });
    this.changed();
  }
  settings(settings: Settings): void {
    this.playing = settings.playing;
    this.speed = settings.speed;
    this.changed();
  }
  seek(): void {}
  shown(): void {}
}

export class ReplayTransport implements Transport {
  playing = false;
  speed = 1;
  frame = 0;
  private waiting = false; // for a frame that was asked for; until then no other is
  private next: number | null = null; // to be asked for afterwards
  private origin = 0; // s of the replay, at `since`
  private since = 0; // ms
  private tick = 0;

  constructor(
    private readonly hello: Hello,
    private readonly send: Send,
    private readonly changed: () => void,
  ) {}

  private get times(): number[] {
    return this.hello.times;
  }

  play(on: boolean): void {
    if (on && this.frame >= this.times.length - 1) this.seek(0);
    this.playing = on;
    this.mark();
    if (on) this.run();
    else cancelAnimationFrame(this.tick);
    this.changed();
  }

  private mark(): void {
    this.origin = this.times[this.frame] ?? 0;
    this.since = performance.now();
  }

  // A slow replay skips frames rather than falling behind.
  private run(): void {
    this.tick = requestAnimationFrame((now) => {
      const time = this.origin + ((now - this.since) / 1000) * this.speed;
      let next = this.frame;
      while (next + 1 < this.times.length && this.times[next + 1] <= time) next++;
      if (next !== this.frame && !this.waiting) this.ask(next);
      if (this.frame >= this.times.length - 1) this.play(false);
      else if (this.playing) this.run();
    });
  }

  private ask(frame: number): void {
    this.frame = frame;
    if (this.waiting) this.next = frame;
    else this.send({ type: "seek", frame });
    this.waiting = true;
    this.changed();
  }

  step(by: number): void {
    if (this.playing) this.play(false);
    this.seek(this.frame + by);
  }
  reset(): void {
    this.seek(0);
  }
  setSpeed(value: number): void {
    this.mark();
    this.speed = value;
    this.changed();
  }
  seek(frame: number): void {
    this.ask(Math.max(0, Math.min(frame, this.times.length - 1)));
    this.mark();
  }
  settings(): void {}
  shown(): void {
    this.waiting = false;
    const { next } = this;
    this.next = null;
    if (next !== null) this.ask(next);
  }
}
