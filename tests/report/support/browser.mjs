// SPDX-License-Identifier: BSD-3-Clause
// Debian's Chromium without a screen, and what must hold of a page whatever is tested: nothing on the
// console, no request but the file itself.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { source } from './pages.mjs';

export const require = createRequire(join(source, 'web/report/package.json'));
const { chromium } = require('playwright-core');

const kFlags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM, args: kFlags });

// {page, complaints}: complaints must stay empty.
export async function open(browser, file, { width = 1280, height = 900, colorScheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== `file://${file}` && !request.url().startsWith('data:')) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  await page.waitForSelector('html[data-complete]', { state: 'attached', timeout: 120000 });
  return { page, complaints };
}

// Where the pointer meets an instance on a map: "chosen", "other", "penalty", "otherPenalty".
export async function pointAt(page, map, instance) {
  const id = { chosen: 'map-chosen', other: 'map-other', penalty: 'penalty-chosen', otherPenalty: 'penalty-other' }[map];
  await page.locator(`#${id}-plot`).scrollIntoViewIfNeeded();
  const [x, y] = await page.evaluate(([name, i]) => colltreeReport.pixel(name, i), [map, instance]);
  await page.mouse.move(x - 3, y);
  await page.mouse.move(x, y);
}

export const plain = (shown) => shown.replaceAll(/[\u00a0\u202f]/g, ' ');
// The page has caught up with the last change.
async function settle(page) {
  while (!await page.evaluate(() => colltreeReport.view.state.settled)) await page.waitForTimeout(20);
}

export async function text(page, selector) {
  await settle(page);
  return plain(await page.locator(selector).innerText());
}

// The slider of the optimal trees as a user of the keyboard or the mouse leaves it.
export async function setLeaves(page, leaves) {
  await page.locator('#controls select').last().selectOption('optimal');
  const entry = await page.evaluate((n) => colltreeReport.view.chooser.entries.findIndex((one) => one.leaves === n), leaves);
  await page.locator('#leaves').fill(String(entry));
}

// What a map's canvas shows, once it is painted.
export const pixels = (page, id) => page.evaluate(async (name) => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await frame();
  await frame();
  return [...document.querySelectorAll(`#${name}-plot canvas`)].map((canvas) => canvas.toDataURL()).join();
}, id);
