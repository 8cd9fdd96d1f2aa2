// SPDX-License-Identifier: BSD-3-Clause
// Pointing at a cell shows the numbers of that instance, which the test takes from the exported
// samples and from `colltree decide`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { launch, open, pixels, plain, pointAt, setLeaves, text } from './support/browser.mjs';
import { colltree, colltreeJson, inFolder, reportOf, smallProfile } from './support/pages.mjs';

let browser;
let file;
let medians;  // "ranks bytes" -> Map(method -> us)

function exported(db) {
  colltree('export', db, '-o', 'samples.csv');
  const samples = new Map();
  for (const line of readFileSync(inFolder('samples.csv'), 'utf8').trim().split('\n').slice(1)) {
    const [, , , procs, , , bytes, algorithm, segment, , us] = line.split(',');
    const method = algorithm === 'default' ? 'default' : `${algorithm[0].toUpperCase()}${algorithm.slice(1)}_${Number(segment) / 1024}K`;
    const at = `${procs} ${bytes}`;
    if (!samples.has(at)) samples.set(at, new Map());
    samples.get(at).set(method, [...(samples.get(at).get(method) ?? []), Number(us)]);
  }
  const middle = (values) => values.sort((a, b) => a - b)[(values.length - 1) / 2];
  for (const methods of samples.values()) for (const [method, values] of methods) methods.set(method, middle(values));
  return samples;
}

before(async () => {
  const db = smallProfile();
  colltree('fit', 'optimal', db, '--collective', 'bcast', '--leaves', '3', '-o', 'o3.json');
  file = reportOf(db);
  medians = exported(db);
  browser = await launch();
});
after(() => browser.close());

const inUs = (shown) => {
  const [value, unit] = shown.split(' ');
  return Number(value) * { 'µs': 1, ms: 1e3, s: 1e6 }[unit];
};
const near = (one, other) => Math.abs(one - other) <= 6e-4 * other;
const fraction = (shown) => (shown === '< 0.01 %' ? 0 : Number(shown.replace(' %', '')) / 100);

async function check(page, instance, [ranks, bytes]) {
  const times = medians.get(`${ranks} ${bytes}`);
  const library = times.get('default');
  const best = Math.min(...times.values());
  const chosen = colltreeJson('decide', 'o3.json', 'bcast', String(ranks), String(bytes), '--json').method;

  const rows = await page.locator('#cell-times tbody tr').all();
  assert.equal(rows.length, times.size, 'every method has a row');
  for (const row of rows) {
    const method = (await row.locator('th').innerText()).replace('model', '').trim();
    const shown = plain(await row.locator('td').first().innerText()).split('\n')[0];
    assert.ok(near(inUs(shown), times.get(method)), `${method} at ${ranks}, ${bytes}: ${shown}, not ${times.get(method)}`);
  }
  assert.equal((await text(page, '#cell-times tr.chosen th')).replace('model', '').trim(), chosen);
  assert.equal((await text(page, '#cell-path li:last-child')).trim(), chosen);
  const penalty = times.get(chosen) / best - 1;
  assert.ok(Math.abs(fraction(await text(page, '#cell-penalty')) - penalty) <= 5.1e-4 + 5e-3 * penalty);
  const default_penalty = Math.max(library / best - 1, 0);
  assert.ok(Math.abs(fraction((await text(page, '#cell-default-penalty')).split(',')[0]) - default_penalty) <= 5e-4 + 5e-3 * default_penalty);
}

test('every corner and some cells between show their own numbers', async () => {
  const { page, complaints } = await open(browser, file);
  await setLeaves(page, 3);
  const instances = await page.evaluate(() => {
    const { ranks, bytes } = colltreeReport.view.collective;
    return ranks.map((p, i) => [p, bytes[i]]);
  });
  const some = [0, 11, instances.length - 12, instances.length - 1, 17, 40, 41, 63];
  for (const [k, i] of some.entries()) {
    await pointAt(page, ['chosen', 'other', 'penalty', 'otherPenalty'][k % 4], i);
    await page.waitForFunction((n) => colltreeReport.view.at === n, i).catch(() => {});
    assert.equal(await page.evaluate(() => colltreeReport.view.at), i, 'the cell under the pointer');
    await check(page, i, instances[i]);
  }
  assert.deepEqual(complaints, []);
});

test('the tooltip names the instance and its best method', async () => {
  const { page } = await open(browser, file);
  await pointAt(page, 'chosen', 40);
  const tip = page.locator('#map-chosen-plot table.tip');
  await tip.waitFor();
  const best = await page.evaluate(() => colltreeReport.view.collective.methods[colltreeReport.view.collective.best(40)].label);
  assert.match(await tip.innerText(), new RegExp(`best\\s+${best}`));
});

test('the other maps mark the instance too', async () => {
  const { page } = await open(browser, file);
  await pointAt(page, 'chosen', 3);
  const before_move = await pixels(page, 'penalty-other');
  await pointAt(page, 'chosen', 90);
  assert.notEqual(await pixels(page, 'penalty-other'), before_move);
});
