// SPDX-License-Identifier: BSD-3-Clause
// Everything about one instance: the times of all methods with their intervals, what the model
// asks for and how it came to that, what the default takes.
import { testText } from '../attributes.js';
import { byId, element } from '../dom.js';
import { instanceText } from '../charts/tips.js';
import { bytes, count, percent, signedPercent, time } from '../format.js';
import { onTheme, pick } from '../theme.js';

const swatch = (method) => element('span', { class: 'swatch', style: `background:${pick(method.colour)}` });

function pathList(view) {
  const { collective, entry, at } = view;
  if (!entry.tree) return null;
  const path = collective.path(entry.tree, at);
  const steps = path.slice(0, -1).map((node, k) => {
    const yes = path[k + 1] === entry.tree[node][2];
    return element('li', {}, testText(entry.tree[node]), element('b', {}, yes ? ' yes' : ' no'));
  });
  const leaf = collective.methods[entry.tree[path.at(-1)][0]];
  return element('details', { open: steps.length < 6 }, element('summary', {}, `Decision path: ${count(steps.length, 'test')}`),
    element('ol', { class: 'path', id: 'cell-path' }, steps, element('li', {}, swatch(leaf), leaf.label)));
}

const predictedTag = (isPredicted) => (isPredicted ? element('span', { class: 'tag' }, 'predicted') : null);

function fact(name, ...value) {
  return [element('dt', {}, name), element('dd', {}, ...value)];
}

function facts(view) {
  const { collective, entry, at, chooser } = view;
  const best = collective.best(at);
  const asked = collective.asked(entry, at);
  const runs = collective.runs(entry, at);
  const library = collective.chooser('default')?.entries[0];
  const list = [fact('Best', swatch(collective.methods[best]), collective.methods[best].label, ` ${time(collective.time(at, best))}`, predictedTag(collective.isPredicted(at, best)))];
  if (asked !== undefined && chooser.id !== 'best' && chooser.id !== 'default') {
    const other = runs !== asked && collective.methods[runs] ? ` (runs as ${collective.methods[runs].label})` : '';
    list.push(fact('Model', swatch(collective.methods[asked]), collective.methods[asked].label + other));
    list.push(fact('Penalty', element('b', { id: 'cell-penalty' }, entry.penalty[at] === null ? 'cannot run here' : percent(entry.penalty[at]))));
  }
  if (library && collective.defaultTime(at) !== null) {
    const method = collective.methods[collective.asked(library, at)];
    list.push(fact('Default', ...(method ? [swatch(method), `${method.label} (by its rules) `] : []), time(collective.defaultTime(at)), predictedTag(collective.isDefaultPredicted(at))));
    const beats = collective.defaultTime(at) < collective.time(at, best);
    list.push(fact('Its penalty', element('b', { id: 'cell-default-penalty' }, beats ? '0 %, faster than every method' : percent(library.penalty[at]))));
  }
  return element('dl', {}, list);
}

// A bar as long as the time, a line over it for the interval; on the scale of the slowest shown.
function bar(us, known, longest, fill) {
  const share = (value) => `${(100 * value) / longest}%`;
  const inner = [element('span', { class: 'fill', style: `width:${share(us)};background:${fill}` })];
  if (known && known[1] > known[0]) {
    inner.push(element('span', { class: 'whisker', style: `left:${share(known[0])};width:${share(known[1] - known[0])}` }));
  }
  return element('span', { class: 'bar', 'aria-hidden': 'true' }, inner);
}

function timeRow(view, m, longest, best) {
  const { collective, at } = view;
  const [us, known] = [collective.time(at, m), collective.interval(at, m)];
  const chosen = m === collective.runs(view.entry, at);
  const note = known && known[1] > known[0] ? `${time(known[0])} – ${time(known[1])}` : null;
  return element('tr', { class: chosen ? 'chosen' : false },
    element('th', { scope: 'row' }, swatch(collective.methods[m]), collective.methods[m].label,
      chosen ? element('span', { class: 'tag' }, 'model') : null, predictedTag(collective.isPredicted(at, m)),
      bar(Math.min(us, longest), known?.map((end) => Math.min(end, longest)), longest, pick(collective.methods[m].colour))),
    element('td', {}, time(us), note ? element('small', {}, note) : null),
    element('td', {}, m === best ? 'best' : signedPercent(us / collective.time(at, best) - 1)));
}

function times(view) {
  const { collective, at } = view;
  const ranking = collective.ranking(at);
  const best = collective.best(at);
  // Slow methods would press all others together: four times the best fills the scale.
  const longest = Math.min(collective.time(at, ranking.at(-1)), 4 * collective.time(at, best));
  return element('div', { class: 'scroll times', tabindex: 0, role: 'region', 'aria-label': 'Times of all methods' }, element('table', { id: 'cell-times' },
    element('thead', {}, element('tr', {}, ['method', collective.hasIntervals ? 'time (95 %)' : 'time', 'above best'].map((text) => element('th', { scope: 'col' }, text)))),
    element('tbody', {}, ranking.map((m) => timeRow(view, m, longest, best)))));
}

export function showCell(view) {
  const box = byId('cell');
  const draw = () => {
    const { collective, at, state } = view;
    const penalty = view.entry.penalty[at];
    box.replaceChildren(
      element('h3', { id: 'cell-title' }, `${collective.ranks[at]} ranks, ${bytes(collective.bytes[at])}`),
      collective.placements.length > 1 ? element('p', { class: 'note' }, view.grid.name) : '',
      element('p', { class: 'note' }, state.get('pinned') ? 'Pinned. Click it again or press Escape on a map to release it.' : 'Point at a map, or use the arrow keys on it; click or Enter pins.'),
      facts(view), pathList(view) ?? '', times(view),
      element('p', { class: 'hidden', role: 'status' }, document.activeElement?.classList.contains('plot')
        ? `${instanceText(collective, at)}: ${collective.methods[collective.asked(view.entry, at)]?.label ?? ''}, penalty ${penalty === null ? 'none, cannot run' : percent(penalty)}` : ''));
  };
  view.state.on(['collective', 'chooser', 'entry', 'at', 'pinned'], draw);
  onTheme(draw);
}
