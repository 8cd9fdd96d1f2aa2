// SPDX-License-Identifier: BSD-3-Clause
// What moves in the page: which collective, placement, model and number of leaves is shown, and the
// figures of one instance. The page itself is written by src/report/page.cpp; every figure comes from the
// data block, in which an instance is known by its index.
'use strict';

const report = JSON.parse(document.getElementById('report-data').textContent);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);

// element('td', {class: 'x'}, 'text', child, ...); what is null is left out.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

// Numbers as in colltree's tables.
function bytes(size) {
  for (const [unit, letter] of [[2 ** 30, 'G'], [2 ** 20, 'M'], [2 ** 10, 'K']]) {
    if (size >= unit && size % unit === 0) return `${size / unit}${letter}`;
  }
  return size === 0 ? '0' : `${size}B`;
}
function percent(fraction) {
  if (fraction === null) return '–';
  const value = 100 * fraction;
  if (value === 0) return '0\u00a0%';
  return `${value.toFixed(Math.abs(value) < 1 ? 2 : Math.abs(value) < 100 ? 1 : 0).replace('-', '−')}\u00a0%`;
}
const signed = (fraction) => (fraction > 0 ? '+' : '') + percent(fraction);
function time(us) {
  const [value, unit] = us < 1e3 ? [us, 'µs'] : us < 1e6 ? [us / 1e3, 'ms'] : [us / 1e6, 's'];
  return `${Number(value.toPrecision(4))}\u00a0${unit}`;
}

// One collective: its part of the data with look-ups, and what the reader looks at.
class Explorer {
  constructor(section, data) {
    Object.assign(this, { section, data, ranks: data.instances.communicator_size, bytes: data.instances.message_size });
    this.methods = data.methods.length;
    this.measured = data.measured_methods;
    this.best = this.chooser('best').entries[0];
    this.library = this.chooser('default')?.entries[0];
    this.controls = one('.controls', section).elements;
    this.maps = all('.maps', section).map((maps) => this.#grid(maps));
    this.pinned = false;
    this.at = this.#firstOfInterest();
    this.#listen();
    this.#show();
  }

  chooser(id) { return this.data.choosers.find((chooser) => chooser.id === id); }
  get chosen() { return this.chooser(this.controls.chooser.value); }
  get entry() { return this.chosen.entries[this.chosen.entries.length > 1 ? this.controls.entry.value : 0]; }
  get name() {
    const label = this.controls.chooser.selectedOptions[0].text;
    return this.chosen.entries.length > 1 ? `${label} of ${this.entry.leaves} leaves` : label;
  }
  runs(entry, i) { return entry.runs?.[i] ?? entry.method?.[i]; }
  time(i, method) { return this.data.time_us[i * this.measured + method] ?? null; }
  isPredicted(i, method) { return this.data.predicted?.[i * this.measured + method] === 1; }

  // Where the default loses most.
  #firstOfInterest() {
    const penalty = this.library?.penalty ?? [0];
    return penalty.reduce((most, value, i) => (value > penalty[most] ? i : most), 0);
  }

  // A group of maps: the instance of each cell (null: not measured), and the borders of the cells.
  #grid(box) {
    const numbers = (text) => text.split(' ').map(Number);
    const cells = box.dataset.cells.split(',').map((text) => (text === '' ? null : Number(text)));
    return { box, cells, x: numbers(box.dataset.x), y: numbers(box.dataset.y) };
  }

  #listen() {
    const { chooser, placement, entry } = this.controls;
    chooser.addEventListener('change', () => { this.#chose(); this.#paint(); });
    entry.addEventListener('input', () => this.#paint());
    placement?.addEventListener('change', () => { this.#show(); });
    one('.controls', this.section).addEventListener('submit', (event) => event.preventDefault());
    for (const map of this.maps) {
      for (const plot of all('.map', map.box)) {
        plot.addEventListener('pointermove', (event) => { if (!this.pinned) this.#look(this.#under(map, plot, event)); });
        plot.addEventListener('click', (event) => {
          const under = this.#under(map, plot, event);
          if (under === undefined) return;
          this.pinned = !(this.pinned && under === this.at);
          this.#look(under);
        });
        plot.addEventListener('keydown', (event) => this.#key(map, event));
      }
    }
    const times = one('select[name=times]', this.section);
    const choose = () => { for (const figure of all('[data-times]', this.section)) figure.hidden = figure.dataset.times !== times.value; };
    times.addEventListener('change', choose);
    choose();
    this.#chose();
  }

  // The instance under the pointer; undefined beside the cells and where none was measured.
  #under({ cells, x, y }, plot, event) {
    const svg = one('svg', plot);
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const column = x.findIndex((border, k) => at.x >= border && at.x < x[k + 1]);
    const row = y.findIndex((border, k) => at.y <= border && at.y > y[k + 1]);
    return column < 0 || row < 0 ? undefined : cells[row * (x.length - 1) + column] ?? undefined;
  }

  // Arrows go to the next measured cell that way, Enter pins, Escape releases.
  #key({ cells, x }, event) {
    const [up, right] = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [0, 0];
    if (event.key === 'Enter') this.pinned = !this.pinned;
    else if (event.key === 'Escape') this.pinned = false;
    else if (!up && !right) return;
    event.preventDefault();
    const columns = x.length - 1;
    let found = cells.indexOf(this.at);
    do {
      const column = (found % columns) + right;
      if (column < 0 || column === columns) return;
      found += up * columns + right;
    } while ((up || right) && cells[found] === null);
    this.#look(cells[found]);
  }

  #look(at) {
    if (at === undefined) return;
    this.at = at;
    this.#mark();
    this.#cell();
  }

  // Another model: its slider, its tree, its row.
  #chose() {
    const { chosen, controls } = this;
    const slider = controls.entry.closest('label');
    slider.hidden = chosen.entries.length === 1;
    controls.entry.max = chosen.entries.length - 1;
    controls.entry.value = chosen.start;
    for (const row of all('tr[data-chooser]', this.section)) row.classList.toggle('chosen', row.dataset.chooser === chosen.id);
  }

  // The placement that is shown.
  #show() {
    const shown = Number(this.controls.placement?.value ?? 0);
    this.maps.forEach(({ box }, k) => { box.hidden = k !== shown; });
    const { cells } = this.maps[shown];
    if (!cells.includes(this.at)) this.at = cells.find((cell) => cell !== null);
    this.pinned = false;
    this.#paint();
  }

  #colour(legend, entry) { return one(`.legend.${legend} [data-entry="${entry}"]`, this.section)?.style.getPropertyValue('--c'); }

  // The cells of a map, those of one colour as one path; what has no colour keeps the page's.
  #cells(map, figure, legend, entryOf) {
    const paths = new Map();
    map.cells.forEach((i, cell) => {
      const entry = i === null ? null : entryOf(i);
      const [row, column] = [Math.floor(cell / (map.x.length - 1)), cell % (map.x.length - 1)];
      const { x, y } = map;
      paths.set(entry, `${paths.get(entry) ?? ''}M${x[column]} ${y[row + 1]}H${x[column + 1]}V${y[row]}H${x[column]}z`);
    });
    const svg = one('svg', figure);
    const axes = one('.axes', svg);
    for (const path of all('path', svg)) path.parentNode.remove();
    for (const [entry, d] of paths) {
      const group = document.createElementNS(svg.namespaceURI, 'g');
      const path = document.createElementNS(svg.namespaceURI, 'path');
      path.setAttribute('d', d);
      path.setAttribute('shape-rendering', 'crispEdges');
      path.style.fill = (entry === null ? null : this.#colour(legend, entry)) ?? 'var(--line)';
      group.append(path);
      axes.before(group);
    }
    return new Set(paths.keys());
  }

  #paint() {
    const { entry, section, name } = this;
    const shown = new Set();
    const steps = report.penalty_steps;
    const step = (value) => (value === null ? steps.length : steps.findLastIndex(({ from }) => value >= from));
    for (const map of this.maps.filter(({ box }) => !box.hidden)) {
      const figure = (kind) => one(`[data-map=${kind}]`, map.box);
      for (const method of this.#cells(map, figure('chosen'), 'methods', (i) => this.runs(entry, i))) shown.add(method);
      this.#cells(map, figure('penalty'), 'penalties', (i) => step(entry.penalty[i]));
      for (const i of map.cells) if (i !== null) shown.add(this.runs(this.best, i));
      one('figcaption', figure('chosen')).textContent = `What the ${name} asks for`;
      one('figcaption', figure('penalty')).textContent = `Penalty of the ${name}`;
    }
    for (const item of all('.legend.methods li', section)) item.hidden = !shown.has(Number(item.dataset.entry));
    const { mean, median, max } = entry.performance_penalty;
    one('.readout', section).textContent = `mean penalty ${percent(mean)}, median ${percent(median)}, at worst ${percent(max)}${
      entry.cannot_run ? `; cannot run at ${entry.cannot_run} instances` : ''}`;
    one('.slider output', section).value = entry.leaves;
    // Of the optimal trees only the one that is shown first has a picture.
    const isFirst = entry === this.chosen.entries[this.chosen.start];
    for (const tree of all('[data-tree]', section)) tree.hidden = !isFirst || tree.dataset.tree !== this.chosen.id;
    this.#mark();
    this.#cell();
  }

  #mark() {
    for (const { box, cells, x, y } of this.maps) {
      const cell = cells.indexOf(this.at);
      if (cell < 0) continue;
      const [row, column] = [Math.floor(cell / (x.length - 1)), cell % (x.length - 1)];
      for (const svg of all('svg', box)) {
        let mark = one('.mark', svg);
        if (!mark) {
          mark = document.createElementNS(svg.namespaceURI, 'rect');
          mark.setAttribute('class', 'mark');
          svg.append(mark);
        }
        const place = { x: x[column], y: y[row + 1], width: x[column + 1] - x[column], height: y[row] - y[row + 1] };
        for (const [name, value] of Object.entries(place)) mark.setAttribute(name, value);
      }
    }
  }

  #method(m) {
    const colour = this.#colour('methods', m);
    return element('span', { class: 'method' }, element('span', { class: 'swatch', style: colour ? `--c:${colour}` : null }), this.data.methods[m].label);
  }

  // What is known of the instance: the best, the model, the default, then the times of all methods.
  #cell() {
    const { at, entry, data, library } = this;
    const best = this.best.method[at];
    const runs = this.runs(entry, at);
    const tag = (text, is) => (is ? element('span', { class: 'tag' }, text) : null);
    const fact = (name, ...value) => [element('dt', {}, name), element('dd', {}, ...value)];
    const facts = [fact('Best', this.#method(best), ` ${time(this.time(at, best))}`, tag('predicted', this.isPredicted(at, best))),
      fact('Model', this.#method(runs), ` ${entry.penalty[at] === null ? 'cannot run here' : `loses ${percent(entry.penalty[at])}`}`)];
    if (library && data.default_us[at] !== null) {
      const beats = data.default_us[at] < this.time(at, best);
      facts.push(fact('Default', time(data.default_us[at]), tag('predicted', data.default_predicted?.[at] === 1),
        beats ? ', faster than every method' : `, loses ${percent(library.penalty[at])}`));
    }
    const known = [...Array(this.measured).keys()].filter((m) => this.time(at, m) !== null)
      .sort((a, b) => this.time(at, a) - this.time(at, b));
    const interval = (m) => {
      const [low, high] = [data.low_us?.[at * this.measured + m], data.high_us?.[at * this.measured + m]];
      return high > low ? element('small', {}, `${time(low)} – ${time(high)}`) : null;
    };
    const rows = known.map((m) => element('tr', { class: m === runs ? 'chosen' : null },
      element('th', { scope: 'row' }, this.#method(m), tag('model', m === runs), tag('predicted', this.isPredicted(at, m))),
      element('td', {}, time(this.time(at, m)), interval(m)),
      element('td', {}, m === best ? 'best' : signed(this.time(at, m) / this.time(at, best) - 1))));
    const head = ['method', data.low_us ? 'time (95 %)' : 'time', 'above best'].map((text) => element('th', { scope: 'col' }, text));
    one('.cell', this.section).replaceChildren(
      element('h3', { role: 'status' }, `${this.ranks[at]} ranks, ${bytes(this.bytes[at])}`),
      element('p', { class: 'note' }, this.pinned ? 'Pinned. Click it again or press Escape on a map to release it.'
        : 'Point at a map, or use the arrow keys on it; click or Enter pins.'),
      element('dl', {}, ...facts.flat()),
      element('table', {}, element('thead', {}, element('tr', {}, head)), element('tbody', {}, rows)));
  }
}

for (const data of report.collectives) new Explorer(document.getElementById(data.collective), data);

const collective = one('select[name=collective]');
function showCollective() {
  for (const section of all('section.collective')) section.hidden = collective !== null && section.id !== collective.value;
}
collective?.addEventListener('change', showCollective);
showCollective();

one('#theme').addEventListener('click', () => {
  const { style } = document.documentElement;
  const isDark = style.colorScheme ? style.colorScheme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  style.colorScheme = isDark ? 'light' : 'dark';
});
