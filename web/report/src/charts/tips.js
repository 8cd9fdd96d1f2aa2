// SPDX-License-Identifier: BSD-3-Clause
// What a map says of one instance.
import { bytes, escape, percent, signedPercent, time } from '../format.js';
import { pick } from '../theme.js';

export const instanceText = (collective, i) =>
  `${collective.name}, ${collective.ranks[i]} ranks, ${bytes(collective.bytes[i])}`;

export const swatch = (method) => `<span class="swatch" style="background:${pick(method.colour)}"></span>`;

function row(name, method, us, isPredicted, note) {
  const label = method ? `${swatch(method)}${escape(method.label)}` : '';
  return `<tr><th scope="row">${escape(name)}</th><td>${label}</td><td>${time(us)}${isPredicted ? ' predicted' : ''}</td><td>${note}</td></tr>`;
}

function chosenRow(view, i) {
  const { collective, entry, chooser } = view;
  const runs = collective.runs(entry, i);
  const penalty = entry.penalty[i];
  if (chooser.id === 'default') return '';
  return row(chooser.label, collective.methods[runs], collective.time(i, runs), collective.isPredicted(i, runs),
    penalty === null ? 'cannot run' : signedPercent(penalty));
}

export function tip(view, i) {
  const { collective } = view;
  const best = collective.best(i);
  const library = collective.chooser('default')?.entries[0];
  const rows = [row('best', collective.methods[best], collective.time(i, best), collective.isPredicted(i, best), ''), chosenRow(view, i)];
  if (library && library.penalty[i] !== null) {
    const asked = collective.asked(library, i);
    rows.push(row('default', collective.methods[asked], collective.defaultTime(i), collective.isDefaultPredicted(i),
      library.penalty[i] === 0 && collective.defaultTime(i) < collective.time(i, best)
        ? 'beats all' : signedPercent(library.penalty[i])));
  }
  return `<strong>${escape(instanceText(collective, i))}</strong><table class="tip">${rows.join('')}</table>`;
}

export const penaltyText = (value) => (value === null ? 'cannot run' : percent(value));
