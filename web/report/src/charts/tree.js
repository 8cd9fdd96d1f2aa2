// SPDX-License-Identifier: BSD-3-Clause
// The tree of the chosen model with the path of the instance that is looked at; the same as text
// below it, for those who cannot see the picture.
import { testText } from '../attributes.js';
import { byId, element } from '../dom.js';
import { css, onTheme, pick } from '../theme.js';
import { Chart } from './echarts.js';
import { instanceText } from './tips.js';

const kMostShown = 80;  // leaves that a picture can hold; larger trees start folded

function leavesAt(tree, depth, node = 0) {
  if (depth === 0 || tree[node].length === 1) return 1;
  return leavesAt(tree, depth - 1, tree[node][2]) + leavesAt(tree, depth - 1, tree[node][3]);
}

function depthOf(tree, node = 0) {
  return tree[node].length === 1 ? 0 : 1 + Math.max(depthOf(tree, tree[node][2]), depthOf(tree, tree[node][3]));
}

function shownDepth(tree) {
  const whole = depthOf(tree);
  for (let depth = whole; depth > 1; --depth) if (leavesAt(tree, depth) <= kMostShown) return depth;
  return 1;
}

// Children: first "yes" (value <= threshold), then "no".
function nodes(view, tree, path, node = 0, answer = '') {
  const on = path.has(node);
  const leaf = tree[node].length === 1;
  const method = leaf ? view.collective.methods[tree[node][0]] : null;
  const line = { color: on ? css('--path') : css('--line'), width: on ? 3 : 1.25 };
  return {
    name: (answer && `{a|${answer}} `) + (leaf ? `{b|${method.label}}` : testText(tree[node])),
    symbol: leaf ? 'rect' : 'circle', symbolSize: leaf ? [14, 12] : on ? 9 : 6,
    itemStyle: { color: leaf ? pick(method.colour) : line.color, borderColor: on ? css('--path') : css('--line'), borderWidth: on ? 2.5 : 1 },
    lineStyle: line,
    label: { fontWeight: on ? 'bold' : 'normal' },
    children: leaf ? [] : [nodes(view, tree, path, tree[node][2], 'yes'), nodes(view, tree, path, tree[node][3], 'no')],
  };
}

function option(view, tree, path) {
  const label = {
    color: css('--text'), fontSize: 11, position: 'top', distance: 4, verticalAlign: 'middle', align: 'center',
    textBorderColor: css('--card'), textBorderWidth: 3,
    rich: { a: { color: css('--text-2'), fontSize: 11 }, b: { fontWeight: 'bold', color: css('--text'), fontSize: 11 } },
  };
  return {
    series: [{
      type: 'tree', data: [nodes(view, tree, path)], left: 70, right: 130, top: 24, bottom: 12, edgeShape: 'curve',
      initialTreeDepth: shownDepth(tree), expandAndCollapse: depthOf(tree) > shownDepth(tree), label,
      leaves: { label: { ...label, position: 'right', align: 'left', distance: 6 } },
      emphasis: { disabled: true }, animationDurationUpdate: 0,
    }],
  };
}

export function treeText(view, tree, node = 0, indent = '') {
  if (tree[node].length === 1) return ` ${view.collective.methods[tree[node][0]].label}`;
  const [, , low, high] = tree[node];
  return `${node === 0 ? '' : '\n'}${indent}if ${testText(tree[node])}:${treeText(view, tree, low, `${indent}  `)}\n${indent}else:${treeText(view, tree, high, `${indent}  `)}`;
}

export function showTree(view) {
  const title = element('figcaption');
  const plot = element('div', { class: 'tree-plot', role: 'img', 'aria-label': 'The tree; the same as text below' });
  const scroll = element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The tree as a picture' }, plot);
  const text = element('pre', { tabindex: 0 });
  const details = element('details', {}, element('summary', {}, 'The tree as text'), text);
  byId('tree').replaceChildren(title, scroll, details);
  let chart = null;
  const draw = () => {
    const tree = view.entry.tree;
    scroll.hidden = details.hidden = !tree;
    if (!tree) {
      title.replaceChildren(`${view.nameOf(view.chooser.id)}: not a tree`);
      return;
    }
    const path = new Set(view.collective.path(tree, view.at));
    const depth = Math.min(depthOf(tree), shownDepth(tree));
    plot.style.height = `${50 + 30 * leavesAt(tree, depth)}px`;
    plot.style.minWidth = `${200 + 116 * depth}px`;
    title.replaceChildren(`${view.nameOf(view.chooser.id)}`, element('span', { class: 'note' },
      `Thick: the path for ${instanceText(view.collective, view.at)}.${depth < depthOf(tree) ? ' Click a node to unfold it.' : ''}`));
    text.textContent = treeText(view, tree);
    chart ??= new Chart(plot, () => option(view, view.entry.tree ?? [[0]], new Set(view.entry.tree ? view.collective.path(view.entry.tree, view.at) : [])));
    chart.echarts.resize();
    chart.echarts.clear();  // from one tree to another ECharts 6.1 trips over nodes that are gone
    chart.echarts.setOption({ animation: false, ...option(view, tree, path) }, { notMerge: true });
  };
  view.state.onPause(['collective', 'chooser', 'entry', 'at'], draw);
  onTheme(draw);
}
