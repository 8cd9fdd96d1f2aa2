// SPDX-License-Identifier: BSD-3-Clause
// Profiles made up for tests, and the pages that the program under test writes of them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const source = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const folder = mkdtempSync(join(tmpdir(), 'colltree-report-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

export const inFolder = (name) => join(folder, name);

export function colltree(...words) {
  return execFileSync(process.env.COLLTREE, words, { encoding: 'utf8', cwd: folder, maxBuffer: 2 ** 28 });
}
export const colltreeJson = (...words) => JSON.parse(colltree(...words));

// A file of rows, each a list of what the columns name.
const kColumns = 'system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us';
export const csvOf = (rows) => `${[kColumns, ...rows.map((row) => row.join())].join('\n')}\n`;

// Times with crossovers: each method has its own latency and bandwidth. Seeded, so always the same.
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

// One row a sample. `hole(p, m)` leaves a point out.
export function timingsCsv({ collective = 'bcast', ranks, sizes, methods, samples = 1, hole = () => false, seed = 1 }) {
  const next = random(seed);
  const rows = [];
  const noise = () => 1 + 0.1 * (next() - 0.5);
  for (const p of ranks) {
    for (const m of sizes) {
      if (hole(p, m)) continue;
      for (const [k, method] of [...methods, 'default'].entries()) {
        const us = (3 + 2 * k) * Math.log2(p + 1) + (m * (1 + p / 16)) / (20 * (k + 1) ** 1.5);
        const base = method === 'default' ? us * 3 : us;
        const [algorithm, segment] = method.split(':');
        for (let rep = 0; rep < samples; ++rep) {
          rows.push(['made-up', 'test-1.0', collective, p, '', '', m, algorithm, segment ?? '', rep, (base * noise()).toFixed(6)]);
        }
      }
    }
  }
  return csvOf(rows);
}

export function profile(name, csv) {
  writeFileSync(inFolder(`${name}.csv`), csv);
  colltree('import', `${name}.csv`, '-o', `${name}.db`);
  return `${name}.db`;
}

export function reportOf(db, ...options) {
  const page = db.replace('.db', '.html');
  colltree('report', db, '-o', page, ...options);
  return inFolder(page);
}

// Small, with holes and with intervals: what most tests look at.
export function smallProfile() {
  return profile('small', timingsCsv({
    ranks: [2, 3, 4, 6, 8, 12, 16, 24, 32], sizes: [...Array(12).keys()].map((k) => 4 ** k), samples: 7,
    methods: ['linear:0', 'binomial:0', 'binomial:1024', 'binary:8192', 'pipeline:1024'], hole: (p, m) => p === 6 && m === 256,
  }));
}

export const ranges = (first, last) => [...Array(last - first + 1).keys()].map((k) => first + k);
