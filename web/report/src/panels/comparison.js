// SPDX-License-Identifier: BSD-3-Clause
// Everything that chooses, in one table: the figures of `colltree evaluate`. A row's button makes it
// the model that the maps show.
import { byId, element } from '../dom.js';
import { percent, signedPercent, withoutUnit } from '../format.js';

const kColumns = [
  ['leaves', (entry) => entry.leaves ?? '–'],
  ['mean', (entry) => percent(entry.performance_penalty.mean)],
  ['95 %', ({ performance_penalty: { mean_interval: known } }) => (known ? `${withoutUnit(percent(known[0]))}–${percent(known[1])}` : '–')],
  ['median', (entry) => percent(entry.performance_penalty.median)],
  ['p95', (entry) => percent(entry.performance_penalty.p95)],
  ['max', (entry) => percent(entry.performance_penalty.max)],
  ['> 5 %', (entry) => percent(entry.performance_penalty.share_above_5)],
  ['> 50 %', (entry) => percent(entry.performance_penalty.share_above_50)],
  ['predicted', (entry) => entry.performance_penalty.predicted ?? 0],
  ['no run', (entry) => entry.cannot_run],
  ['charged', (entry) => percent(entry.performance_penalty.charged_mean)],
  ['vs def', ({ performance_penalty: { versus_default: gain } }) => (gain === null ? '–' : signedPercent(gain))],
];

// Only where something cannot run: "no run", and the mean with such choices charged as the slowest method.
// Only where figures rest on predictions: at how many instances.
const kOnlyWhere = {
  'no run': (entry) => entry.cannot_run,
  charged: (entry) => entry.cannot_run,
  predicted: (entry) => entry.performance_penalty.predicted,
};
const columnsOf = ({ choosers }) =>
  kColumns.filter(([name]) => !kOnlyWhere[name] || choosers.some(({ entries }) => entries.some(kOnlyWhere[name])));

function row(view, chooser) {
  const entry = view.entryOf(chooser.id);
  const current = chooser.id === view.chooser.id;
  return element('tr', { class: current ? 'chosen' : false, 'data-chooser': chooser.id },
    element('th', { scope: 'row' }, element('button', { type: 'button', class: 'link', 'aria-pressed': String(current), onclick: () => view.choose(chooser.id) }, chooser.label)),
    columnsOf(view.collective).map(([, value]) => element('td', {}, String(value(entry)))));
}

export function showComparison(view) {
  view.state.onPause(['collective', 'chooser', 'entry'], () => {
    byId('comparison').replaceChildren(element('table', { class: 'figures' },
      element('caption', {}, 'Performance penalty: (time of the chosen − time of the best) / time of the best'),
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'chooser'), columnsOf(view.collective).map(([name]) => element('th', { scope: 'col' }, name)))),
      element('tbody', {}, view.collective.choosers.filter(({ id }) => id !== 'best').map((chooser) => row(view, chooser)))));
  });
}
