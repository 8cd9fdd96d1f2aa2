// SPDX-License-Identifier: BSD-3-Clause
import { showCrossover } from './charts/crossover.js';
import { showFrontier } from './charts/frontier.js';
import { showMaps } from './charts/maps.js';
import { showQualityMap } from './charts/quality_map.js';
import { showTree } from './charts/tree.js';
import { load } from './data.js';
import { byId } from './dom.js';
import { showCell } from './panels/cell.js';
import { showCommands } from './panels/commands.js';
import { showComparison } from './panels/comparison.js';
import { showControls } from './panels/controls.js';
import { showHeader } from './panels/header.js';
import { showQuality } from './panels/quality.js';
import { showSummary } from './panels/summary.js';
import { View } from './view.js';

const view = new View(load(byId('report-data').textContent));
showHeader(view);
showSummary(view);
showControls(view);
const maps = showMaps(view);
showCell(view);
showFrontier(view);
showComparison(view);
showCrossover(view);
showTree(view);
showQualityMap(view);
showQuality(view);
showCommands(view);

// For tests and measurements: where an instance lies on the screen, and when the page was ready.
globalThis.colltreeReport = { view, pixel: (map, i) => maps[map].map.pixel(i) };
document.documentElement.dataset.ready = Math.round(performance.now());
