// SPDX-License-Identifier: Apache-2.0
// The mouse over bodies: pull a point by a spring, or rest on an element and read its numbers. Whatever is not on a body
// is left to the camera.
import { Plane, Vector3 } from "three";
import type { Hit } from "./pick";
import type { Stage } from "./stage";
import type { Picked } from "./viewscene";

export interface Over {
  view: number;
  picked: Picked;
  x: number; // of the mouse on the canvas, CSS pixels
  y: number;
}

export interface HandEvents {
  canPull(): boolean;
  clip(): Plane | null;
  over(over: Over | null): boolean; // whether that changes the picture
  pull(view: number, hit: Hit, to: Vector3): void;
  release(): void;
}

export class Hand {
  pulled: { view: number; hit: Hit; to: Vector3 } | null = null;
  private plane = new Plane();
  private mouse: { x: number; y: number } | null = null;
  private waiting = 0;

  constructor(
    private readonly stage: Stage,
    frame: HTMLElement,
    private readonly events: HandEvents,
  ) {
    const { canvas } = stage;
    // In the capturing phase, so that the camera's controls do not see a pull.
    frame.addEventListener(
      "pointerdown",
      (event) => {
        if (event.target === canvas && event.button === 0 && event.isPrimary && !event.shiftKey && this.grab(event))
          event.stopPropagation();
      },
      { capture: true },
    );
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", () => this.letGo());
    canvas.addEventListener("pointercancel", () => this.letGo());
    canvas.addEventListener("pointerleave", () => {
      this.mouse = null;
      this.lookSoon();
    });
  }

  private at(event: PointerEvent): { x: number; y: number } {
    const frame = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  }

  private grab(event: PointerEvent): boolean {
    if (!this.events.canPull()) return false;
    const { x, y } = this.at(event),
      { view, ray } = this.stage.spot(x, y);
    const picked = this.stage.views[view]?.pick(ray, this.events.clip());
    if (!picked?.hit) return false;
    const to = new Vector3(...picked.point);
    this.plane.setFromNormalAndCoplanarPoint(this.stage.direction, to);
    this.pulled = { view, hit: picked.hit, to };
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.classList.add("pull");
    this.events.over(null);
    this.events.pull(view, picked.hit, to);
    return true;
  }

  private move(event: PointerEvent): void {
    this.mouse = event.buttons === 0 || this.pulled ? this.at(event) : null;
    if (!this.pulled) {
      if (event.pointerType === "mouse") this.lookSoon();
      return;
    }
    const { ray } = this.stage.spot(this.mouse!.x, this.mouse!.y);
    const origin = new Vector3().fromArray(ray.origin),
      direction = new Vector3().fromArray(ray.direction);
    const along = direction.dot(this.plane.normal);
    if (Math.abs(along) < 1e-6) return;
    this.pulled.to = origin.addScaledVector(direction, -this.plane.distanceToPoint(origin) / along);
    this.events.pull(this.pulled.view, this.pulled.hit, this.pulled.to);
  }

  letGo(): void {
    if (!this.pulled) return;
    this.pulled = null;
    this.stage.canvas.classList.remove("pull");
    this.events.release();
  }

  // At most once per picture, and a new picture only when it would be another one.
  private lookSoon(): void {
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      if (this.look()) this.stage.redraw();
    });
  }

  // What is under the mouse now; bodies move below a mouse that rests.
  look(): boolean {
    if (this.pulled) return false;
    let over: Over | null = null;
    if (this.mouse) {
      const { view, ray } = this.stage.spot(this.mouse.x, this.mouse.y);
      const picked = this.stage.views[view]?.pick(ray, this.events.clip());
      if (picked) over = { view, picked, ...this.mouse };
    }
    this.stage.canvas.classList.toggle("over", over !== null);
    return this.events.over(over);
  }
}
