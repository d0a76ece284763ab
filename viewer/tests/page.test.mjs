// SPDX-License-Identifier: Apache-2.0
// The page in Chromium, with a stand-in for the program whose values are known. What needs the program itself is in
// program.test.mjs.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { executable, launch, open, PAGE, resembles, settle } from "./browser.mjs";
import { Mock, serve } from "./mock.mjs";

const skip = !executable ? "no Chromium here" : !existsSync(PAGE) ? "the page is not built: npm run build" : false;
const html = skip ? "" : readFileSync(PAGE, "utf8");
let browser, mock, server, page;

before(async () => {
  if (!skip) browser = await launch();
});
after(async () => browser?.close());

// A fresh program and page; whatever the page complains about fails the test that made it complain.
function onPage(name, run, options = {}) {
  test(name, { skip }, async () => {
    mock = new Mock(options.mock);
    server = await serve(html, mock, options.server);
    try {
      page = await open(browser, server.url, options.page);
      await settle(page);
      await run();
      assert.deepEqual(page.complaints, []);
    } finally {
      await page?.context().close();
      server.close();
    }
  });
}

const said = (type) => server.log.filter((m) => m.type === type);
const heard = async (type, count = 1) => {
  for (let i = 0; i < 6000 && said(type).length < count; i++) await new Promise((r) => setTimeout(r, 20));
  assert.ok(said(type).length >= count, `the page never sent ${count} × "${type}"`);
  return said(type).at(-1);
};
const stats = (view = 0) => page.evaluate((v) => window.thaw.stage.views[v].frame.header.stats, view);
// Where a point of the world is in the window.
const windowPlace = (x, y, z) =>
  page.evaluate(
    ([a, b, c]) => {
      const frame = document.getElementById("canvas").getBoundingClientRect(),
        at = window.thaw.stage.project(a, b, c);
      return { x: frame.left + at.x, y: frame.top + at.y };
    },
    [x, y, z],
  );
const FRONT = [-0.15, -0.1, 0.1]; // the middle of a face of block 0

onPage("the page shows a scene, its numbers and its legend", async () => {
  assert.equal(await page.title(), "Blocks that sway · Thaw");
  assert.match(await page.locator("#labels").textContent(), /864\u00a0of\u00a02\u202f592\u00a0elements\u00a0elastic/);
  assert.match(await page.locator("#legend").textContent(), /rigid part/);
  const x = await page.evaluate(() => [...window.thaw.stage.views[0].x.slice(0, 30)]);
  mock.sent.slice(0, 10).forEach((v, i) => {
    const exact = mock.position(v, 0, [0, 0, 0]);
    for (let k = 0; k < 3; k++) assert.ok(Math.abs(x[3 * i + k] - exact[k]) < 4 / 65535, "positions are as sent");
  });
  await resembles(page, "blocks");
});

onPage("play, pause, single step, speed and reset reach the program", async () => {
  await page.click("#play");
  await heard("play");
  await page.waitForFunction(() => window.thaw.stage.views[0].frame.header.step > 3);
  assert.equal(await page.getAttribute("#play", "aria-label"), "Pause");
  await page.click("#plots-open");
  await page.keyboard.press(" "); // plays or pauses, whatever was clicked last
  await heard("pause");
  assert.equal(await page.locator("#plots").isVisible(), true);
  const paused = mock.step;
  await page.waitForFunction((n) => window.thaw.stage.views[0].frame.header.step === n, paused);
  await page.click("#step");
  await page.waitForFunction((n) => window.thaw.stage.views[0].frame.header.step === n + 1, paused);
  await page.selectOption("#speed", "0.25");
  assert.equal((await heard("speed")).value, 0.25);
  await page.click("#reset");
  await page.waitForFunction(() => window.thaw.stage.views[0].frame.header.step === 0);
});

onPage("the mouse turns, moves and zooms the camera, and pictures follow", async () => {
  const eye = () =>
    page.evaluate(() =>
      window.thaw.stage.controls.object.position
        .toArray()
        .map((v) => v.toFixed(4))
        .join(),
    );
  const drag = async (button) => {
    await page.mouse.move(60, 160); // beside the bodies
    await page.mouse.down({ button });
    await page.mouse.move(160, 200, { steps: 4 });
    await page.mouse.up({ button });
    await settle(page);
  };
  const places = [await eye()];
  await drag("left");
  places.push(await eye());
  await drag("right");
  places.push(await eye());
  await page.mouse.wheel(0, -240);
  await settle(page);
  places.push(await eye());
  assert.equal(new Set(places).size, 4);
  assert.equal(said("drag").length, 0);
});

onPage("a body that is pulled wakes around the hand, and falls asleep when let go", async () => {
  const asleep = (await stats()).elastic_elements,
    at = await windowPlace(...FRONT);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x - 60, at.y - 30, { steps: 5 });
  const { bary, to, triangle, view } = await heard("drag", 3);
  assert.equal(view, 0);
  assert.ok(Math.abs(bary[0] + bary[1] + bary[2] - 1) < 1e-6 && triangle >= 0);
  const [first] = said("drag");
  assert.ok(Math.hypot(...first.to.map((v, k) => v - FRONT[k])) < 0.02, "the hand takes hold where the mouse is");
  assert.ok(to[0] < first.to[0] && to[2] > first.to[2], "and moves with it");
  await page.waitForFunction((n) => window.thaw.stage.views[0].frame.header.stats.elastic_elements > n, asleep);
  await settle(page);
  await resembles(page, "pulled");
  await page.mouse.up();
  await heard("release");
  await page.waitForFunction((n) => window.thaw.stage.views[0].frame.header.stats.elastic_elements === n, asleep);
});

onPage("method and thresholds change while it runs", async () => {
  await page.getByRole("button", { name: "full", exact: true }).click();
  assert.equal((await heard("method")).name, "full");
  await page.waitForFunction(() => {
    const s = window.thaw.stage.views[0].frame.header.stats;
    return s.elastic_elements === s.elements;
  });
  await page.fill("#threshold-tau_rigid", "0.5");
  await page.keyboard.press("Tab");
  assert.deepEqual((await heard("settings")).values, { tau_rigid: 0.5 });
});

onPage("a new body is dropped from above, and the camera stays", async () => {
  const eye = await page.evaluate(() => window.thaw.stage.controls.object.position.toArray());
  await page.click("#drop");
  const { shape, position } = await heard("drop");
  assert.equal(shape, "block-0");
  assert.ok(position[2] > 0.2);
  await page.waitForFunction(() => window.thaw.header.bodies.length === 3);
  const eyeThen = await page.evaluate(() => window.thaw.stage.controls.object.position.toArray());
  eyeThen.forEach((v, k) => assert.ok(Math.abs(v - eye[k]) < 1e-9, "the camera stays")); // but for rounding as it settles
});

onPage("split screen shows two simulations with one camera, and plots of both", async () => {
  await page.keyboard.press("v");
  await page.keyboard.press("p");
  await page.waitForFunction(() => window.thaw.stage.views.length === 2 && window.thaw.stage.views[1].frame);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => window.thaw.stage.views[1].frame.header.step > 6);
  await page.keyboard.press(" ");
  await heard("pause");
  await settle(page);
  assert.deepEqual(await page.locator("#labels b").allTextContents(), ["full", "rigidify"]);
  assert.deepEqual(
    await page.locator("#plots figcaption").evaluateAll((all) => all.map((c) => c.firstChild.textContent)),
    ["elastic elements", "degrees of freedom", "speedup", "difference, of the diameter"],
  );
  assert.equal((await stats(0)).elastic_elements, 2592);
  const widths = await page
    .locator("#plots canvas")
    .evaluateAll((all) =>
      all.map((c) => c.getBoundingClientRect().right - c.closest("figure").getBoundingClientRect().right),
    );
  assert.ok(
    widths.every((over) => over <= 1),
    "plots stay within their places",
  );
  await page.keyboard.press("v");
  await page.waitForFunction(() => window.thaw.stage.views.length === 1);
});

onPage("every field of the header can be coloured by, with a legend", async () => {
  for (const { name, label, unit } of await page.evaluate(() => window.thaw.header.fields)) {
    await page.selectOption("#panel select >> nth=0", name);
    await page.waitForFunction((n) => window.thaw.painter.field.name === n && window.thaw.stage.views[0].values, name);
    const text = await page.locator("#legend").textContent();
    assert.ok(text.includes(label) && text.includes(unit), `the legend says "${text}"`);
  }
  await page.keyboard.press("c"); // around to the first
  assert.equal(await page.evaluate(() => window.thaw.painter.field.name), "part");
  await page.selectOption("#panel select >> nth=0", "strain_rate");
  await page.waitForFunction(() => window.thaw.stage.views[0].values);
  assert.equal(await page.evaluate(() => window.thaw.painter.scale.logarithmic), true);
  await page.keyboard.press("l");
  await settle(page);
  assert.equal(await page.evaluate(() => window.thaw.painter.scale.logarithmic), false);
});

onPage("an element under the mouse tells its numbers", async () => {
  const at = await windowPlace(...FRONT);
  await page.mouse.move(at.x, at.y);
  const { element } = await heard("pick");
  await page.waitForFunction(
    () => !document.getElementById("card").hidden && document.getElementById("card").textContent.includes("calm"),
  );
  const text = await page.locator("#card").textContent();
  assert.ok(text.includes("block-0") && text.includes(`Element ${element}`), text);
  await page.mouse.move(60, 160);
  await page.waitForFunction(() => document.getElementById("card").hidden);
});

onPage("cut open, the inside is asked for and shown element by element", async () => {
  await page.keyboard.press("x");
  assert.equal((await heard("interior")).on, true);
  await page.waitForFunction(() => window.thaw.stage.views[0].cut?.triangleCount > 100);
  await page.locator("[aria-label='Where to cut']").fill("0.45");
  await page.keyboard.press("w");
  await settle(page);
  // The section's area is that of two square blocks.
  const area = await page.evaluate(() => {
    const { positions: p, triangleCount } = window.thaw.stage.views[0].cut;
    let sum = 0;
    for (let t = 0; t < triangleCount; t++) {
      const u = [0, 1, 2].map((k) => p[9 * t + 3 + k] - p[9 * t + k]),
        v = [0, 1, 2].map((k) => p[9 * t + 6 + k] - p[9 * t + k]);
      sum += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
    }
    return sum;
  });
  assert.ok(Math.abs(area - 2 * 0.04) < 0.004, `the section has ${area} m²`);
  await resembles(page, "section");
  await page.keyboard.press("x");
  await page.waitForFunction(() => window.thaw.header.interior === false && window.thaw.look.clip === null);
});

onPage("everything can be done with keys, and help lists them", async () => {
  const eye = () => page.evaluate(() => window.thaw.stage.controls.object.position.toArray());
  const start = await eye();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowUp");
  await settle(page);
  assert.notDeepEqual(await eye(), start);
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("+");
  await page.keyboard.press("s");
  await page.waitForFunction(() => window.thaw.stage.views[0].frame.header.step === 1);
  await page.keyboard.press("r");
  await page.waitForFunction(() => window.thaw.stage.views[0].frame.header.step === 0);
  for (const key of ["w", "a", "o"]) await page.keyboard.press(key);
  assert.deepEqual(
    await page.evaluate(() => {
      const { wireframe, contacts, glass } = window.thaw.look;
      return [wireframe, contacts, glass];
    }),
    [true, true, true],
  );
  await page.keyboard.press("m");
  assert.equal((await heard("method")).name, "full");
  await page.keyboard.press("h");
  assert.equal(await page.locator("#panel").isVisible(), false);
  await page.keyboard.press("f");
  await page.keyboard.press("?");
  assert.equal(await page.locator("#help").isVisible(), true);
  assert.ok((await page.locator("#help dt").count()) > 15);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#help").isVisible(), false);
  await page.locator("#speed").focus(); // keys belong to a control that is used
  await page.keyboard.press("w");
  assert.equal(await page.evaluate(() => window.thaw.look.wireframe), true);
});

onPage(
  "the tab key reaches every control, and the focus can be seen",
  async () => {
    const seen = new Set();
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press("Tab");
      const [name, ring] = await page.evaluate(() => {
        const e = document.activeElement,
          style = getComputedStyle(e);
        return [
          e === document.body ? "" : e.id || e.getAttribute("aria-label") || e.textContent,
          style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
        ];
      });
      if (name.trim()) {
        assert.ok(ring, `${name} shows its focus`);
        seen.add(name.trim());
      }
    }
    for (const id of ["split", "help-open", "canvas", "play", "step", "reset", "speed", "drop", "threshold-tau_rigid"])
      assert.ok(seen.has(id), `${id} is reached; seen: ${[...seen]}`);
  },
  {},
);

onPage("nothing is drawn while nothing changes", async () => {
  await settle(page);
  const before = await page.evaluate(() => window.thaw.stage.drawn);
  await new Promise((r) => setTimeout(r, 1200));
  assert.equal(await page.evaluate(() => window.thaw.stage.drawn), before);
});

onPage("meshes that come and go leave nothing behind", async () => {
  const memory = () =>
    page.evaluate(() => {
      const { geometries, textures } = window.thaw.stage.renderer.info.memory;
      return [geometries, textures];
    });
  const shows = (n) => window.thaw.stage.views.length === n && window.thaw.stage.views[n - 1].frame;
  const thereAndBack = async () => {
    for (const views of [2, 1]) {
      await page.keyboard.press("v");
      await page.waitForFunction(shows, views);
    }
    await settle(page);
  };
  await thereAndBack();
  const first = await memory();
  for (let i = 0; i < 3; i++) await thereAndBack();
  const last = await memory();
  assert.ok(last[0] <= first[0] && last[1] <= first[1], `geometries, textures: ${first} then ${last}`);
});

onPage(
  "frames are acknowledged after they are drawn, packed ones too",
  async () => {
    await page.keyboard.press(" ");
    await heard("ack", 10);
    assert.equal(said("ack").at(-1).view, 0);
  },
  { server: { compressed: true } },
);

onPage(
  "a hasty hand and fast frames stay below the program's limit of messages",
  async () => {
    await page.keyboard.press("v");
    await page.waitForFunction(() => window.thaw.stage.views.length === 2 && window.thaw.stage.views[1].frame);
    await page.keyboard.press(" ");
    const at = await windowPlace(...FRONT);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    // All at once: to wait for each would take a picture each time, and be slower than any hand.
    await Promise.all(Array.from({ length: 480 }, (_, i) => page.mouse.move(at.x + i / 8, at.y - i / 13)));
    await page.mouse.up();
    await heard("release");
    const last = said("drag").at(-1);
    assert.ok(last, "the page pulls");
    const busiest = Math.max(
      ...server.times.map((from) => server.times.filter((t) => t >= from && t < from + 1000).length),
    );
    assert.ok(busiest < 200, `${busiest} messages in a second`);
    assert.ok(server.log.lastIndexOf(last) < server.log.findLastIndex((m) => m.type === "release"));
  },
  { server: { fps: 240 } },
);

onPage("a program that ends leaves a message and the last picture", async () => {
  server.close();
  await page.waitForFunction(() => !document.getElementById("message").hidden);
  assert.equal(await page.locator("#badge").textContent(), "ended");
  await page.keyboard.press("ArrowLeft");
  await settle(page);
});

onPage(
  "on a small screen the panel makes room, and nothing runs over",
  async () => {
    assert.equal(await page.locator("#panel").isVisible(), false);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${over} pixels too wide`);
    await page.click("#panel-open");
    assert.equal(await page.locator("#panel").isVisible(), true);
  },
  { page: { width: 390, height: 760 } },
);
