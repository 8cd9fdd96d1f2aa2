// SPDX-License-Identifier: BSD-3-Clause
// What our methods gain over the library's own, where the profile holds both: the table of
// `colltree compare`, for all collectives at once.
import { byId, element } from '../dom.js';
import { bytes, percent } from '../format.js';

const factor = (value) => value.toFixed(value < 9.995 ? 2 : 1);
const share = (count, certain, of) => `${percent(count / of)} (${percent(certain / of)})`;

const kColumns = [
  ['instances', (one) => one.instances],
  ['rules', (one) => factor(one.rules)],
  ['portable', (one) => factor(one.portable)],
  ['portable / rules', (one) => factor(one.gain)],
  ['portable > 5 %', (one) => share(one.portable_faster, one.portable_certain, one.instances)],
  ['rules > 5 %', (one) => share(one.library_faster, one.library_certain, one.instances)],
];

function row(title, figures, inner) {
  return element('tr', { class: inner ? false : 'chosen' }, element('th', { scope: 'row' }, title), kColumns.map(([, value]) => element('td', {}, String(value(figures)))));
}

const sizes = ({ least_bytes: least, most_bytes: most }) => (least === most ? bytes(least) : `${bytes(least)} to ${bytes(most)}`);

function rows({ collective, all, bands }) {
  const inner = bands.length > 1 ? bands : [];
  return [row(collective, all, false), ...inner.map((band) => row(sizes(band), band.figures, true))];
}

function apart(collectives) {
  const known = collectives.map(({ default_apart: one }) => one).filter((one) => one !== null).sort((a, b) => a - b);
  return known.length === 0 ? '' : ` The default was measured with each: ${percent(known[known.length >> 1])} apart in the median.`;
}

export function showSources(view) {
  const { sources } = view.report;
  const section = byId('sources-section');
  if (!sources) return section.remove();
  section.hidden = false;
  byId('sources').replaceChildren(
    element('table', { class: 'figures' },
      element('caption', {}, `Portable methods (${sources.portable}) beside ${sources.mpi}’s own (${sources.library})`),
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'collective'), kColumns.map(([name]) => element('th', { scope: 'col' }, name)))),
      element('tbody', {}, sources.collectives.map(rows))),
    element('p', {}, `Rules, portable: time of the default divided by the time of the best that rules of the library, or libcolltree, can choose; geometric means. In brackets: with intervals that do not meet.${apart(sources.collectives)}`));
}
