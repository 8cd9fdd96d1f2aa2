// SPDX-License-Identifier: BSD-3-Clause
// A campaign in which cells failed, with reasons that look like HTML.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { launch, open, text } from './support/browser.mjs';
import { inFolder, reportOf, smallProfile } from './support/pages.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test('failed cells are counted and listed with their reason, word for word', async () => {
  const db = smallProfile();
  execFileSync(process.env.FAIL_CELLS, [inFolder(db), 'Binomial_1K', '3', '</script><b>rank 3: "& died"']);
  const { page, complaints } = await open(browser, reportOf(db));
  assert.match(await text(page, '#quality'), /12 cells failed, 0 cannot run/);
  await page.locator('#quality summary').click();
  const row = await page.locator('#quality table tbody tr').first().locator('td').allInnerTexts();
  assert.deepEqual(row, ['Binomial_1K', '3', '1B', 'failed', '</script><b>rank 3: "& died"']);
  assert.deepEqual(complaints, []);
});

test('times that were predicted are not said to be measured', async () => {
  const db = smallProfile();
  for (const ranks of ['3', '4', '5', '8']) execFileSync(process.env.FAIL_CELLS, [inFolder(db), 'Binomial_0K', ranks, 'wanted']);
  const { page, complaints } = await open(browser, reportOf(db));
  const summary = await text(page, '#summary-words');
  assert.match(summary, /bcast is known at [\d ]+ instances/);
  assert.match(summary, /times were measured, [\d ]+ times predicted from them/);
  assert.doesNotMatch(summary, /was timed at/);
  assert.match(await text(page, '#quality'), /at [\d ]+ instances? of \d+ the best time was not measured but predicted/);
  assert.match(await text(page, '#comparison'), /predicted/);
  assert.match(await text(page, '#cell-times'), /Binomial_0K/);
  assert.deepEqual(complaints, []);
});
