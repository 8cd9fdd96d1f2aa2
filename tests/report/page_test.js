// SPDX-License-Identifier: BSD-3-Clause
// What page_test.py asks of the pages in the frames of one window: uses each as a reader does and writes what it
// then shows, as JSON, for the test to judge.
'use strict';

function used(frame) {
  const page = frame.contentDocument;
  const one = (selector, within = page) => within.querySelector(selector);
  const all = (selector, within = page) => [...within.querySelectorAll(selector)];
  const text = (node) => node.innerText.replaceAll('\u00a0', ' ').trim();
  const send = (node, kind, values) => node.dispatchEvent(new frame.contentWindow[kind](values.type, { bubbles: true, ...values }));
  const choose = (field, value) => { field.value = value; send(field, 'Event', { type: field.type === 'range' ? 'input' : 'change' }); };
  const section = one('section.collective:not([hidden])');
  const { chooser, entry } = one('.controls', section).elements;
  const cell = one('.cell', section);

  // Where the middle of a cell of a map lies on the screen.
  const point = (kind, row, column) => {
    const maps = one('.maps', section);
    const [x, y] = [maps.dataset.x, maps.dataset.y].map((numbers) => numbers.split(' ').map(Number));
    const plot = one(`[data-map=${kind}] .map`, maps);
    const at = new DOMPoint((x[column] + x[column + 1]) / 2, (y[row] + y[row + 1]) / 2).matrixTransform(one('svg', plot).getScreenCTM());
    send(plot, 'PointerEvent', { type: 'pointermove', clientX: at.x, clientY: at.y });
    return plot;
  };
  const shown = () => ({
    title: text(one('h3', cell)), facts: text(one('dl', cell)),
    times: all('tbody tr', cell).map((row) => [...row.children].map(text)),
    chosen: all('tr.chosen th', cell).map(text),
  });
  const fills = (kind) => all(`[data-map=${kind}] path`, section).map((path) => `${frame.contentWindow.getComputedStyle(path).fill} ${path.getAttribute('d')}`);

  const found = { width: page.documentElement.scrollWidth, opens: text(one('[data-map=chosen] figcaption', section)), text: text(page.body) };
  choose(chooser, 'optimal');
  choose(entry, 0);
  const [first, best] = [fills('chosen'), fills('best')];
  found.leaves = [];
  for (let k = 0; k <= Number(entry.max); ++k) {
    choose(entry, k);
    found.leaves.push([text(one('.slider output', section)), text(one('.readout', section)), all('.legend.methods li:not([hidden])', section).length]);
  }
  found.redrawn = String(fills('chosen')) !== String(first);
  found.unchanged = String(fills('best')) === String(best);
  choose(entry, found.leaves.findIndex(([leaves]) => leaves === '3'));
  found.cells = [['chosen', 0, 0], ['best', 8, 11], ['penalty', 4, 5], ['other', 2, 7], ['chosen', 8, 0]].map(([kind, row, column]) => {
    point(kind, row, column);
    return shown();
  });

  // Ranks 6 with 256 bytes, row 3 and column 4, was not measured.
  const plot = point('chosen', 3, 3);
  const press = (key) => send(plot, 'KeyboardEvent', { type: 'keydown', key });
  const titles = [];
  for (const key of ['ArrowRight', 'ArrowUp', 'ArrowLeft', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'Enter']) { press(key); titles.push(text(one('h3', cell))); }
  point('chosen', 0, 0);
  titles.push(text(one('h3', cell)));
  press('Escape');
  point('chosen', 0, 0);
  titles.push(text(one('h3', cell)));
  found.keys = titles;

  const times = one('select[name=times]', section);
  choose(times, '2 ranks');
  found.times = all('[data-times]:not([hidden])', section).map((figure) => figure.dataset.times);
  const dark = () => frame.contentWindow.getComputedStyle(page.body).backgroundColor;
  found.schemes = [dark()];
  for (let k = 0; k < 2; ++k) { one('#theme').click(); found.schemes.push(dark()); }
  const collective = one('select[name=collective]');
  choose(collective, 'reduce');
  found.collective = all('section.collective:not([hidden])').map(({ id }) => id);
  found.wideAfter = page.documentElement.scrollWidth;
  found.problems = frame.contentWindow.problems;
  return found;
}

addEventListener('load', () => {
  let found;
  try {
    found = [...document.querySelectorAll('iframe')].map(used);
  } catch (error) {
    found = { error: error.stack };
  }
  document.getElementById('found').textContent = JSON.stringify(found);
});
