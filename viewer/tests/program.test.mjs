// SPDX-License-Identifier: Apache-2.0
// The page with the program itself: `thaw view` live, `thaw view --replay`, `thaw export --html`, `thaw compare --report`.
// $THAW_PROGRAM is the program; without it these tests are skipped.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { launch, open, OUT, resembles, settle } from "./browser.mjs";
import { program, skip, startView } from "./program.mjs";

const run = promisify(execFile);
let browser;

// A beam in a wall that sleeps in its static shape: whatever wakes has been woken by the hand.
const SCENE = {
  thaw: 1,
  title: "A beam asleep",
  time: { step: 0.01, steps: 30 },
  output: { every: 2, formats: ["vtu"] },
  materials: { rubber: { density: 1000, young: 3e6, poisson: 0.4, alpha1: 0.004 } },
  shapes: {
    beam: {
      mesh: { box: { min: [0, -0.05, 0.4], max: [0.8, 0.05, 0.5], cells: [24, 3, 3] } },
      material: "rubber",
      groups: { wall: { mesh: "x-min" } },
    },
  },
  bodies: [{ name: "beam", shape: "beam", method: "rigidify", start: "rest", pins: ["wall"] }],
  obstacles: [{ name: "floor", plane: {} }],
};
const scene = `${OUT}beam.json`;
const awakeScene = `${OUT}beam-awake.json`; // the same, straight at first, so that it sways

before(async () => {
  if (skip) return;
  browser = await launch();
  writeFileSync(scene, JSON.stringify(SCENE));
  const bodies = SCENE.bodies.map((body) => ({ ...body, start: "awake" }));
  writeFileSync(awakeScene, JSON.stringify({ ...SCENE, title: "A beam let go", bodies }));
});
after(async () => browser?.close());

// Starts `thaw view` and opens what it prints.
function viewed(name, args, use, options = {}) {
  test(name, { skip }, async () => {
    const view = await startView(args);
    let page;
    try {
      page = await open(browser, view.address, options);
      await use(page);
      assert.deepEqual(page.complaints, []);
      assert.equal(await page.locator("#message").isVisible(), false, await page.locator("#message").textContent());
    } finally {
      await page?.context().close();
      await view.stop();
    }
  });
}

const elastic = (page, view = 0) =>
  page.evaluate((v) => window.thaw.stage.views[v].frame.header.stats.elastic_elements, view);
const awake = (page, least, view = 0) =>
  page.waitForFunction(([n, v]) => window.thaw.stage.views[v].frame?.header.stats.elastic_elements >= n, [least, view]);
const pause = async (page) => {
  await page.evaluate(() => window.thaw.transport.play(false));
  await page.waitForFunction(() => !window.thaw.header.settings.playing);
  await settle(page);
};
const place = (page, point) =>
  page.evaluate(([x, y, z]) => {
    const frame = document.getElementById("canvas").getBoundingClientRect(),
      at = window.thaw.stage.project(x, y, z);
    return [frame.left + at.x, frame.top + at.y];
  }, point);
// Somewhere on the beam's surface that is seen, near the tip.
const tip = (page) =>
  page.evaluate(() => {
    const { x } = window.thaw.stage.views[0];
    let best = 0;
    for (let i = 0; i < x.length; i += 3) if (x[i] - x[i + 1] > x[best] - x[best + 1]) best = i;
    return [x[best] - 0.05, x[best + 1], x[best + 2] < 0.45 ? x[best + 2] + 0.04 : x[best + 2] - 0.04];
  });

viewed("a sleeping beam that is pulled wakes, and the page shows where", [scene], async (page) => {
  assert.equal(await elastic(page), 0);
  const [x, y] = await place(page, await tip(page));
  await page.mouse.move(x, y);
  await page.waitForFunction(
    () => !document.getElementById("card").hidden && /rigid|asleep/.test(document.getElementById("card").textContent),
  );
  await page.mouse.down();
  await page.mouse.move(x + 10, y - 90, { steps: 6 });
  await awake(page, 50);
  const woken = await page.evaluate(() => window.thaw.stage.views[0].values.filter((v) => v === 0).length);
  assert.ok(woken > 0, "elastic triangles are seen");
  const before = await tip(page);
  await page.waitForFunction((z) => {
    const { x: p } = window.thaw.stage.views[0];
    let top = -1;
    for (let i = 2; i < p.length; i += 3) top = Math.max(top, p[i]);
    return top > z + 0.01;
  }, before[2]);
  await page.screenshot({ path: `${OUT}beam_pulled.png` });
  await page.mouse.up();
});

viewed("the method, thresholds and the field change while it runs", [scene], async (page) => {
  await page.getByRole("button", { name: "full", exact: true }).click();
  await awake(page, 24 * 9 * 5);
  await page.getByRole("button", { name: "rigidify", exact: true }).click();
  await page.waitForFunction(() => window.thaw.header.settings.method === "rigidify");
  await page.locator("input[id^=threshold]").first().fill("0.001");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => window.thaw.header.settings.thresholds[0].value === 0.001);
  for (const { name } of await page.evaluate(() => window.thaw.header.fields)) {
    await page.selectOption("#panel select >> nth=0", name);
    await page.waitForFunction(
      (n) => window.thaw.painter.field.name === n && window.thaw.stage.views[0].values?.length,
      name,
    );
  }
});

viewed("split screen runs full and adaptive in lockstep, with speedup and error", [awakeScene], async (page) => {
  await page.click("#split");
  await page.waitForFunction(
    () => window.thaw.stage.views.length === 2 && window.thaw.stage.views[1].frame?.header.step > 3,
  );
  await page.keyboard.press("p");
  await page.waitForFunction(() => document.querySelectorAll("#plots figure").length === 4);
  const [full, adaptive] = [await elastic(page, 0), await elastic(page, 1)];
  assert.ok(full > 1000 && adaptive <= full, `${full} and ${adaptive} elastic elements`);
  const stats = await page.evaluate(() => window.thaw.stage.views[1].frame.header.stats);
  assert.ok(stats.speedup > 0 && stats.error >= 0 && stats.error < 0.05, JSON.stringify(stats));
  await pause(page);
});

viewed(
  "cut open, the section shows the elements inside; a dropped body appears; reset takes it away",
  [scene],
  async (page) => {
    await page.keyboard.press("x");
    await page.waitForFunction(
      () => window.thaw.header.interior && window.thaw.stage.views[0].cut?.triangleCount > 100,
    );
    await page.keyboard.press("x");
    await page.waitForFunction(() => !window.thaw.header.interior);
    await page.click("#drop");
    await page.waitForFunction(() => window.thaw.header.bodies.length === 2);
    await page.click("#reset");
    await page.waitForFunction(
      () => window.thaw.header.bodies.length === 1 && window.thaw.stage.views[0].frame?.header.time < 1,
    );
    await pause(page);
    const { step } = await page.evaluate(() => window.thaw.stage.views[0].frame.header);
    await page.click("#step");
    await page.waitForFunction((n) => window.thaw.stage.views[0].frame.header.step === n + 1, step);
  },
);

test("a run becomes one file that opens from disk, with a time line", { skip }, async () => {
  const folder = `${OUT}beam-run`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  await run(program, ["run", awakeScene, "--method", "full", "--out", folder, "--quiet"]);
  await run(program, ["export", folder, "--html", `${OUT}beam-run.html`, "--quiet"]);
  assert.ok(statSync(`${OUT}beam-run.html`).size > 5e5);
  const page = await open(browser, `file://${OUT}beam-run.html`);
  try {
    const frames = await page.evaluate(() => window.thaw.header.times.length);
    assert.ok(frames >= 15, `${frames} frames`);
    await page.locator("#timeline").fill(String(frames - 1));
    await page.waitForFunction((n) => window.thaw.stage.views[0].frame.header.frame === n, frames - 1);
    await settle(page);
    await resembles(page, "beam");
    assert.match(await page.locator("#labels").textContent(), /elements.elastic/);
    await page.keyboard.press("p");
    assert.ok((await page.locator("#plots figure").count()) >= 3, "numbers of the steps are plotted");
    await page.keyboard.press("x");
    await page.waitForFunction(() => window.thaw.stage.views[0].cut?.triangleCount > 100);
    await settle(page);
    await page.screenshot({ path: `${OUT}beam_file_cut.png` });
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.context().close();
  }
});

viewed("a replay over the wire is scrubbed and played", ["--replay", `${OUT}beam-run`], async (page) => {
  assert.equal(await page.locator("#badge").textContent(), "replay");
  await page.keyboard.press("p");
  assert.ok((await page.locator("#plots figure").count()) >= 3, "numbers of the steps are plotted");
  await page.locator("#timeline").fill("7");
  await page.waitForFunction(() => window.thaw.stage.views[0].frame.header.frame === 7);
  // What the mouse is told is what `thaw explain` says.
  const [x, y] = await place(page, await tip(page));
  await page.mouse.move(x, y);
  await page.waitForFunction(() => document.querySelector("#card p")?.textContent.length > 20);
  const { element, step } = await page.evaluate(() => ({
    element: window.thaw.answer.element,
    step: window.thaw.stage.views[0].frame.header.step,
  }));
  const { stdout } = await run(program, ["explain", `${OUT}beam-run`, "--element", element, "--step", step]);
  const told = await page.locator("#card p").textContent();
  assert.ok(stdout.replace(/\s+/g, " ").includes(told.split(". ")[0]), `"${told}" is not in "${stdout}"`);
  await page.locator("#canvas").focus();
  await page.keyboard.press(" ");
  await page.waitForFunction(
    () => window.thaw.stage.views[0].frame.header.frame === window.thaw.header.times.length - 1,
  );
});

test("a comparison becomes a page with both runs and a table", { skip }, async () => {
  const file = `${OUT}beam-report.html`;
  await run(program, ["compare", awakeScene, "--method", "rigidify", "--report", file, "--quiet"]);
  const page = await open(browser, `file://${file}`);
  try {
    assert.equal(await page.evaluate(() => window.thaw.stage.views.length), 2);
    assert.match(await page.locator("#panel fieldset").first().innerText(), /speedup/i);
    assert.ok((await page.locator("#plots figure").count()) >= 3);
    await settle(page);
    await page.screenshot({ path: `${OUT}beam_report.png` });
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.context().close();
  }
});
