// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium with software graphics, and a page that fails its test when it complains.
import { existsSync, mkdirSync } from "node:fs";
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

// `complaints` collects everything a developer would see in red.
export async function open(browser, url, { width = 1280, height = 800, colorScheme = "light", ...more } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: "reduce",
    ...more,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.complaints = [];
  page.on("console", (m) => {
    if (["error", "warning"].includes(m.type()) && !driverTalk(m.text())) page.complaints.push(m.text());
  });
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
