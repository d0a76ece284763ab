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
  viewer: {
    scene: "stack",
    async pose(page) {
      await page.click("#split");
      await page.keyboard.press("p");
      await page.selectOption("#speed", "0.25"); // many frames, for smooth lines
      await page.click("#reset");
      await page.waitForFunction(() => window.thaw.stage.views.at(-1).frame?.header.step < 20);
      await until(page, 150);
      await pause(page);
    },
  },
  viewer_pull: {
    scene: "stack",
    async pose(page) {
      await page.getByRole("button", { name: "rigidify", exact: true }).click();
      await until(page, 200); // asleep by then
      const at = await page.evaluate(() => {
        const frame = document.getElementById("canvas").getBoundingClientRect(),
          { x } = window.thaw.stage.views[0];
        let top = 0;
        for (let i = 0; i < x.length; i += 3) if (x[i + 2] - x[i + 1] > x[top + 2] - x[top + 1]) top = i;
        const place = window.thaw.stage.project(x[top], x[top + 1], x[top + 2] - 0.01);
        return [frame.left + place.x, frame.top + place.y];
      });
      await page.mouse.move(...at);
      await page.mouse.down();
      await page.mouse.move(at[0] - 160, at[1] + 60, { steps: 30 });
      await until(page, 900); // what has fallen lies still
      await pause(page);
    },
  },
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
  await page.evaluate(() => document.activeElement?.blur());
  await settle(page);
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(name, page.complaints);
  await page.context().close();
  await view.stop();
}
await browser.close();
