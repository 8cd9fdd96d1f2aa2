// SPDX-License-Identifier: BSD-3-Clause
// The same communicator and message size measured on few and on many nodes: one map shows one
// placement.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, pixels, text } from './support/browser.mjs';
import { csvOf, profile, reportOf } from './support/pages.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// Linear is the best on one rank a node, binomial on four.
function placedCsv() {
  const rows = [];
  for (const perNode of [1, 4]) {
    for (const procs of [8, 16, 32]) {
      for (const bytes of [1, 64, 4096]) {
        rows.push(['placed', 'test', 'bcast', procs, procs / perNode, perNode, bytes, 'linear', 0, 0, procs * perNode]);
        rows.push(['placed', 'test', 'bcast', procs, procs / perNode, perNode, bytes, 'binomial', 0, 0, procs * 2]);
      }
    }
  }
  return csvOf(rows);
}

test('the placement is chosen, and the tree may ask for it', async () => {
  const { page, complaints } = await open(browser, reportOf(profile('placed', placedCsv())));
  const placement = page.locator('#controls select').first();
  assert.deepEqual(await placement.locator('option').allInnerTexts(), ['1 rank per node', '4 ranks per node']);
  await placement.selectOption({ label: '1 rank per node' });
  assert.match(await text(page, '#map-chosen .legend'), /^Linear_0K 100 %$/);
  const sparse = await pixels(page, 'map-chosen');
  await placement.selectOption({ label: '4 ranks per node' });
  assert.match(await text(page, '#map-chosen .legend'), /^Binomial_0K 100 %$/);
  assert.notEqual(await pixels(page, 'map-chosen'), sparse);
  assert.match(await text(page, '#cell'), /4 ranks per node/);
  assert.deepEqual(complaints, []);
});
