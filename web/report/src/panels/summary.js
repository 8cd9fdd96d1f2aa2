// SPDX-License-Identifier: BSD-3-Clause
// What is gained, in words: over the library's default and over one fixed method, where, and how
// certain that is. Every figure comes from the data block.
import { byId, element } from '../dom.js';
import { bytes, count, interval, percent, signedPercent } from '../format.js';

const strong = (text) => element('strong', {}, text);
const range = ([first, last], write) => (first === last ? write(first) : `${write(first)} to ${write(last)}`);

// "45 % less time" of a relative difference of times.
export const change = (fraction) =>
  Math.abs(fraction) < 0.005 ? 'the same time' : `${percent(Math.abs(fraction))} ${fraction < 0 ? 'less' : 'more'} time`;

function tile(value, text) {
  return element('div', { class: 'tile' }, element('p', { class: 'value' }, value), element('p', {}, text));
}

function tiles(view) {
  const { entry, collective } = view;
  const figures = entry.performance_penalty;
  const library = collective.chooser('default')?.entries[0].performance_penalty;
  const list = [];
  if (figures.versus_default !== null) {
    list.push(tile(signedPercent(figures.versus_default), 'time against the library default (geometric mean)'));
  }
  list.push(tile(percent(figures.mean), 'mean penalty: what it loses to the best method'));
  if (library) list.push(tile(percent(library.mean), 'mean penalty of the library default'));
  list.push(tile(percent(figures.max), 'penalty at the worst instance'));
  if (entry.leaves !== null) list.push(tile(entry.leaves, `leaves, for ${count(figures.instances, 'instance')}`));
  return list;
}

function measured(view) {
  const { collective } = view;
  const { rows, columns } = view.grid;
  const what = `${count(collective.size, 'instance')}: ${range([rows[0], rows.at(-1)], String)} ranks, messages of ${
    range([columns[0], columns.at(-1)], bytes)}, ${count(collective.measured, 'method')}.`;
  if (!collective.hasPredictions) return element('p', {}, `${collective.name} was timed at ${what}`);
  const { times, predicted } = collective.predictions;
  return element('p', {}, `${collective.name} is known at ${what} `,
    strong(`${count(times - predicted, 'time')} ${times - predicted === 1 ? 'was' : 'were'} measured, ${count(predicted, 'time')} predicted from them`), '.');
}

function versusDefault(view) {
  const { entry } = view;
  const gain = entry.performance_penalty.versus_default;
  const known = entry.versus_default_interval;
  if (gain === null) return element('p', {}, 'The library’s own choice was not measured, so nothing can be said about it.');
  return element('p', {}, `Against the library default the ${view.nameOf(view.chooser.id)} takes `, strong(change(gain)),
    known ? ` (95 % interval ${signedPercent(known[0])} to ${signedPercent(known[1])}).` : '.');
}

function versusFixed(view) {
  const fixed = view.collective.chooser('fixed');
  if (!fixed || view.chooser.id === 'fixed') return null;
  const [one, mine] = [fixed.entries[0].performance_penalty, view.entry.performance_penalty];
  return element('p', {}, `The best single method, ${fixed.detail}, loses `, strong(percent(one.mean)), ` on average (${interval(one.mean_interval)})${
    fixed.entries[0].cannot_run ? ` and cannot run at ${count(fixed.entries[0].cannot_run, 'instance')}` : ''}; the ${view.nameOf(view.chooser.id)} loses `,
  strong(percent(mine.mean)), ` (${interval(mine.mean_interval)}).`);
}

function where(view) {
  const { regions } = view.collective;
  const gains = view.entry.regions.map((figures, k) => [figures[2], k]).filter(([gain]) => gain !== null).sort((a, b) => a[0] - b[0]);
  if (gains.length < 2) return null;
  const place = (k) => `messages of ${range(regions[k].message_sizes, bytes)} on ${range(regions[k].communicator_sizes, String)} ranks`;
  const [[most, first], [least, last]] = [gains[0], gains.at(-1)];
  return element('p', {}, 'Most is gained for ', strong(place(first)), ` (${signedPercent(most)} time), least for ${place(last)} (${signedPercent(least)}).`);
}

function certainty(view) {
  const { chooser, collective } = view;
  const parts = [];
  const held = chooser.held_out;
  if (held && held.entry === view.state.get('entry')) {
    parts.push(`On communicator sizes left out of the fit (${held.folds} folds) it loses ${percent(held.performance_penalty.mean)} (${interval(held.performance_penalty.mean_interval)}). `);
  }
  if (chooser.size_held_out !== null && chooser.size_held_out !== undefined) {
    parts.push(`Its size was chosen on sizes left out of the fit, where it loses ${percent(chooser.size_held_out)}. `);
  }
  if (!collective.hasIntervals) {
    parts.push(view.report.system.provenance === 'simulated'
      ? 'Simulated times repeat exactly: there is no noise in them. '
      : 'Each time is a single sample, so its noise is not known; measure more to be sure of small differences. ');
  } else {
    const clear = collective.json.rivals.filter((n) => n === 0).length;
    parts.push(`At ${percent(clear / collective.size)} of the instances the best method is beyond doubt: no other one’s interval meets its own. `);
  }
  parts.push(`Intervals of means are bootstrap intervals over the instances${
    collective.hasPredictions ? ', with what the predicted times may be off by' : ''}.`);
  return element('p', {}, ...parts);
}

// The nine regions of the grid with the gain of the chosen model, as a table.
function regionTable(view) {
  const { regions } = view.collective;
  const key = (pair) => pair.join('..');
  const columns = [...new Map(regions.map(({ message_sizes: m }) => [key(m), m])).values()];
  const rows = [...new Map(regions.map(({ communicator_sizes: p }) => [key(p), p])).values()].reverse();
  const hasDefault = view.entry.performance_penalty.versus_default !== null;
  const cell = (p, m) => {
    const k = regions.findIndex((one) => key(one.communicator_sizes) === key(p) && key(one.message_sizes) === key(m));
    if (k < 0) return element('td', {}, '–');
    const value = view.entry.regions[k][hasDefault ? 2 : 1];
    if (value === null) return element('td', {}, '–');
    const strength = Math.round(100 * Math.min(Math.abs(value) / (hasDefault ? 0.8 : 0.2), 1) * 0.42);
    const good = hasDefault && value < 0;
    return element('td', { style: `background: color-mix(in srgb, var(${good ? '--good' : '--bad'}) ${strength}%, transparent)` },
      hasDefault ? signedPercent(value) : percent(value));
  };
  return element('table', { class: 'regions' },
    element('caption', {}, hasDefault ? 'Time against the library default, by region' : 'Mean penalty by region'),
    element('thead', {}, element('tr', {}, element('td', {}), columns.map((m) => element('th', { scope: 'col' }, range(m, bytes))))),
    element('tbody', {}, rows.map((p) => element('tr', {}, element('th', { scope: 'row' }, `${range(p, String)} ranks`), columns.map((m) => cell(p, m))))));
}

export function showSummary(view) {
  view.state.on(['collective', 'placement', 'chooser', 'entry'], () => {
    byId('summary-tiles').replaceChildren(...tiles(view));
    byId('summary-words').replaceChildren(...[measured, versusDefault, versusFixed, where, certainty].map((say) => say(view)).filter(Boolean));
    byId('summary-regions').replaceChildren(regionTable(view));
  });
}
