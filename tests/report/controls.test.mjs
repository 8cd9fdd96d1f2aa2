// SPDX-License-Identifier: BSD-3-Clause
// Slider, model, keyboard: what the reader does changes what the page shows.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, open, pixels, pointAt, setLeaves, text } from './support/browser.mjs';
import { colltree, inFolder, reportOf, smallProfile, source } from './support/pages.mjs';

let browser;
let file;

before(async () => {
  const db = smallProfile();
  colltree('fit', 'c45', db, '--collective', 'bcast', '-o', 'tree.json');
  file = reportOf(db, '--model', 'tree.json');
  browser = await launch();
});
after(() => browser.close());

const at = (page) => page.evaluate(() => colltreeReport.view.at);

test('the page opens with the model that tune deploys', async () => {
  const { page } = await open(browser, file);
  assert.match(await text(page, '#map-chosen figcaption'), /model to deploy/);
  assert.match(await text(page, '#summary-words'), /Its size was chosen on sizes left out of the fit/);
  assert.match(await text(page, '#commands-deploy'), /fit optimal small.db .*--leaves auto --least-gain 5% -o bcast.json/);
});

test('the slider redraws map and penalty at once', async () => {
  const { page, complaints } = await open(browser, file);
  await setLeaves(page, 1);
  const before_move = await Promise.all(['map-chosen', 'penalty-chosen', 'map-other'].map((id) => pixels(page, id)));
  assert.equal(await page.locator('#map-chosen .legend .swatch').count(), 1);
  await page.locator('#leaves').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const after_move = await Promise.all(['map-chosen', 'penalty-chosen', 'map-other'].map((id) => pixels(page, id)));
  assert.notEqual(after_move[0], before_move[0]);
  assert.notEqual(after_move[1], before_move[1]);
  assert.equal(after_move[2], before_move[2], 'what is beside it stays');
  assert.equal(await text(page, '#leaves-text'), '3');
  assert.equal(await page.locator('#map-chosen .legend .swatch').count(), 3);
  assert.match(await text(page, '#map-chosen figcaption'), /optimal tree of 3 leaves/);
  assert.match(await text(page, '#commands-deploy'), /fit optimal small.db .*--leaves 3 -o bcast-optimal-3.json/);
  assert.deepEqual(complaints, []);
});

test('a model can be chosen in the form and in the table', async () => {
  const { page } = await open(browser, file);
  await page.locator('#controls select').selectOption('tree.json');
  assert.match(await text(page, '#map-chosen figcaption'), /tree/);
  assert.equal(await page.locator('#leaves').count(), 0, 'one model has no slider');
  await page.getByRole('button', { name: /^always/ }).click();
  assert.equal(await page.locator('#map-chosen .legend .swatch').count(), 1);
  assert.match(await text(page, '#tree figcaption'), /not a tree/);
});

test('arrow keys move over the instances and over holes; Enter pins', async () => {
  const { page } = await open(browser, file);
  await page.locator('#map-chosen-plot').focus();
  await page.keyboard.press('PageDown');
  await page.keyboard.press('Home');
  assert.equal(await text(page, '#cell-title'), '2 ranks, 1B');
  await page.keyboard.press('ArrowRight');
  assert.equal(await text(page, '#cell-title'), '2 ranks, 4B');
  await page.keyboard.press('End');
  assert.equal(await text(page, '#cell-title'), '2 ranks, 4M');
  for (let k = 0; k < 7; ++k) await page.keyboard.press('ArrowLeft');
  for (let k = 0; k < 3; ++k) await page.keyboard.press('ArrowUp');
  assert.equal(await text(page, '#cell-title'), '8 ranks, 256B', 'six ranks were not measured there');
  await page.keyboard.press('Enter');
  const pinned = await at(page);
  await pointAt(page, 'chosen', 0);
  assert.equal(await at(page), pinned);
  await page.locator('#map-chosen-plot').focus();
  await page.keyboard.press('Escape');
  await pointAt(page, 'chosen', 1);
  assert.equal(await at(page), 1);
});

test('what was not measured is said', async () => {
  const { page } = await open(browser, file);
  assert.match(await text(page, '#penalty-chosen .legend'), /not measured/);
  assert.match(await text(page, '#quality'), /1 point of the grid not measured/);
  assert.match(await text(page, '#quality'), /642 cells with a time, 4 494 samples/);
});

test('the communicator of the curves moves the instance', async () => {
  const { page } = await open(browser, file);
  await page.locator('#crossover select').selectOption({ label: '24 ranks' });
  assert.match(await text(page, '#cell-title'), /^24 ranks/);
});

test('another collective is another grid; no default means none is spoken of', async () => {
  colltree('import', join(source, 'tests/data/dane_alltoall.csv.gz'), '-o', 'dane.db');
  colltree('import', join(source, 'tests/data/fugaku_fjmpi_8coll.csv.gz'), '--message-size', 'total', '-o', 'fugaku.db');
  const two = reportOf('fugaku.db', '--collective', 'bcast,allgather');
  const { page, complaints } = await open(browser, two);
  const most = JSON.parse(colltree('report', 'fugaku.db', '--collective', 'bcast,allgather', '--json'))
    .collectives.map(({ collective, choosers }) => [choosers.find(({ id }) => id === 'default').entries[0].performance_penalty.charged_mean, collective])
    .sort(([a], [b]) => b - a)[0][1];
  assert.match(await text(page, '#summary-words'), new RegExp(`^${most}`), 'where there is most to gain');
  await page.locator('#controls select').first().selectOption({ label: 'bcast' });
  assert.match(await text(page, '#summary-words'), /^bcast/);
  const before_move = await pixels(page, 'map-chosen');
  await page.locator('#controls select').first().selectOption({ label: 'allgather' });
  assert.match(await text(page, '#summary-words'), /^allgather/);
  assert.notEqual(await pixels(page, 'map-chosen'), before_move);
  assert.deepEqual(complaints, []);
  reportOf('dane.db');
  const dane = await open(browser, inFolder('dane.html'));
  assert.deepEqual(dane.complaints, []);
});
