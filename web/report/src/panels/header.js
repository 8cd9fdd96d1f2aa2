// SPDX-License-Identifier: BSD-3-Clause
import { byId, element } from '../dom.js';
import { toggle } from '../theme.js';

export function showHeader(view) {
  const { system, provenance, mpi, noise } = view.report.system;
  document.title = `${system}: colltree report`;
  const facts = [provenance, mpi, noise && `noise ${noise}`].filter(Boolean).join(' · ');
  byId('header').replaceChildren(
    element('div', {}, element('p', { class: 'brand' }, 'colltree report'), element('h1', {}, system), element('p', { class: 'facts' }, facts)),
    element('div', { class: 'actions' },
      element('button', { type: 'button', id: 'theme', onclick: toggle }, 'Light / dark'),
      element('button', { type: 'button', onclick: () => print() }, 'Print')));
  byId('footer').replaceChildren(`colltree ${view.report.colltree}. Made by: `, element('code', {}, view.report.command));
}
