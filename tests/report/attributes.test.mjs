// SPDX-License-Identifier: BSD-3-Clause
// Every attribute that a tree may test: the page follows the tree as colltree does, says what is
// tested, and refuses what it does not know.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { launch, open, text } from './support/browser.mjs';
import { colltree, csvOf, inFolder, profile, reportOf } from './support/pages.mjs';

let browser;
let file;

// The best method changes with the parity of the message size and with powers of two.
function csv() {
  const rows = [];
  for (const procs of [2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17]) {
    for (const bytes of [1, 2, 3, 4, 7, 8, 33, 64, 511, 512, 1023, 1024]) {
      const best = bytes % 2 === 1 ? 'linear' : [2, 4, 8, 16].includes(procs) ? 'binomial' : 'chain';
      for (const method of ['linear', 'binomial', 'chain']) {
        rows.push(['derived', 'test', 'bcast', procs, '', '', bytes, method, 0, 0, method === best ? 1 : 2]);
      }
    }
  }
  return csvOf(rows);
}

before(async () => {
  const db = profile('derived', csv());
  colltree('fit', 'c45', db, '--collective', 'bcast', '--parity', '--power-of-two', '-o', 'derived.json');
  file = reportOf(db, '--model', 'derived.json');
  browser = await launch();
});
after(() => browser.close());

test('the path of every instance ends where colltree decides', async () => {
  const { page, complaints } = await open(browser, file);
  await page.locator('#controls select').selectOption('derived.json');
  const ends = await page.evaluate(() => {
    const { collective, entry } = colltreeReport.view;
    return collective.ranks.map((_, i) => [entry.tree[collective.path(entry.tree, i).at(-1)][0], collective.asked(entry, i)]);
  });
  assert.equal(ends.length, 11 * 12);
  assert.deepEqual(ends.map(([end]) => end), ends.map(([, asked]) => asked));
  assert.equal(new Set(ends.map(([end]) => end)).size, 3, 'the tree tests both attributes');
  assert.deepEqual(complaints, []);
});

test('the tree says what it tests', async () => {
  const { page } = await open(browser, file);
  await page.locator('#controls select').selectOption('derived.json');
  await page.locator('#tree summary').click();
  await page.waitForFunction(() => document.querySelector('#tree pre').textContent !== '');
  assert.equal(await text(page, '#tree pre'),
    'if odd message size: Linear_0K\nelse:\n  if ranks not 2ⁿ: Chain_0K\n  else: Binomial_0K');
});

test('an attribute that the page does not know is an error', async () => {
  const strange = inFolder('strange.html');
  writeFileSync(strange, readFileSync(file, 'utf8').replaceAll('["message_size_is_even",', '["phase_of_the_moon",'));
  const page = await browser.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`file://${strange}`);
  assert.equal(await page.locator('[role=alert]').innerText(),
    "This report cannot be shown: a tree of this report tests 'phase_of_the_moon', which its page does not know");
  assert.equal(errors.length, 1);
});

