// SPDX-License-Identifier: BSD-3-Clause
// The sizes that a page must bear: 1200 instances of 29 methods in 4 MB; 100 000 cells.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { launch, open, pointAt, setLeaves, text } from './support/browser.mjs';
import { profile, ranges, reportOf, timingsCsv } from './support/pages.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const methods = [...['linear', 'binomial', 'binary', 'pipeline'].flatMap((name) =>
  [0, 1, 8, 16, 32, 64, 128].map((kilobytes) => `${name}:${kilobytes * 1024}`)), 'other:0'];

function page(name, ranks, sizes) {
  // Above the largest segment size, so that every method is its own at every instance.
  return reportOf(profile(name, timingsCsv({ ranks, sizes: ranges(1, sizes).map((k) => 2 ** 17 + 4096 * k), methods })), '--most-leaves', '4', '--no-deployed');
}

test('1200 instances of 29 methods fit into 4 MB', () => {
  assert.ok(statSync(page('usual', ranges(2, 26), 48)).size <= 4 * 2 ** 20);
});

test('100 000 cells open, answer and move', async () => {
  const { page: large, complaints } = await open(browser, page('large', ranges(2, 61), 58));
  assert.ok(await large.evaluate(() => colltreeReport.view.collective.size * 29) >= 100000);
  await setLeaves(large, 2);
  await pointAt(large, 'chosen', 1234);
  assert.equal(await large.evaluate(() => colltreeReport.view.at), 1234);
  assert.equal(await text(large, '#leaves-text'), '2');
  assert.deepEqual(complaints, []);
});
