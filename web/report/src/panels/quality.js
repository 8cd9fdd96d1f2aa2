// SPDX-License-Identifier: BSD-3-Clause
// Where the timings come from and what is missing.
import { byId, element } from '../dom.js';
import { bytes, count } from '../format.js';

const fact = (name, value) => (value ? [element('dt', {}, name), element('dd', {}, value)] : []);

function campaign({ uid, source, host, platform_file: platform, options, started_utc: started, colltree_version: version }) {
  const text = Object.entries(options ?? {}).map(([key, value]) => `${key} ${value}`).join(', ');
  return element('dl', {}, fact('Campaign', `${uid.slice(0, 8)}, ${started}`), fact('Source', source), fact('Host', host),
    fact('Platform', platform), fact('Options', text), fact('colltree', version));
}

function holes(view) {
  const { grid } = view;
  return grid.rows.length * grid.columns.length - grid.cells.length;
}

function counts(view) {
  const found = view.collective.json.counts;
  const missing = holes(view);
  const { collective } = view;
  const predicted = collective.hasPredictions
    ? element('li', {}, `at ${count(collective.predictions.best, 'instance')} of ${collective.size} the best time was not measured but predicted`)
    : null;
  const whole = collective.hasPredictions ? null : element('li', {}, 'every point of the grid was measured');
  return element('ul', {}, element('li', {}, `${count(found.ok, 'cell')} with a time, ${count(found.samples, 'sample')}`),
    element('li', {}, `${count(found.failed, 'cell')} failed, ${found.cannot_run} cannot run`),
    missing ? element('li', {}, `${count(missing, 'point')} of the grid not measured (dots in the maps)`) : whole, predicted);
}

function withoutTime(view) {
  const { system: { without_time: cells }, cells_without_time: total } = view.report;
  const mine = cells.filter(({ collective }) => collective === view.collective.name);
  if (!mine.length) return '';
  const rows = mine.map((cell) => element('tr', {}, element('td', {}, cell.method), element('td', {}, cell.communicator_size),
    element('td', {}, bytes(cell.message_size)), element('td', {}, cell.status.replace('_', ' ')), element('td', {}, cell.reason)));
  return element('details', {}, element('summary', {}, `Cells without a time${total > cells.length ? ` (the first ${cells.length} of ${total})` : ''}`),
    element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Cells without a time' }, element('table', {},
      element('thead', {}, element('tr', {}, ['method', 'ranks', 'message', 'status', 'reason'].map((text) => element('th', { scope: 'col' }, text)))),
      element('tbody', {}, rows))));
}

export function showQuality(view) {
  view.state.on(['collective', 'placement'], () => {
    const { system, campaigns } = { ...view.report.system, system: view.report.system };
    byId('quality').replaceChildren(element('h3', {}, `Timings of ${view.collective.name}`), counts(view), withoutTime(view),
      element('h3', {}, 'Provenance'), element('dl', {}, fact('System', system.system), fact('Kind', system.provenance), fact('MPI', system.mpi),
        fact('Noise', system.noise), fact('Platform file', system.platform_hash && `hash ${system.platform_hash}`)), ...campaigns.map(campaign));
  });
}
