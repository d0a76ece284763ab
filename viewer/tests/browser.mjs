// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium with software graphics, and a page that fails its test when it complains.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const OUT = here("./out/");
export const PAGE = process.env.THAW_PAGE ?? here("../dist/index.html");

export const executable =
  process.env.THAW_CHROMIUM ??
  ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export async function launch() {
  mkdirSync(OUT, { recursive: true });
  return chromium.launch({
    executablePath: executable,
    args: [
      "--no-sandbox",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--ignore-gpu-blocklist",
      "--disable-gpu-compositing",
      "--hide-scrollbars",
      "--force-color-profile=srgb",
    ],
  });
}

// `complaints` collects everything a developer would see in red, `requests` every address that the page asks for.
export async function open(browser, url, { width = 1280, height = 800, colorScheme = "light", requests = [] } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120000); // against hangs only
  page.complaints = [];
  page.on("console", (m) => {
    if (["error", "warning"].includes(m.type()) && !driverTalk(m.text())) page.complaints.push(m.text());
  });
  page.on("request", (r) => requests.push(r.url()));
  page.on("pageerror", (e) => page.complaints.push(String(e)));
  await page.goto(url);
  await page.waitForFunction(() => window.thaw?.stage.views[0]?.frame && window.thaw.stage.drawn > 0);
  return page;
}

// SwiftShader tells about its own speed when pixels are read back for screenshots; that is not the page's doing.
function driverTalk(text) {
  return text.includes("GPU stall due to ReadPixels");
}

// Waits until the page has nothing more to draw and its texts are up to date.
export async function settle(page) {
  await page.evaluate(async () => {
    const { stage } = window.thaw;
    const picture = () => new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
    for (let before = -1; before !== stage.drawn || !stage.resting; ) {
      before = stage.drawn;
      await picture();
      await picture();
    }
    await new Promise((r) => setTimeout(r, 150));
  });
}

// Compares the canvas, without the texts above it (fonts differ between machines), with the picture that was looked at
// when it was kept. Where there is none it is written; `THAW_KEEP=1` renews all.
export async function resembles(page, name) {
  const overlays = "#labels, #legend, #card, #message, #hint";
  await page.locator(overlays).evaluateAll((all) => all.forEach((e) => e.style.setProperty("visibility", "hidden")));
  const now = await page.locator("#canvas").screenshot({ type: "jpeg", quality: 85 });
  await page.locator(overlays).evaluateAll((all) => all.forEach((e) => e.style.removeProperty("visibility")));
  writeFileSync(`${OUT}${name}.jpg`, now);
  const kept = here(`./expected/${name}.jpg`);
  if (process.env.THAW_KEEP || !existsSync(kept)) {
    mkdirSync(here("./expected/"), { recursive: true });
    writeFileSync(kept, now);
    return;
  }
  const { mean, far } = await difference(page.context().browser(), now, readFileSync(kept));
  assert.ok(
    mean < 3 && far < 0.02,
    `${name}: mean difference ${mean.toFixed(2)} of 255, ${(100 * far).toFixed(2)} % of pixels differ clearly`,
  );
}

async function difference(browser, ...pictures) {
  const context = await browser.newContext(),
    page = await context.newPage();
  const result = await page.evaluate(
    async (sources) => {
      const [a, b] = await Promise.all(
        sources.map(async (source) => {
          const image = await createImageBitmap(await (await fetch(source)).blob());
          const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
          pen.drawImage(image, 0, 0);
          return pen.getImageData(0, 0, image.width, image.height);
        }),
      );
      if (a.width !== b.width || a.height !== b.height) return { mean: 255, far: 1 };
      let sum = 0,
        far = 0;
      for (let i = 0; i < a.data.length; i += 4) {
        const d = [0, 1, 2].map((k) => Math.abs(a.data[i + k] - b.data[i + k]));
        sum += (d[0] + d[1] + d[2]) / 3;
        if (Math.max(...d) > 40) far++;
      }
      return { mean: (4 * sum) / a.data.length, far: (4 * far) / a.data.length };
    },
    pictures.map((p) => `data:image/jpeg;base64,${p.toString("base64")}`),
  );
  await context.close();
  return result;
}
