// SPDX-License-Identifier: BSD-3-Clause
// Collective, placement, model and leaves; the maps follow at once.
import { byId, element, select } from '../dom.js';
import { percent } from '../format.js';

function slider(view) {
  const { chooser } = view;
  const input = element('input', {
    type: 'range', id: 'leaves', min: 0, max: chooser.entries.length - 1, step: 1, value: view.state.get('entry'),
    oninput: (event) => view.choose(chooser.id, Number(event.target.value)),
  });
  return element('label', { class: 'field slider' }, element('span', {}, 'Leaves'), input, element('output', { for: 'leaves', id: 'leaves-text' }));
}

// What is best everywhere needs no choosing; the default only where its methods are known.
const canBeChosen = ({ id, entries }) => id !== 'best' && entries[0].method !== undefined;

function fields(view) {
  const { state, report, collective } = view;
  const list = [];
  if (report.collectives.length > 1) {
    list.push(select('Collective', report.collectives.map(({ name }, k) => [String(k), name]), String(state.get('collective')), (k) => view.show(Number(k))));
  }
  if (collective.placements.length > 1) {
    const go = (k) => state.set({ placement: Number(k), at: collective.placements[Number(k)].cells[0].i, pinned: false });
    list.push(select('Placement', collective.placements.map(({ name }, k) => [String(k), name]), String(state.get('placement')), go));
  }
  list.push(select('Model', collective.choosers.filter(canBeChosen).map(({ id, label }) => [id, label]), state.get('chooser'), (id) => view.choose(id)));
  if (view.chooser.entries.length > 1) list.push(slider(view));
  list.push(element('p', { class: 'readout', id: 'readout', role: 'status' }));
  return list;
}

export function showControls(view) {
  const form = byId('controls');
  form.addEventListener('submit', (event) => event.preventDefault());
  view.state.on(['collective', 'placement', 'chooser'], () => {
    // The element that the reader uses stays where it is.
    const focused = [...form.querySelectorAll('select, input')].indexOf(document.activeElement);
    form.replaceChildren(...fields(view));
    form.querySelectorAll('select, input')[focused]?.focus();
  });
  view.state.on(['collective', 'chooser', 'entry'], () => {
    const { entry } = view;
    const figures = entry.performance_penalty;
    const leaves = byId('leaves');
    if (leaves) {
      leaves.value = view.state.get('entry');
      leaves.setAttribute('aria-valuetext', `${entry.leaves} leaves, mean penalty ${percent(figures.mean)}`);
      byId('leaves-text').value = entry.leaves;
    }
    byId('readout').textContent = `mean penalty ${percent(figures.mean)}, median ${percent(figures.median)}, at worst ${percent(figures.max)}${
      entry.cannot_run ? `; cannot run at ${entry.cannot_run} instances` : ''}`;
  });
}
