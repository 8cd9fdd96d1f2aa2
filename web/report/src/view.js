// SPDX-License-Identifier: BSD-3-Clause
// The state in terms of the data: which collective, grid, chooser and entry are shown.
import { State } from './state.js';

export class View {
  constructor(report) {
    this.report = report;
    this.state = new State({ at: 0, pinned: false });
    this.show(Math.max(0, report.collectives.findIndex(({ name }) => name === report.opens_on)));
  }

  // Another collective: everything that depends on it starts anew.
  show(collective) {
    const next = this.report.collectives[collective];
    const chosen = next.chooser('deployed') ?? next.chooser('optimal') ?? next.choosers.at(-1);
    const other = next.chooser('default')?.entries[0].method ? 'default' : 'best';
    const at = firstOfInterest(next);
    const placement = next.placements.findIndex(({ cells }) => cells.some(({ i }) => i === at));
    this.state.set({
      collective, placement, chooser: chosen.id, entry: chosen.start, otherMap: other,
      otherPenalty: next.chooser('default') ? 'default' : 'fixed', at, pinned: false,
    });
  }

  choose(id, entry) {
    const chooser = this.collective.chooser(id);
    this.state.set({ chooser: id, entry: entry ?? chooser.start });
  }

  get collective() { return this.report.collectives[this.state.get('collective')]; }
  get grid() { return this.collective.placements[this.state.get('placement')]; }
  get chooser() { return this.collective.chooser(this.state.get('chooser')); }
  get entry() { return this.chooser.entries[this.state.get('entry')]; }
  get at() { return this.state.get('at'); }

  // A chooser with its entry: the chosen one as the slider says, others as they start.
  entryOf(id) {
    if (id === this.state.get('chooser')) return this.entry;
    const chooser = this.collective.chooser(id);
    return chooser.entries[chooser.start];
  }

  nameOf(id) {
    const chooser = this.collective.chooser(id);
    return id === 'optimal' ? `optimal tree of ${this.entryOf(id).leaves} leaves` : chooser.label;
  }
}

// Where the default loses most, or in the middle.
function firstOfInterest(collective) {
  const penalty = collective.chooser('default')?.entries[0].penalty;
  if (!penalty) return Math.floor(collective.size / 2);
  return penalty.reduce((most, value, i) => (value > penalty[most] ? i : most), 0);
}
