// SPDX-License-Identifier: Apache-2.0
// Takes the pictures of docs/viewer.md from the running program: THAW_PROGRAM=... node tests/pictures.mjs FOLDER [NAME...]
import { here, launch, open, settle } from "./browser.mjs";
import { startView } from "./program.mjs";

const [folder, ...only] = process.argv.slice(2);
const until = (page, step) =>
  page.waitForFunction((n) => window.thaw.stage.views.at(-1).frame?.header.step >= n, step, { timeout: 240000 });
const pause = async (page) => {
  await page.evaluate(() => window.thaw.transport.play(false));
  await page.waitForFunction(() => !window.thaw.header.settings.playing);
};
const colourBy = (page, name) => page.evaluate((n) => window.thaw.chooseField(n), name);

const PICTURES = {
  viewer_live: {
    scene: "forest",
    async pose(page) {
      await colourBy(page, "part");
      await page.selectOption("#speed", "0.25");
      await until(page, 45);
      await pause(page);
      await page.keyboard.press("f");
      await page.keyboard.press("+");
    },
  },
  viewer_section: {
    scene: "blob",
    colorScheme: "dark",
    async pose(page) {
      await page.keyboard.press("x");
      await page.keyboard.press("w");
      await until(page, 60);
      await colourBy(page, "strain_rate");
      await pause(page);
      await page.keyboard.press("f");
      await page.keyboard.press("a");
    },
  },
};

const browser = await launch();
for (const [name, { scene, colorScheme = "light", pose }] of Object.entries(PICTURES)) {
  if (only.length > 0 && !only.includes(name)) continue;
  const file = `${process.env.THAW_SCENES ?? here("../../scenes")}/${scene}.json`;
  const view = await startView([file]);
  const page = await open(browser, view.address, { colorScheme, width: 1200, height: 750 });
  await pose(page);
  await settle(page);
  await page.waitForTimeout(800); // for the answer about the element under the mouse
  await settle(page);
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(name, page.complaints);
  await page.context().close();
  await view.stop();
}
await browser.close();
