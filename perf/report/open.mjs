// SPDX-License-Identifier: BSD-3-Clause
// node perf/report/open.mjs PAGE.html...: how long until a page of `colltree report` answers, in
// headless Chromium (CHROMIUM, /usr/bin/chromium): median of 7 fresh starts, in ms since navigation.
//   interactive  maps, slider and cell are there
//   complete     curves, tree and data too
//   slider       from a move of the slider to the painted maps
//   busy         CPU time of the page's main thread until complete
import { resolve } from 'node:path';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../web/report/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const kFlags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const kRuns = 7;

async function moveSlider(page) {
  return page.evaluate(async () => {
    const slider = document.getElementById('leaves');
    if (!slider) return 0;
    const started = performance.now();
    slider.value = Number(slider.value) > 0 ? 0 : 1;
    slider.dispatchEvent(new Event('input'));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return performance.now() - started;
  });
}

async function once(file) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: kFlags });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await page.goto(`file://${file}`);
  await page.waitForSelector('html[data-complete]', { state: 'attached', timeout: 120000 });
  const { metrics } = await session.send('Performance.getMetrics');
  const times = await page.evaluate(() => ({ ...document.documentElement.dataset }));
  const result = {
    interactive: Number(times.ready), complete: Number(times.complete), slider: await moveSlider(page),
    busy: 1000 * metrics.find(({ name }) => name === 'TaskDuration').value,
  };
  await browser.close();
  return result;
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

for (const file of process.argv.slice(2).map((path) => resolve(path))) {
  const runs = [];
  for (let k = 0; k < kRuns; ++k) runs.push(await once(file));
  const figures = Object.keys(runs[0]).map((name) => `${name} ${median(runs.map((run) => run[name])).toFixed(0)} ms`);
  console.log(`${file}: ${figures.join(', ')}`);
}
