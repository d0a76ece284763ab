// SPDX-License-Identifier: Apache-2.0
// How surfaces are lit, and where the sun's shadow falls.
//
// Many screens have no graphics card behind them (remote desktops, containers, the tests): there every operation of a pixel is
// computed by the processor. So light is computed at vertices; a pixel looks up its colour and one comparison with the
// shadow map, and multiplies. Colours stay as they are stored (sRGB): brightness L in linear light scales them by L^(1/2.2) very
// nearly, so that no pixel has powers to compute. Where there is a graphics card, the shadow's edge is taken from four
// comparisons instead of one.
import {
  Color,
  DepthTexture,
  DoubleSide,
  FrontSide,
  LessEqualCompare,
  LinearFilter,
  Matrix4,
  OrthographicCamera,
  type Plane,
  RedFormat,
  type Scene,
  ShaderMaterial,
  type ShaderMaterialParameters,
  type Texture,
  UnsignedIntType,
  Vector3,
  Vector4,
  type WebGLRenderer,
  WebGLRenderTarget,
} from "three";
import type { Theme } from "./theme";

export const SHADOW_LAYER = 1; // of everything that casts a shadow
const SIZE = 1024; // texels of the shadow map
export const TO_SUN = new Vector3(-0.45, -0.6, 1.25);

export class Sun {
  stale = true; // something that casts a shadow has moved
  readonly uniforms: Record<string, { value: unknown }>; // of every material in its scene
  private readonly camera = new OrthographicCamera();
  private readonly target: WebGLRenderTarget | null = null;
  private readonly silhouette: ShaderMaterial;

  // Shines on the box with some room around it. In 2D everything is simply bright.
  constructor(low: Vector3, high: Vector3, theme: Theme, dim: 2 | 3) {
    const size = high.distanceTo(low) || 1,
      middle = low.clone().add(high).multiplyScalar(0.5);
    const light = (colour: string, strength: number): Color => new Color(colour).multiplyScalar(strength / Math.PI);
    const sky = dim === 3 ? light(theme.sky, theme.skyLight) : light(theme.sky, Math.PI);
    this.uniforms = {
      sky: { value: sky },
      ground: { value: dim === 3 ? light(theme.ground, theme.skyLight) : sky },
      sun: { value: light("#fff4e6", dim === 3 ? theme.keyLight : 0) },
      toSun: { value: TO_SUN.clone().normalize() },
      toShadow: { value: new Matrix4() },
      lift: { value: 0.0015 * size },
      shadowMap: { value: null },
      clip: { value: new Vector4(0, 0, 0, 1) },
    };
    this.silhouette = new ShaderMaterial({
      uniforms: { clip: this.uniforms.clip },
      vertexShader: SILHOUETTE_VERTEX,
      fragmentShader: SILHOUETTE_FRAGMENT,
      colorWrite: false,
    });
    if (dim === 2) return;
    const { camera } = this;
    camera.up.set(0, 0, 1);
    camera.position.copy(middle).addScaledVector(TO_SUN, size);
    camera.lookAt(middle);
    camera.left = camera.bottom = -0.95 * size;
    camera.right = camera.top = 0.95 * size;
    camera.near = 0.1 * size;
    camera.far = 3.5 * size;
    camera.layers.set(SHADOW_LAYER);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    (this.uniforms.toShadow.value as Matrix4)
      .set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1) // from -1..1 to 0..1
      .multiply(camera.projectionMatrix)
      .multiply(camera.matrixWorldInverse);
    const depth = new DepthTexture(SIZE, SIZE, UnsignedIntType);
    depth.compareFunction = LessEqualCompare;
    depth.minFilter = depth.magFilter = LinearFilter; // of the comparisons, which softens the edge
    this.target = new WebGLRenderTarget(SIZE, SIZE, { depthTexture: depth, format: RedFormat });
    this.uniforms.shadowMap.value = depth;
  }

  // Draws the shadow map again if it is no longer true: for new frames, not when the camera moves.
  cast(renderer: WebGLRenderer, scene: Scene): void {
    if (!this.stale || !this.target) return;
    this.stale = false;
    scene.overrideMaterial = this.silhouette;
    renderer.setRenderTarget(this.target);
    renderer.render(scene, this.camera);
    renderer.setRenderTarget(null);
    scene.overrideMaterial = null;
  }

  // Takes away what lies behind the plane; null: nothing. Call for each material below as well.
  setClip(plane: Plane | null): void {
    const { normal, constant } = plane ?? { normal: { x: 0, y: 0, z: 0 }, constant: 1 };
    (this.uniforms.clip.value as Vector4).set(normal.x, normal.y, normal.z, constant);
    setClipped(this.silhouette, plane !== null);
    this.stale = true;
  }

  dispose(): void {
    this.target?.depthTexture?.dispose();
    this.target?.dispose();
    this.silhouette.dispose();
  }
}

// As written in a style sheet.
const stored = (colour: string): Color => new Color(colour).convertLinearToSRGB();

// Painted from a strip of colours by each vertex's `place` on it, or with one colour.
export function surfaceMaterial(
  sun: Sun,
  paint: { strip: Texture } | { colour: string },
  software: boolean,
  more: ShaderMaterialParameters = {},
): ShaderMaterial {
  const shadow = sun.uniforms.shadowMap.value !== null;
  return new ShaderMaterial({
    uniforms: {
      ...sun.uniforms,
      opacity: { value: 1 },
      ...("strip" in paint ? { strip: { value: paint.strip } } : { colour: { value: stored(paint.colour) } }),
    },
    defines: { ...("strip" in paint ? { STRIP: "" } : {}), ...(shadow ? { TAPS: software ? 1 : 4 } : {}) },
    vertexShader: SURFACE_VERTEX,
    fragmentShader: SHADOW_TAPS + SURFACE_FRAGMENT,
    ...more,
  });
}

// Without light: exactly the legend's colours.
export function sectionMaterial(strip: Texture, more: ShaderMaterialParameters): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { strip: { value: strip } },
    vertexShader: SECTION_VERTEX,
    fragmentShader: SECTION_FRAGMENT,
    side: DoubleSide,
    ...more,
  });
}

export function floorMaterial(sun: Sun, radius: number, cell: number, theme: Theme, software: boolean): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: {
      ...sun.uniforms,
      floor: { value: stored(theme.floor) },
      grid: { value: stored(theme.grid) },
      dark: { value: theme.shadow },
      radius: { value: radius },
      cell: { value: cell },
    },
    defines: sun.uniforms.shadowMap.value !== null ? { TAPS: software ? 1 : 4 } : {},
    vertexShader: FLOOR_VERTEX,
    fragmentShader: SHADOW_TAPS + FLOOR_FRAGMENT,
    transparent: true,
    depthWrite: false,
  });
}

export function setClipped(material: ShaderMaterial, on: boolean): void {
  material.side = on ? DoubleSide : FrontSide;
  define(material, "CLIP", on);
}

// A colour for each triangle, the one at its last corner; or colours that run from vertex to vertex.
export function setFlat(material: ShaderMaterial, on: boolean): void {
  define(material, "FLAT", on);
}

function define(material: ShaderMaterial, name: string, on: boolean): void {
  if (name in material.defines === on) return;
  if (on) material.defines[name] = "";
  else delete material.defines[name];
  material.needsUpdate = true;
}

const CLIP_VERTEX = `
#ifdef CLIP
uniform vec4 clip;
varying float above;
#endif
`;

// Every vertex shader ends so.
const END_VERTEX = `
#ifdef CLIP
  above = dot(clip, vec4(position, 1.0));
#endif
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const AT = `
#ifdef FLAT
flat
#endif
varying float at;
`;

const SURFACE_VERTEX = `
uniform vec3 sky, ground, sun, toSun;
#ifdef STRIP
attribute float place;
${AT}
#endif
#ifdef TAPS
uniform mat4 toShadow;
uniform float lift;
varying vec3 spot;
varying vec3 lit;
#endif
varying vec3 shade;
${CLIP_VERTEX}
void main() {
  vec3 around = mix(ground, sky, 0.5 + 0.5 * normal.z);
  shade = pow(around, vec3(1.0 / 2.2));
#ifdef STRIP
  at = place;
#endif
#ifdef TAPS
  lit = pow(around + sun * max(0.0, dot(normal, toSun)), vec3(1.0 / 2.2));
  spot = (toShadow * vec4(position + lift * normal, 1.0)).xyz - vec3(0.0, 0.0, 0.0006);
#endif
${END_VERTEX}`;

// How much of the sun reaches a place of the shadow map.
const SHADOW_TAPS = `
#ifdef TAPS
uniform mediump sampler2DShadow shadowMap;
float sunlight(vec3 spot) {
#if TAPS == 1
  return texture(shadowMap, spot);
#else
  vec3 a = vec3(1.2, 0.5, 0.0) / ${SIZE}.0, b = vec3(-0.5, 1.2, 0.0) / ${SIZE}.0;
  return 0.25 * (texture(shadowMap, spot + a) + texture(shadowMap, spot - a) + texture(shadowMap, spot + b) +
    texture(shadowMap, spot - b));
#endif
}
#endif
`;

const SURFACE_FRAGMENT = `
uniform float opacity;
varying vec3 shade;
#ifdef STRIP
uniform sampler2D strip;
${AT}
#else
uniform vec3 colour;
#endif
#ifdef TAPS
varying vec3 spot, lit;
#endif
#ifdef CLIP
varying float above;
#endif
void main() {
#ifdef CLIP
  if (above < 0.0) discard;
#endif
  vec3 light = shade;
#ifdef TAPS
  light = mix(shade, lit, sunlight(spot));
#endif
#ifdef CLIP
  if (!gl_FrontFacing) light = 0.8 * shade;
#endif
#ifdef STRIP
  vec3 colour = texture2D(strip, vec2(at, 0.5)).rgb;
#endif
  gl_FragColor = vec4(colour * light, opacity);
}`;

const SECTION_VERTEX = `
attribute float place;
varying float at;
void main() {
  at = place;
${END_VERTEX}`;

const SECTION_FRAGMENT = `
uniform sampler2D strip;
varying float at;
void main() { gl_FragColor = vec4(texture2D(strip, vec2(at, 0.5)).rgb, 1.0); }`;

const SILHOUETTE_VERTEX = `
${CLIP_VERTEX}
void main() {
${END_VERTEX}`;

const SILHOUETTE_FRAGMENT = `
#ifdef CLIP
varying float above;
#endif
void main() {
#ifdef CLIP
  if (above < 0.0) discard;
#endif
  gl_FragColor = vec4(1.0);
}`;

const FLOOR_VERTEX = `
varying vec2 place;
#ifdef TAPS
uniform mat4 toShadow;
varying vec3 spot;
#endif
void main() {
  place = position.xy;
#ifdef TAPS
  spot = (toShadow * modelMatrix * vec4(position, 1.0)).xyz - vec3(0.0, 0.0, 0.0006);
#endif
${END_VERTEX}`;

// Lines keep about a pixel's width at any distance, and fade where they would be closer than a few pixels. Floor and
// background differ by a few of 256 steps only: noise (interleaved gradients, J. Jimenez 2014) breaks up the rings that the
// fade would show.
const FLOOR_FRAGMENT = `
uniform vec3 floor, grid;
uniform float radius, cell, dark;
varying vec2 place;
#ifdef TAPS
varying vec3 spot;
#endif
void main() {
  vec2 at = place / cell, width = fwidth(at), off = abs(fract(at + 0.5) - 0.5) / width;
  float line = (1.0 - min(min(off.x, off.y), 1.0)) * (1.0 - smoothstep(0.1, 0.5, max(width.x, width.y)));
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  float fade = max(0.0, 1.0 - length(place) / radius);
  fade *= fade * (3.0 - 2.0 * fade);
  vec3 colour = mix(floor, grid, line);
#ifdef TAPS
  vec2 off_map = abs(spot.xy - 0.5);
  if (max(off_map.x, off_map.y) < 0.5) colour *= 1.0 - dark * (1.0 - sunlight(spot));
#endif
  gl_FragColor = vec4(colour, clamp(fade + 0.1 * noise * fade, 0.0, 1.0));
}`;
