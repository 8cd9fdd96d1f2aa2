// SPDX-License-Identifier: BSD-3-Clause
// The four maps: what the chosen model and another one ask for, and what that costs.
import { byId, element, select } from '../dom.js';
import { onTheme, css, pick } from '../theme.js';
import { GridMap } from './grid_map.js';
import { tip } from './tips.js';

const kRedraw = ['collective', 'placement', 'chooser', 'entry', 'otherMap', 'otherPenalty'];

function frame(id, label) {
  const figure = byId(id);
  const title = element('figcaption');
  const plot = element('div', {
    class: 'plot', tabindex: 0, role: 'group', 'aria-roledescription': 'map', id: `${id}-plot`,
    'aria-label': `${label}. Arrow keys move over the instances, Enter pins one.`,
  });
  const legend = element('ul', { class: 'legend', 'aria-label': 'Legend' });
  figure.replaceChildren(title, plot, legend);
  return { title, plot, legend };
}

const item = (colour, text) =>
  element('li', {}, element('span', { class: 'swatch', style: `background:${colour}` }), text);

const holeItem = ({ holes }) =>
  (holes.length ? [element('li', {}, element('span', { class: 'hole' }), 'not measured')] : []);

// Methods in the order of the palette, with the share of instances.
function methodLegend(list, view, entry) {
  const { collective, grid } = view;
  const counts = new Map();
  for (const { i } of grid.cells) {
    const method = collective.asked(entry, i);
    counts.set(method, (counts.get(method) ?? 0) + 1);
  }
  const share = (n) => (200 * n < grid.cells.length ? '< 1 %' : `${Math.round((100 * n) / grid.cells.length)} %`);
  list.replaceChildren(...collective.json.legend.filter((m) => counts.has(m)).map((m) =>
    item(pick(collective.methods[m].colour), `${collective.methods[m].label} ${share(counts.get(m))}`)), ...holeItem(grid));
}

function methodMap(id, label, view, chooserId) {
  const parts = frame(id, label);
  const entry = () => view.entryOf(chooserId());
  const map = new GridMap(parts.plot, view, {
    classes: () => view.collective.methods.map(({ colour }) => ({ colour: pick(colour) })),
    classOf: (i) => view.collective.asked(entry(), i) ?? null,
    tip: (i) => tip(view, i),
  });
  return { map, ...parts, legendOf: () => methodLegend(parts.legend, view, entry()) };
}

export const penaltyClass = (steps, value) => {
  let step = steps.length - 1;
  while (step > 0 && !(value >= steps[step].from)) --step;
  return step;
};

function penaltyMap(id, label, view, chooserId) {
  const parts = frame(id, label);
  const steps = view.report.penalty_steps;
  const entry = () => view.entryOf(chooserId());
  const hidden = (i) => chooserId() === 'default' && view.collective.defaultTime(i) === null;
  const map = new GridMap(parts.plot, view, {
    classes: () => [...steps.map(({ colour }) => ({ colour: pick(colour) })), { colour: css('--cannot') }],
    classOf: (i) => {
      const value = entry().penalty[i];
      if (value === null) return hidden(i) ? null : steps.length;
      return penaltyClass(steps, value);
    },
    tip: (i) => tip(view, i),
  });
  const legendOf = () => {
    const items = steps.map(({ text, colour }) => item(pick(colour), text));
    if (entry().cannot_run) items.push(item(css('--cannot'), `cannot run (${entry().cannot_run})`));
    parts.legend.replaceChildren(...items, ...holeItem(view.grid));
  };
  return { map, ...parts, legendOf };
}

const chooserOptions = (view, wanted) =>
  view.collective.choosers.filter(wanted).map(({ id, label }) => [id, label]);

function picker(view, key, label, wanted) {
  return select(label, chooserOptions(view, wanted), view.state.get(key), (id) => view.state.set({ [key]: id }));
}

export function showMaps(view) {
  const { state } = view;
  const chosen = () => state.get('chooser');
  const maps = {
    chosen: methodMap('map-chosen', 'Decision map of the chosen model', view, chosen),
    other: methodMap('map-other', 'Decision map to compare with', view, () => state.get('otherMap')),
    penalty: penaltyMap('penalty-chosen', 'Penalty map of the chosen model', view, chosen),
    otherPenalty: penaltyMap('penalty-other', 'Penalty map to compare with', view, () => state.get('otherPenalty')),
  };
  // Only what changed is drawn again: the slider moves two of the four.
  const shown = new Map();
  const redraw = (one, id) => {
    const entry = view.entryOf(id);
    const now = [state.get('collective'), state.get('placement'), id, view.collective.chooser(id).entries.indexOf(entry)].join();
    if (shown.get(one) === now) return;
    shown.set(one, now);
    one.map.draw();
    one.legendOf();
  };
  state.on(kRedraw, () => {
    maps.chosen.title.replaceChildren(`What the ${view.nameOf(chosen())} asks for`);
    maps.penalty.title.replaceChildren(`Penalty of the ${view.nameOf(chosen())}`);
    maps.other.title.replaceChildren(picker(view, 'otherMap', 'Beside it', ({ entries }) => entries[0].method));
    maps.otherPenalty.title.replaceChildren(picker(view, 'otherPenalty', 'Penalty of', ({ id }) => id !== 'best'));
    for (const one of [maps.chosen, maps.penalty]) redraw(one, chosen());
    redraw(maps.other, state.get('otherMap'));
    redraw(maps.otherPenalty, state.get('otherPenalty'));
  });
  state.on(['at'], () => Object.values(maps).forEach(({ map }) => map.mark()));
  onTheme(() => Object.values(maps).forEach(({ legendOf }) => legendOf()));
  return maps;
}
