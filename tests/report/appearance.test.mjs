// SPDX-License-Identifier: BSD-3-Clause
// Wide and narrow, light and dark, on paper: no complaint, nothing cut off, no serious finding of axe.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { launch, open, pixels, require, setLeaves } from './support/browser.mjs';
import { colltree, reportOf, smallProfile } from './support/pages.mjs';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
let browser;
let file;

before(async () => {
  const db = smallProfile();
  colltree('fit', 'quadtree', db, '--collective', 'bcast', '-o', 'q.json');
  file = reportOf(db, '--model', 'q.json');
  browser = await launch();
});
after(() => browser.close());

async function findings(page) {
  await page.addScriptTag({ content: axe });
  const { violations } = await page.evaluate(() => axe.run());
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

for (const width of [1280, 400]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`${width} pixels, ${colorScheme}`, async () => {
      const { page, complaints } = await open(browser, file, { width, colorScheme });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, 'nothing sticks out');
      for (const canvas of await page.locator('figure canvas').all()) assert.ok((await canvas.boundingBox()).width > 200);
      assert.deepEqual(await findings(page), []);
      await page.locator('#controls select').selectOption('q.json');
      assert.deepEqual(await findings(page), [], 'with a large tree');
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, 'nothing sticks out');
      assert.deepEqual(complaints, []);
    });
  }
}

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test('the button turns light into dark, pictures included', async () => {
  const { page } = await open(browser, file);
  const [page_before, map_before] = [await background(page), await pixels(page, 'map-chosen')];
  await page.locator('#theme').click();
  assert.notEqual(await background(page), page_before);
  assert.notEqual(await pixels(page, 'map-chosen'), map_before);
  await page.locator('#theme').click();
  assert.equal(await background(page), page_before);
  assert.equal(await pixels(page, 'map-chosen'), map_before);
});

test('a dark page prints on white paper', async () => {
  const { page, complaints } = await open(browser, file, { colorScheme: 'dark' });
  const dark = await pixels(page, 'map-chosen');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.equal(await background(page), 'rgb(255, 255, 255)');
  assert.notEqual(await pixels(page, 'map-chosen'), dark);
  assert.ok((await page.pdf({ format: 'A4' })).length > 20000);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.equal(await pixels(page, 'map-chosen'), dark);
  assert.deepEqual(complaints, []);
});

test('it works without the mouse from the top: every control can be reached', async () => {
  const { page } = await open(browser, file);
  await page.evaluate(() => colltreeReport.view.choose('optimal'));  // which has a slider
  const reached = new Set();
  for (let k = 0; k < 40; ++k) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName));
  }
  for (const id of ['theme', 'leaves', 'map-chosen-plot', 'penalty-other-plot', 'quality-map-plot', 'commands-deploy']) {
    assert.ok(reached.has(id), id);
  }
  await setLeaves(page, 2);
});
