// SPDX-License-Identifier: BSD-3-Clause
// Uses the page in frames (test_report.py) and writes what it shows as JSON into #found.
'use strict';
const pause = () => new Promise((done) => setTimeout(done, 20));

async function use(frame, width) {
  const found = { width, problems: [] };
  // A frame first holds an empty document, which the page replaces.
  for (let turn = 0; turn < 1000 && frame.contentDocument.documentElement?.dataset.ready !== 'yes'; ++turn) await pause();
  const window_ = frame.contentWindow;
  const page = frame.contentDocument;
  const section = () => page.querySelector('section.collective:not([hidden])');
  const text = (selector) => section().querySelector(selector).innerText;
  const change = (field, value, kind = 'change') => { field.value = value; field.dispatchEvent(new window_.Event(kind)); };
  found.scroll_width = page.documentElement.scrollWidth;
  found.problems = [...page.querySelectorAll('main > p.card')].map((p) => p.innerText);
  found.opens_on = section().dataset.collective;
  found.captions = [...section().querySelectorAll('.maps figcaption')].map((caption) => caption.innerText);
  found.facts = text('.cell dl');
  found.at = text('.cell h3');

  const maps = [...section().querySelectorAll('.map')];
  const press = (key) => maps[0].dispatchEvent(new window_.KeyboardEvent('keydown', { key, bubbles: true }));
  const marks = () => maps.map((map) => JSON.stringify(map.layout.shapes));
  found.keys = [];
  for (const key of ['ArrowLeft', 'ArrowDown', 'Enter', 'ArrowUp', 'Escape']) { press(key); found.keys.push([text('.cell h3'), text('.cell p.note').slice(0, 4)]); }
  found.are_linked = new Set(marks()).size === 1;
  found.methods = [...section().querySelectorAll('.cell tbody tr')].map((row) => [row.cells[0].innerText, Number(row.cells[1].dataset.value)]);

  const ranges = () => new Set(maps.map((map) => JSON.stringify([map.layout.xaxis.range, map.layout.yaxis.range])));
  const whole = [...ranges()];
  press('+');
  await pause();
  found.zoom = { one_range: ranges().size === 1, is_smaller: [...ranges()][0] !== whole[0] };
  found.hash_zoomed = window_.location.hash;
  press('0');
  await pause();
  found.zoom.is_whole_again = [...ranges()].join() === whole.join();

  const controls = section().querySelector('.controls').elements;
  change(controls.model, 'optimal');
  found.leaves = [];
  for (let k = 0; k <= Number(controls.leaves.max); ++k) {
    change(controls.leaves, k, 'input');
    found.leaves.push([section().querySelector('.slider output').value, text('.readout'), section().querySelector('[data-tree] pre').textContent.split('\n').length]);
  }
  await pause();
  found.hash = window_.location.hash;

  const table = page.querySelector('table.overview');
  const names = () => [...table.tBodies[0].rows].map((row) => row.cells[0].innerText);
  const title = table.tHead.rows[0].cells[3].querySelector('button');
  title.click();
  found.sorted = names();
  title.click();
  found.sorted_down = names();

  const files = [];
  window_.URL.createObjectURL = (blob) => { files.push(blob); return 'data:,'; };
  window_.HTMLAnchorElement.prototype.click = () => {};
  section().querySelector('[data-export]').click();
  table.caption.querySelector('button').click();
  found.csv = await Promise.all(files.map((blob) => blob.text()));
  found.can_export_pictures = section().querySelectorAll('.modebar-btn[data-title^="Download plot"]').length;

  const colours = () => [window_.getComputedStyle(page.body).backgroundColor, maps[0].layout.font.color];
  found.schemes = [colours()];
  page.querySelector('#theme').click();
  found.schemes.push(colours());
  return found;
}

(async () => {
  const found = [];
  for (const frame of document.querySelectorAll('iframe')) {
    try { found.push(await use(frame, frame.width)); } catch (error) { found.push({ error: String(error.stack) }); }
  }
  document.getElementById('found').textContent = JSON.stringify(found);
})();
