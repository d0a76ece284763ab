// SPDX-License-Identifier: Apache-2.0
// The page as one file from disk: nothing is fetched, everything can be played, scrubbed and read.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { executable, launch, open, OUT, PAGE, resembles, settle } from "./browser.mjs";
import { embedded, Mock } from "./mock.mjs";

const skip = !executable ? "no Chromium here" : !existsSync(PAGE) ? "the page is not built: npm run build" : false;
const html = skip ? "" : readFileSync(PAGE, "utf8");
const COUNT = 24;
const REPORT = {
  title: "full against rigidify",
  columns: ["full", "rigidify"],
  rows: [
    { label: "CPU time", values: ["12.1 s", "2.2 s"], note: "of all steps" },
    { label: "total speedup", values: ["5.5"], note: "" },
  ],
};
let browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(async () => browser?.close());

function write(name, text) {
  writeFileSync(`${OUT}${name}.html`, text);
  return `file://${OUT}${name}.html`;
}

test("a file from disk plays, is scrubbed and fetches nothing", { skip }, async () => {
  const url = write("file", embedded(html, new Mock(), COUNT));
  const requests = [],
    page = await open(browser, url, { requests });
  try {
    await settle(page);
    assert.deepEqual(
      requests.filter((r) => r !== url && !r.startsWith("data:")),
      [],
    );
    assert.equal(await page.locator("#badge").textContent(), "replay");
    assert.match(await page.locator("#clock").textContent(), /0\.000\u202fs · step 0/);
    assert.match(await page.locator("#numbers").innerText(), /degrees of freedom/);
    assert.equal(await page.locator("#split").isVisible(), false);
    await page.locator("#timeline").fill("13");
    await page.waitForFunction(() => window.thaw.stage.views[0].frame.header.frame === 13);
    // Differences were added up over all frames before: the positions are those of frame 13.
    const mock = new Mock(),
      x = await page.evaluate(() => [...window.thaw.stage.views[0].x.slice(0, 300)]);
    mock.sent.slice(0, 100).forEach((v, i) => {
      const exact = mock.position(v, 0.26, [0, 0, 0]);
      for (let k = 0; k < 3; k++) assert.ok(Math.abs(x[3 * i + k] - exact[k]) < 4 / 65535);
    });
    await settle(page);
    await resembles(page, "file");
    await page.locator("#canvas").focus();
    await page.keyboard.press(",");
    await page.waitForFunction(() => window.thaw.stage.views[0].frame.header.frame === 12);
    await page.keyboard.press("s");
    await page.waitForFunction(() => window.thaw.stage.views[0].frame.header.frame === 13);
    await page.keyboard.press("r");
    await page.waitForFunction(() => window.thaw.stage.views[0].frame.header.frame === 0);
    await page.keyboard.press(" ");
    await page.waitForFunction(
      (n) => window.thaw.stage.views[0].frame.header.frame === n && !window.thaw.transport.playing,
      COUNT - 1,
    );
    await page.keyboard.press(" "); // from the end: once more from the start
    await page.waitForFunction((n) => window.thaw.stage.views[0].frame.header.frame < n - 1, COUNT);
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.context().close();
  }
});

test("an element in a file tells all its fields", { skip }, async () => {
  const page = await open(browser, write("hover", embedded(html, new Mock(), 2)));
  try {
    await settle(page);
    const at = await page.evaluate(() => {
      const frame = document.getElementById("canvas").getBoundingClientRect(),
        p = window.thaw.stage.project(-0.15, -0.1, 0.1);
      return [frame.left + p.x, frame.top + p.y];
    });
    await page.mouse.move(...at);
    await page.waitForFunction(() => !document.getElementById("card").hidden);
    assert.deepEqual(await page.locator("#card dt").allTextContents(), [
      "rigid part",
      "why it is awake",
      "strain rate",
      "speed",
    ]);
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.context().close();
  }
});

test("a comparison shows both runs, the table and plots with the present moment", { skip }, async () => {
  const page = await open(browser, write("report", embedded(html, new Mock({ views: 2 }), COUNT, { report: REPORT })));
  try {
    await settle(page);
    assert.equal(await page.evaluate(() => window.thaw.stage.views.length), 2);
    const table = await page.locator("#panel fieldset").first().innerText();
    for (const word of ["full against rigidify", "12.1 s", "total speedup", "of all steps"])
      assert.ok(table.includes(word), table);
    assert.equal(await page.locator("#plots figure").count(), 4);
    await page.locator("#plots .u-over >> nth=2").click({ position: { x: 100, y: 30 } });
    await page.waitForFunction(() => window.thaw.stage.views[0].frame.header.frame > 3);
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.context().close();
  }
});

test("a file that was cut short says so", { skip }, async () => {
  const whole = embedded(html, new Mock(), 4);
  const cut = whole.replace(/(id="thaw-frames">[A-Za-z0-9+/]{2000})[^<]*/, "$1");
  const context = await browser.newContext(),
    page = await context.newPage();
  try {
    await page.goto(write("cut", cut));
    await page.waitForFunction(() => !document.getElementById("message").hidden);
    assert.ok((await page.locator("#message").textContent()).length > 10);
  } finally {
    await context.close();
  }
});

test("the page alone says how to get something to see", { skip }, async () => {
  const context = await browser.newContext(),
    page = await context.newPage();
  try {
    await page.goto(write("alone", html));
    await page.waitForFunction(() => !document.getElementById("message").hidden);
    assert.match(await page.locator("#message").textContent(), /thaw view/);
  } finally {
    await context.close();
  }
});

// WCAG 2.1: relative luminance, and 4.5 to 1 for text.
async function weakContrasts(page) {
  return page.evaluate(() => {
    const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgba = (colour) => {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      return [...pen.getImageData(0, 0, 1, 1).data];
    };
    const linear = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const contrast = (a, b) =>
      (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);
    const root = getComputedStyle(document.documentElement);
    const grounds = (element) => {
      for (let e = element; e; e = e.parentElement) {
        if (e.id === "stage")
          return [rgba(root.getPropertyValue("--stage-top")), rgba(root.getPropertyValue("--stage-low"))];
        const colour = rgba(getComputedStyle(e).backgroundColor);
        if (colour[3] > 220) return [colour];
      }
      return [[255, 255, 255]];
    };
    const weak = [];
    for (const element of document.querySelectorAll("body *")) {
      const text = [...element.childNodes]
        .filter((n) => n.nodeType === 3)
        .map((n) => n.textContent.trim())
        .join("");
      if (!text || !element.checkVisibility() || element.closest("script, style, svg, :disabled")) continue;
      const colour = rgba(getComputedStyle(element).color);
      for (const ground of grounds(element)) {
        const ratio = contrast(colour, ground);
        if (ratio < 4.5) weak.push(`${element.tagName} "${text.slice(0, 30)}": ${ratio.toFixed(2)}`);
      }
    }
    return weak;
  });
}

for (const colorScheme of ["light", "dark"])
  test(`all text can be read in ${colorScheme} colours`, { skip }, async () => {
    const page = await open(browser, write("contrast", embedded(html, new Mock({ views: 2 }), 4, { report: REPORT })), {
      colorScheme,
    });
    try {
      await page.evaluate(() => window.thaw.error("A message that can be read."));
      await page.keyboard.press("?");
      await settle(page);
      assert.deepEqual(await weakContrasts(page), []);
      assert.deepEqual(page.complaints, []);
    } finally {
      await page.context().close();
    }
  });

// What the page itself computes for a frame, and how fast it draws, are figures to read: they depend on the machine.
test("sixty thousand tetrahedra are shown frame by frame", { skip }, async () => {
  const mock = new Mock({ count: 20, n: 8 });
  assert.ok(mock.mesh.tets.length / 4 > 60000 && mock.faces.length > 15000);
  const page = await open(browser, write("large", embedded(html, mock, 6)));
  try {
    await settle(page);
    const { compute, pictures } = await page.evaluate(async () => {
      const { stage, transport } = window.thaw,
        prepare = stage.beforeDraw,
        times = [];
      stage.beforeDraw = () => {
        const start = performance.now();
        prepare();
        times.push(performance.now() - start);
      };
      const start = performance.now(),
        drawn = stage.drawn;
      for (let i = 0; i < 40; i++) {
        transport.seek(i % 6);
        await new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
      }
      return {
        compute: times.sort((a, b) => a - b)[Math.floor(times.length / 2)] || Number.EPSILON,
        pictures: (1000 * (stage.drawn - drawn)) / (performance.now() - start),
      };
    });
    console.log(
      `# 61440 tetrahedra, ${mock.faces.length} triangles: ${compute.toFixed(1)} ms of preparation a frame, ${pictures.toFixed(1)} pictures a second`,
    );
    assert.ok(compute > 0);
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.context().close();
  }
});
