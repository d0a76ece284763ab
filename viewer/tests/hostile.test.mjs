// SPDX-License-Identifier: Apache-2.0
// Scenes come from anywhere, and their titles and names are shown in pages. Whatever they hold, it is shown as text: nothing of
// it runs, makes an element or asks for an address; live, in a replay, in a page that is one file, and in a report.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { launch, open, OUT, settle } from "./browser.mjs";
import { program, skip, startView } from "./program.mjs";

const run = promisify(execFile);

// Each would set `hacked` if it ran.
const HOSTILE = [
  `<img src=x onerror="window.hacked='img'">`,
  `"><svg onload=window.hacked='svg'>`,
  `</script><script>window.hacked='script'</script>`,
  `</title><script>window.hacked='title'</script>`,
  `javascript:window.hacked='address'`,
  `<a href="javascript:window.hacked='link'">click</a>`,
  `'-(window.hacked='quote')-'`,
  "`${window.hacked='template'}`",
  `<!--<script>window.hacked='comment'</script>`,
  `<iframe srcdoc="<script>parent.hacked='frame'</script>"></iframe>`,
  `\\u003cscript>window.hacked='escape'\\u003c/script>`,
  `\u202Ethgir ot tfel \u2066 and \u0000 \u001b[2J \ud83d\udca5`.replace("\u0000", ""),
  "\u2028window.hacked='line'\u2029",
  "\ud83d\udca5".repeat(400),
];
const TITLE = HOSTILE.slice(0, 7).join(" ");

const SCENE = {
  thaw: 1,
  title: TITLE,
  time: { step: 0.01, steps: 4 },
  output: { every: 1, formats: ["vtu"] },
  materials: { rubber: { density: 1000, young: 3e5, poisson: 0.4 } },
  shapes: Object.fromEntries(
    HOSTILE.map((name) => [
      name,
      { mesh: { box: { min: [0, 0, 0], max: [0.2, 0.2, 0.2], cells: [1, 1, 1] } }, material: "rubber" },
    ]),
  ),
  bodies: HOSTILE.map((name, i) => ({
    name,
    shape: name,
    position: [0.3 * (i % 4), 0.3 * Math.floor(i / 4), 0.1],
    method: i % 2 ? "full" : "rigidify",
  })),
  obstacles: [{ name: `<img src=y onerror="window.hacked='obstacle'">`, plane: {} }],
};
const scene = `${OUT}<img src=x onerror=hacked=1>.json`;
const folder = `${OUT}hostile-run`;
let browser;

before(async () => {
  if (skip) return;
  browser = await launch();
  writeFileSync(scene, JSON.stringify(SCENE));
  rmSync(folder, { recursive: true, force: true });
  await run(program, ["run", scene, "--out", folder, "--quiet"]);
});
after(async () => browser?.close());

// What every page must hold. `own`: addresses it may ask for begin like this.
async function isHarmless(page, requests, own) {
  await settle(page);
  // The card shows the names of bodies: over all of the picture.
  const frame = await page.locator("#canvas").boundingBox();
  const seen = new Set();
  for (let y = 0.2; y < 0.9; y += 0.15)
    for (let x = 0.2; x < 0.8; x += 0.1) {
      await page.mouse.move(frame.x + x * frame.width, frame.y + y * frame.height);
      await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => setTimeout(r))));
      const title = await page.evaluate(() => document.querySelector("#card:not([hidden]) h2")?.textContent ?? null);
      if (title) seen.add(title.replace(/ · element.*$/, ""));
    }
  const found = await page.evaluate(() => ({
    hacked: window.hacked,
    title: document.getElementById("title").textContent,
    tab: document.title,
    elements: document.querySelectorAll("img, iframe, object, embed, base, form, a[href^=javascript], [onload], [onerror]").length,
    scripts: [...document.scripts].filter((s) => /hacked=/.test(s.textContent) && !s.type.includes("thaw")).length,
    names: window.thaw.header.bodies.map((b) => b.name),
  }));
  assert.equal(found.hacked, undefined);
  assert.equal(found.elements, 0);
  assert.equal(found.title, TITLE);
  assert.ok(found.tab.includes("<img src=x onerror="));
  assert.ok(seen.size > 0, "the card names bodies");
  for (const name of seen) assert.ok(found.names.includes(name), `a body's name is shown as it is: ${name}`);
  assert.deepEqual(
    requests.filter((r) => !own.some((o) => r.startsWith(o))),
    [],
  );
  assert.deepEqual(page.complaints, []);
}

const OWN = ["data:", "blob:"];

test("a live page shows hostile names as text", { skip }, async () => {
  const view = await startView([scene]),
    requests = [];
  const page = await open(browser, view.address, { requests });
  try {
    await page.evaluate(() => window.thaw.transport.play(false));
    await page.waitForFunction(() => !window.thaw.header.settings.playing);
    await isHarmless(page, requests, [...OWN, new URL(view.address).origin]);
    const offered = await page.locator("select option").allTextContents();
    for (const name of HOSTILE.slice(0, 11)) assert.ok(offered.includes(name), `${name} is offered`);
    // What the program complains about cites what it was sent.
    await page.evaluate((name) => window.thaw.source.send({ type: "drop", shape: name, position: [0, 0, 3] }), HOSTILE[0] + "?");
    await page.waitForFunction(() => /there is no shape/.test(document.getElementById("message").textContent));
    assert.ok((await page.locator("#message").textContent()).includes("<img src=x"));
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("#message img").count(), 0);
  } finally {
    await page.context().close();
    await view.stop();
  }
});

test("a replay shows hostile names as text", { skip }, async () => {
  const view = await startView(["--replay", folder]),
    requests = [];
  const page = await open(browser, view.address, { requests });
  try {
    await isHarmless(page, requests, [...OWN, new URL(view.address).origin]);
  } finally {
    await page.context().close();
    await view.stop();
  }
});

test("a page that is one file shows hostile names as text", { skip }, async () => {
  const file = `${OUT}hostile.html`,
    requests = [];
  await run(program, ["export", folder, "--html", file, "--quiet"]);
  const page = await open(browser, `file://${file}`, { requests });
  try {
    await isHarmless(page, requests, [...OWN, `file://${file}`]);
  } finally {
    await page.context().close();
  }
});
