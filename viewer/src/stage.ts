// SPDX-License-Identifier: Apache-2.0
// The canvas: one camera for all views (so split screens cannot drift apart), one viewport each, and drawing on demand
// only: nothing is drawn while nothing changes, and never more than once per frame of the screen. Where pictures come too
// slowly while things move, they are drawn coarser, and sharp again as soon as everything rests.
import {
  Box3,
  MOUSE,
  OrthographicCamera,
  PerspectiveCamera,
  Raycaster,
  TOUCH,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Ray } from "./pick";
import { TO_SUN } from "./shading";
import type { ViewScene } from "./viewscene";

const FOV = 32; // degrees
const ABOVE = 0.08; // room for names, part of the picture
const BESIDE = 0.05;
const SLOW_MS = 33.5; // a picture: 30 a second
const PIXELS = [1, 0.7, 0.5]; // drawn ones a pixel's width: sharp, coarser, coarsest
const REST_MS = 400;

export interface Spot {
  view: number;
  ray: Ray;
}

export class Stage {
  readonly software = isSoftware(); // graphics without a graphics card
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  views: ViewScene[] = [];
  beforeDraw: () => void = () => undefined;
  afterDraw: () => void = () => undefined;
  drawn = 0; // pictures so far
  ground: number | null = null; // z of the floor that shadows fall onto
  private camera: PerspectiveCamera | OrthographicCamera = new PerspectiveCamera(FOV);
  private readonly flat = new OrthographicCamera();
  private readonly deep = this.camera as PerspectiveCamera;
  private pending = 0;
  private readonly sharp = Math.min(devicePixelRatio, 2);
  private level = 0; // of PIXELS
  private cost = 0; // ms a picture, averaged
  private restTimer = 0;
  private size = 1; // m, of what is looked at
  private fitted: Box3 | null = null; // what fills the view, until somebody moves the camera
  private readonly raycaster = new Raycaster();

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly legend: HTMLElement,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: !this.software, alpha: true });
    this.renderer.setPixelRatio(this.sharp);
    this.renderer.localClippingEnabled = true;
    this.deep.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.22;
    this.controls.zoomToCursor = true;
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
    this.controls.addEventListener("change", () => this.redraw());
    this.controls.addEventListener("start", () => (this.fitted = null));
    new ResizeObserver(() => this.resize()).observe(canvas);
    canvas.addEventListener("webglcontextrestored", () => this.redraw());
  }

  redraw(): void {
    this.pending ||= requestAnimationFrame((now) => {
      this.pending = 0;
      this.beforeDraw();
      this.controls.update(); // while the camera still glides, this asks for the next picture
      this.setPixels();
      this.draw();
      this.drawn++;
      this.afterDraw();
      requestAnimationFrame((next) => this.choosePixels(next - now));
    });
  }

  // `cost`: ms until the browser was ready for another picture. Coarser while that is long, one level after the other;
  // sharp again after a rest. A simulation that sends few frames does not count as slow drawing.
  private choosePixels(cost: number): void {
    this.cost += 0.15 * (Math.min(cost, 3 * SLOW_MS) - this.cost); // one long wait, as for shaders, is no movement
    if (this.cost > SLOW_MS && this.level < PIXELS.length - 1) this.setLevel(this.level + 1);
    clearTimeout(this.restTimer);
    if (this.level > 0)
      this.restTimer = window.setTimeout(() => {
        this.setLevel(0);
        if (this.renderer.getPixelRatio() !== this.sharp) this.redraw();
      }, REST_MS);
  }

  private setLevel(level: number): void {
    this.level = level;
    this.cost = 0;
  }

  // Another size empties the canvas, so it is set right before a picture is drawn.
  private setPixels(): void {
    const ratio = PIXELS[this.level] * this.sharp;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
  }

  get resting(): boolean {
    return this.pending === 0 && this.renderer.getPixelRatio() === this.sharp;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.fill();
  }

  // For another size or number of viewports.
  private fill(): void {
    if (this.fitted) return this.fit(this.fitted);
    this.shape();
    this.redraw();
  }

  show(views: ViewScene[]): void {
    const another = views.length !== this.views.length;
    this.views = views;
    if (another) this.fill();
  }

  // Side by side, or above each other on a narrow screen. In CSS pixels from the top left.
  viewport(i: number): { x: number; y: number; width: number; height: number } {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const n = Math.max(1, this.views.length);
    return width >= height
      ? { x: (i * width) / n, y: 0, width: width / n, height }
      : { x: 0, y: (i * height) / n, width, height: height / n };
  }

  private shape(): void {
    const { width, height } = this.viewport(0);
    const aspect = width / height;
    this.deep.aspect = aspect;
    this.flat.right = (this.size / 2) * Math.max(1, aspect);
    this.flat.left = -this.flat.right;
    this.flat.top = this.flat.right / aspect;
    this.flat.bottom = -this.flat.top;
    this.camera.updateProjectionMatrix();
  }

  private draw(): void {
    const { renderer, camera, controls } = this;
    const distance = camera.position.distanceTo(controls.target);
    if (camera === this.deep) {
      camera.near = Math.max(distance / 200, 1e-4 * this.size);
      camera.far = distance + 30 * this.size;
      camera.updateProjectionMatrix();
    }
    renderer.setScissorTest(this.views.length > 1);
    this.views.forEach((view, i) => {
      const { x, y, width, height } = this.viewport(i);
      const bottom = this.canvas.clientHeight - y - height;
      renderer.setViewport(x, bottom, width, height);
      renderer.setScissor(x, bottom, width, height);
      view.draw(renderer, camera);
    });
  }

  // Chooses the kind of camera and looks at a box: from the front and a little above, or straight at a plane.
  look(box: Box3, dim: 2 | 3): void {
    this.camera = dim === 2 ? this.flat : this.deep;
    this.controls.object = this.camera;
    this.controls.enableRotate = dim === 3;
    this.controls.touches = { ONE: dim === 3 ? TOUCH.ROTATE : TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    this.controls.mouseButtons.LEFT = dim === 3 ? MOUSE.ROTATE : MOUSE.PAN;
    this.fit(box, dim === 3 ? new Vector3(0.62, -1, 0.42) : new Vector3(0, 0, 1));
  }

  // Moves the camera until a box fills the view, keeping the direction unless one is given.
  fit(box: Box3, direction?: Vector3): void {
    const middle = box.getCenter(new Vector3());
    this.fitted = box;
    this.size = box.getSize(new Vector3()).length() || 1;
    const from = (direction ?? this.camera.position.clone().sub(this.controls.target)).normalize();
    this.shape();
    const { width, height } = this.viewport(0);
    const seen = width > 0 && height > 0; // else there is nothing to fill yet: resize() calls again
    const distance = this.camera === this.deep && seen ? this.place(box, from) : 2 * this.size;
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(from, distance);
    this.controls.minDistance = 0.02 * this.size;
    this.controls.maxDistance = 25 * this.size;
    this.flat.zoom = 1;
    this.flat.near = 0;
    this.flat.far = 4 * this.size;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.redraw();
  }

  // Corners of a box, and where their shadows fall.
  private corners(box: Box3): Vector3[] {
    const all: Vector3[] = [];
    for (const x of [box.min.x, box.max.x])
      for (const y of [box.min.y, box.max.y]) for (const z of [box.min.z, box.max.z]) all.push(new Vector3(x, y, z));
    const { ground } = this;
    const above = ground === null ? [] : all.filter((p) => p.z > ground);
    return [...all, ...above.map((p) => p.clone().addScaledVector(TO_SUN, (ground! - p.z) / TO_SUN.z))];
  }

  // The least distance from which all corners are seen, with room for names above and the legend below; and the picture is
  // shifted, not the target, until they are in the middle of what is left. At a distance d a corner that is r to the right of
  // the target and w nearer is seen at the slope r / (d - w).
  private place(box: Box3, from: Vector3): number {
    const middle = box.getCenter(new Vector3()),
      half = Math.tan((FOV * Math.PI) / 360),
      below = Math.min(0.3, Math.max(0.1, (this.legend.offsetHeight + 20) / this.viewport(0).height || 0));
    const right = new Vector3(0, 0, 1).cross(from).normalize(),
      up = from.clone().cross(right);
    const arms = this.corners(box)
      .map((p) => p.sub(middle))
      .map((p) => [p.dot(right), p.dot(up), p.dot(from)]);
    const span = (axis: 0 | 1, d: number): [number, number] => {
      const slopes = arms.map((p) => p[axis] / (d - p[2]));
      return [Math.min(...slopes), Math.max(...slopes)];
    };
    const wide = 2 * half * this.deep.aspect * (1 - 2 * BESIDE),
      high = 2 * half * (1 - ABOVE - below);
    const nearest = Math.max(...arms.map((p) => p[2]));
    const fits = (d: number): boolean => {
      const [x, y] = [span(0, d), span(1, d)];
      return x[1] - x[0] <= wide && y[1] - y[0] <= high;
    };
    let gap = 0.1 * this.size;
    for (let i = 0; i < 60 && !fits(nearest + gap); i++) gap *= 2;
    let [near, far] = [nearest + gap / 2, nearest + gap];
    for (let i = 0; i < 40; i++) {
      const d = (near + far) / 2;
      if (fits(d)) far = d;
      else near = d;
    }
    const [x, y] = [span(0, far), span(1, far)];
    const across = (x[0] + x[1]) / 2 / (2 * half * this.deep.aspect),
      along = (y[0] + y[1]) / 2 / (2 * half);
    this.deep.setViewOffset(1, 1, across, (below - ABOVE) / 2 - along, 1, 1);
    this.shape(); // it has made the aspect 1
    return far;
  }

  // For the keyboard: turns by radians, moves by parts of the distance, zooms by a factor.
  turn(azimuth: number, elevation: number): void {
    if (this.camera === this.flat) return this.pan(azimuth, -elevation);
    this.fitted = null;
    const arm = this.camera.position.clone().sub(this.controls.target),
      length = arm.length();
    const east = Math.atan2(arm.y, arm.x) + azimuth;
    const up = Math.min(1.55, Math.max(-1.55, Math.asin(arm.z / length) + elevation));
    arm.set(Math.cos(up) * Math.cos(east), Math.cos(up) * Math.sin(east), Math.sin(up)).multiplyScalar(length);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.redraw();
  }

  pan(right: number, up: number): void {
    this.fitted = null;
    const reach =
      this.camera === this.flat
        ? (this.flat.right - this.flat.left) / this.flat.zoom
        : this.camera.position.distanceTo(this.controls.target) * Math.tan((FOV * Math.PI) / 360) * 2;
    const by = new Vector3(right * reach, up * reach, 0).applyQuaternion(this.camera.quaternion);
    this.controls.target.add(by);
    this.camera.position.add(by);
    this.controls.update();
    this.redraw();
  }

  zoom(factor: number): void {
    this.fitted = null;
    if (this.camera === this.flat) {
      this.flat.zoom *= factor;
      this.flat.updateProjectionMatrix();
    } else {
      this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    }
    this.controls.update();
    this.redraw();
  }

  get direction(): Vector3 {
    return this.camera.getWorldDirection(new Vector3());
  }

  // Where a place on the canvas (CSS pixels) looks.
  spot(px: number, py: number): Spot {
    const view = Math.max(
      0,
      this.views.findIndex((_, i) => {
        const p = this.viewport(i);
        return px >= p.x && px < p.x + p.width && py >= p.y && py < p.y + p.height;
      }),
    );
    const p = this.viewport(view);
    this.camera.updateMatrixWorld();
    this.raycaster.setFromCamera(
      new Vector2((2 * (px - p.x)) / p.width - 1, 1 - (2 * (py - p.y)) / p.height),
      this.camera,
    );
    const { origin, direction } = this.raycaster.ray;
    return { view, ray: { origin: origin.toArray(), direction: direction.toArray() } };
  }

  // The other way, for the first view.
  project(x: number, y: number, z: number): { x: number; y: number } {
    const p = this.viewport(0),
      at = new Vector3(x, y, z).project(this.camera);
    return { x: p.x + ((at.x + 1) / 2) * p.width, y: p.y + ((1 - at.y) / 2) * p.height };
  }
}

// Smooth edges cost a software renderer a quarter of its speed.
function isSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const info = context?.getExtension("WEBGL_debug_renderer_info");
  const name = info && context ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
