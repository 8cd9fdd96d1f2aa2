// SPDX-License-Identifier: BSD-3-Clause
// The JSON block of the page (docs/report.md), with look-ups. Nothing is computed here that
// `colltree evaluate` computes; an instance is known by its index.
import { checkTree, valueOf } from './attributes.js';

const ascending = (values) => [...new Set(values)].sort((a, b) => a - b);

export class Collective {
  constructor(json) {
    this.json = json;
    this.name = json.collective;
    this.ranks = json.instances.communicator_size;
    this.bytes = json.instances.message_size;
    this.size = this.ranks.length;
    this.methods = json.methods;
    this.measured = json.measured_methods;
    this.choosers = json.choosers.map((chooser) => ({ ...chooser, label: labelOf(chooser, this.hasPredictions) }));
    this.placements = this.#placements();
    this.regions = json.regions;
    for (const { entries } of this.choosers) for (const { tree } of entries) checkTree(tree ?? []);
  }

  chooser(id) {
    return this.choosers.find((chooser) => chooser.id === id);
  }

  get hasIntervals() {
    return this.json.low_us !== null;
  }

  time(i, method) {
    return this.json.time_us[i * this.measured + method] ?? null;
  }

  interval(i, method) {
    if (!this.hasIntervals) return null;
    const at = i * this.measured + method;
    return this.json.low_us[at] === null ? null : [this.json.low_us[at], this.json.high_us[at]];
  }

  defaultTime(i) {
    return this.json.default_us[i];
  }

  // What was not measured but predicted: false everywhere where nothing was.
  get hasPredictions() {
    return this.json.predicted !== undefined;
  }

  isPredicted(i, method) {
    return this.json.predicted?.[i * this.measured + method] === 1;
  }

  isDefaultPredicted(i) {
    return this.json.default_predicted?.[i] === 1;
  }

  // Of all times of methods how many were predicted, and at how many instances the best one was.
  get predictions() {
    return {
      times: this.json.time_us.filter((us) => us !== null).length,
      predicted: this.json.predicted.filter((one) => one === 1).length,
      best: [...Array(this.size).keys()].filter((i) => this.isPredicted(i, this.best(i))).length,
    };
  }

  // Indices of methods with a time, fastest first.
  ranking(i) {
    const methods = [];
    for (let m = 0; m < this.measured; ++m) if (this.time(i, m) !== null) methods.push(m);
    return methods.sort((a, b) => this.time(i, a) - this.time(i, b));
  }

  best(i) {
    return this.chooser('best').entries[0].method[i];
  }

  // What an entry asks for at an instance and what really runs; undefined where nobody knows.
  asked(entry, i) {
    return entry.method?.[i];
  }

  runs(entry, i) {
    return entry.runs?.[i] ?? entry.method?.[i];
  }

  // Node numbers from the root to the leaf that decides.
  path(tree, i) {
    const path = [0];
    for (let node = tree[0]; node.length > 1; node = tree[path.at(-1)]) {
      path.push(valueOf(node[0], this, i) <= node[1] ? node[2] : node[3]);
    }
    return path;
  }

  // One map shows one placement: the grids of instances that differ in it lie over each other.
  #placements() {
    const { nodes, ranks_per_node: perNode } = this.json.instances;
    const seen = new Map();
    for (let i = 0; i < this.size; ++i) seen.set(`${this.ranks[i]} ${this.bytes[i]}`, 0);
    if (!nodes || seen.size === this.size) return [this.#grid('all', [...this.ranks.keys()])];
    const groups = new Map();
    for (let i = 0; i < this.size; ++i) {
      const key = perNode[i];
      groups.set(key, [...(groups.get(key) ?? []), i]);
    }
    return [...groups].sort((a, b) => a[0] - b[0]).map(([key, instances]) =>
      this.#grid(key ? `${key} ${key === 1 ? 'rank' : 'ranks'} per node` : 'placement not known', instances));
  }

  #grid(name, instances) {
    const rows = ascending(instances.map((i) => this.ranks[i]));
    const columns = ascending(instances.map((i) => this.bytes[i]));
    const row = new Map(rows.map((size, k) => [size, k]));
    const column = new Map(columns.map((size, k) => [size, k]));
    const at = new Map();
    const cells = instances.map((i) => {
      const cell = { i, column: column.get(this.bytes[i]), row: row.get(this.ranks[i]) };
      at.set(cell.row * columns.length + cell.column, i);
      return cell;
    });
    const holes = [];
    for (let r = 0; r < rows.length; ++r) {
      for (let c = 0; c < columns.length; ++c) if (!at.has(r * columns.length + c)) holes.push([c, r]);
    }
    return {
      name, rows, columns, cells, holes,
      at: (r, c) => at.get(r * columns.length + c),
      where: (i) => [row.get(this.ranks[i]), column.get(this.bytes[i])],
    };
  }
}

function labelOf(chooser, hasPredictions) {
  switch (chooser.id) {
    case 'default': return 'library default';
    case 'best': return hasPredictions ? 'best known' : 'best measured';
    case 'fixed': return `always ${chooser.detail}`;
    case 'deployed': return 'model to deploy';
    case 'optimal': return 'optimal tree';
    default: return chooser.id.split('/').at(-1).replace(/\.json$/, '');
  }
}

export function load(text) {
  const json = JSON.parse(text);
  if (json.format !== 'colltree report' || json.version !== 1) throw new Error('not the data of this page');
  return { ...json, collectives: json.collectives.map((one) => new Collective(one)) };
}
