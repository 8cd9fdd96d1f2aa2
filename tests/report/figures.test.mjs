// SPDX-License-Identifier: BSD-3-Clause
// The figures of the page are those of `colltree evaluate`.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, plain, setLeaves, text } from './support/browser.mjs';
import { colltree, colltreeJson, reportOf, smallProfile } from './support/pages.mjs';

let browser;
let db;
let file;

before(async () => {
  db = smallProfile();
  colltree('fit', 'quadtree', db, '--collective', 'bcast', '--max-depth', '2', '-o', 'q2.json');
  file = reportOf(db, '--model', 'q2.json');
  browser = await launch();
});
after(() => browser.close());

// As the page and colltree's tables write it.
const percent = (fraction) => {
  const value = 100 * fraction;
  if (value === 0) return '0 %';
  if (value < 0.005) return '< 0.01 %';
  return `${value.toFixed(value < 0.995 ? 2 : value < 99.95 ? 1 : 0)} %`;
};

const cells = async (page, id) => (await page.locator(`#comparison tr[data-chooser="${id}"] td`).allInnerTexts()).map(plain);

function expected(evaluated, chooser) {
  const found = evaluated.collectives[0].choosers.find((one) => one.chooser === chooser);
  return found.performance_penalty;
}

test('the table holds what evaluate says of the default, the best fixed method and a model', async () => {
  const evaluated = colltreeJson('evaluate', 'q2.json', '--on', db, '--json');
  const { page, complaints } = await open(browser, file);
  for (const [id, chooser] of [['default', 'default'], ['fixed', 'best fixed'], ['q2.json', 'q2.json']]) {
    const figures = expected(evaluated, chooser);
    const [, mean, , median, p95, max, above5, above50] = await cells(page, id);
    assert.deepEqual([mean, median, p95, max, above5, above50],
      ['mean', 'median', 'p95', 'max', 'share_above_5', 'share_above_50'].map((name) => percent(figures[name])), id);
  }
  assert.deepEqual(complaints, []);
});

test('each position of the slider is the optimal tree of so many leaves', async () => {
  const { page } = await open(browser, file);
  for (const leaves of [1, 3, 5]) {
    colltree('fit', 'optimal', db, '--collective', 'bcast', '--leaves', String(leaves), '-o', 'o.json');
    const figures = expected(colltreeJson('evaluate', 'o.json', '--on', db, '--json'), 'o.json');
    await setLeaves(page, leaves);
    assert.equal(await text(page, '#readout'),
      `mean penalty ${percent(figures.mean)}, median ${percent(figures.median)}, at worst ${percent(figures.max)}`);
  }
});

test('the path of a model ends where colltree decide does', async () => {
  const { page } = await open(browser, file);
  await page.locator('#controls select').selectOption('q2.json');
  for (const [ranks, bytes] of [[2, 1], [4, 4096], [12, 65536], [32, 4194304], [24, 1]]) {
    await page.evaluate(([p, m]) => {
      const { view } = colltreeReport;
      view.state.set({ at: view.collective.ranks.findIndex((one, i) => one === p && view.collective.bytes[i] === m) });
    }, [ranks, bytes]);
    assert.equal((await text(page, '#cell-path li:last-child')).trim(),
      colltree('decide', 'q2.json', 'bcast', String(ranks), String(bytes)).trim());
  }
});

test('the same input gives the same bytes', () => {
  assert.equal(colltree('report', db, '--json'), colltree('report', db, '--json'));
});
