// SPDX-License-Identifier: BSD-3-Clause
import { showCrossover } from './charts/crossover.js';
import { showFrontier } from './charts/frontier.js';
import { showMaps } from './charts/maps.js';
import { showQualityMap } from './charts/quality_map.js';
import { showTree } from './charts/tree.js';
import { load } from './data.js';
import { byId, element } from './dom.js';
import { showCell } from './panels/cell.js';
import { showCommands } from './panels/commands.js';
import { showComparison } from './panels/comparison.js';
import { showControls } from './panels/controls.js';
import { showHeader } from './panels/header.js';
import { showQuality } from './panels/quality.js';
import { showSources } from './panels/sources.js';
import { showSummary } from './panels/summary.js';
import { View } from './view.js';

const mark = (name) => { document.documentElement.dataset[name] = Math.round(performance.now()); };

function loadOrSay() {
  try {
    return load(byId('report-data').textContent);
  } catch (error) {
    document.body.replaceChildren(element('p', { class: 'page', role: 'alert' }, `This report cannot be shown: ${error.message}`));
    throw error;
  }
}

const view = new View(loadOrSay());
showHeader(view);
showSummary(view);
showControls(view);
const maps = showMaps(view);
showCell(view);
// For tests and measurements: where an instance lies on the screen, and when what was ready.
globalThis.colltreeReport = { view, pixel: (map, i) => maps[map].map.pixel(i) };
mark('ready');

// What lies below comes piece by piece, so that the reader can already move about.
const below = [showFrontier, showComparison, showSources, showCrossover, showTree, showQualityMap, showQuality, showCommands];
function next() {
  const show = below.shift();
  if (!show) return mark('complete');
  show(view);
  setTimeout(next);
}
setTimeout(next);
