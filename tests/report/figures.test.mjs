// SPDX-License-Identifier: BSD-3-Clause
// The figures of the page are those of `colltree evaluate`.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
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

test('both sources of a machine are a table, one alone is none', async () => {
  const one = { instances: 4, rules: 1.5, portable: 3, gain: 2, portable_faster: 3, portable_certain: 1, library_faster: 1, library_certain: 0 };
  const sources = { portable: 'here', library: 'here-own', mpi: 'openmpi-4.1.4', collectives: [{ collective: 'bcast', all: one, left_out: 0, default_apart: 0.02,
    bands: [{ least_bytes: 8, most_bytes: 1024, figures: one }, { least_bytes: 65536, most_bytes: 65536, figures: one }] }] };
  const both = file.replace(/\.html$/, '-both.html');
  const html = readFileSync(file, 'utf8');
  assert.ok(html.includes('"sources":null'));
  writeFileSync(both, html.replace('"sources":null', `"sources":${JSON.stringify(sources)}`));
  const { page, complaints } = await open(browser, both);
  const rows = await page.locator('#sources tbody tr').allInnerTexts();
  assert.deepEqual(rows.map((row) => plain(row).split(/\s*\t\s*/)), ['bcast', '8B to 1K', '64K'].map((title) =>
    [title, '4', '1.50', '3.00', '2.00', '75.0 % (25.0 %)', '25.0 % (0 %)']));
  assert.deepEqual(complaints, []);
  const alone = await open(browser, file);
  assert.equal(await alone.page.locator('#sources-section').count(), 0);
});
