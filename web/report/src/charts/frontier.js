// SPDX-License-Identifier: BSD-3-Clause
// Mean penalty against leaves: the optimal tree of each size, the given models, and what the
// default and the best fixed method lose. A click chooses.
import { byId, element } from '../dom.js';
import { percent } from '../format.js';
import { css } from '../theme.js';
import { axisStyle, Chart, tooltipStyle } from './echarts.js';

const kFloor = 1e-4;  // the axis is logarithmic: 0 stands at its foot
const mean = (entry) => entry.performance_penalty.mean;
const clamp = (value) => Math.max(value, kFloor);

function frontierLine(view) {
  const chooser = view.collective.chooser('optimal');
  if (!chooser) return [];
  const current = view.state.get('chooser') === 'optimal' ? view.state.get('entry') : -1;
  return [{
    type: 'line', step: 'end', name: 'optimal tree', lineStyle: { color: css('--accent'), width: 2 },
    data: chooser.entries.map((entry, k) => ({
      value: [entry.leaves, clamp(mean(entry))], name: `optimal:${k}`,
      symbol: 'circle', symbolSize: k === current ? 15 : 6,
      itemStyle: { color: css('--accent'), borderColor: css('--card'), borderWidth: k === current ? 3 : 1 },
    })),
  }];
}

function modelPoints(view) {
  const models = view.collective.choosers.filter(({ id, entries }) =>
    entries[0].leaves !== null && !['optimal', 'default'].includes(id));
  return [{
    type: 'scatter', symbol: 'diamond', symbolSize: 13,
    itemStyle: { color: css('--accent-2'), borderColor: css('--card'), borderWidth: 1 },
    label: { show: true, position: 'right', formatter: ({ data }) => data.label, color: css('--text'), fontSize: 11 },
    labelLayout: { hideOverlap: true, moveOverlap: 'shiftY' },
    data: models.map(({ id, label, entries }) => ({ value: [entries[0].leaves, clamp(mean(entries[0]))], name: `${id}:0`, label })),
  }];
}

// Of the tree that is shown first: what it loses on sizes that its fit did not see.
function heldOut(view) {
  const chooser = view.collective.chooser('optimal');
  if (!chooser?.held_out) return [];
  const { entry, performance_penalty: found } = chooser.held_out;
  const leaves = chooser.entries[entry].leaves;
  const [low, high] = found.mean_interval ?? [found.mean, found.mean];
  return [
    { type: 'line', silent: true, symbol: 'none', lineStyle: { color: css('--accent-3'), width: 2 }, data: [[leaves, clamp(low)], [leaves, clamp(high)]] },
    { type: 'scatter', symbol: 'circle', symbolSize: 9, itemStyle: { color: css('--card'), borderColor: css('--accent-3'), borderWidth: 2.5 },
      data: [{ value: [leaves, clamp(found.mean)], name: `heldout:${entry}` }] },
  ];
}

function levels(view) {
  return ['default', 'fixed'].map((id) => view.collective.chooser(id)).filter(Boolean).map(({ label, entries }) => ({
    yAxis: clamp(mean(entries[0])), name: label,
    label: { formatter: `${label}: ${percent(mean(entries[0]))}`, position: 'insideEndTop', color: css('--text'), fontSize: 11 },
    lineStyle: { color: css('--text-2'), type: [5, 4], width: 1.25 },
  }));
}

function tip(view, { name, value }) {
  const [id, entry] = [name.slice(0, name.lastIndexOf(':')), Number(name.slice(name.lastIndexOf(':') + 1))];
  if (id === 'heldout') {
    return `<strong>Held out</strong><br>${value[0]} leaves, fitted without the communicator sizes it is judged on: mean penalty ${percent(value[1])}`;
  }
  const chooser = view.collective.chooser(id);
  return `<strong>${chooser.label}</strong><br>${value[0]} leaves, mean penalty ${percent(mean(chooser.entries[entry]))}`;
}

function option(view) {
  const series = [...frontierLine(view), ...modelPoints(view), ...heldOut(view)];
  const lines = levels(view);
  const values = [...series.flatMap(({ data }) => data.map((point) => (point.value ?? point)[1])), ...lines.map(({ yAxis }) => yAxis)];
  const leaves = series.flatMap(({ data }) => data.map((point) => (point.value ?? point)[0]));
  const wide = Math.max(...leaves, 1) > 64;
  return {
    grid: { left: 58, right: 24, top: 18, bottom: 46 },
    tooltip: { ...tooltipStyle(), trigger: 'item', formatter: (params) => (params.componentType === 'series' ? tip(view, params) : '') },
    xAxis: { ...axisStyle(), type: wide ? 'log' : 'value', logBase: 2, min: wide ? 1 : 0, name: 'leaves', nameLocation: 'middle', nameGap: 28, splitLine: { show: false } },
    yAxis: {
      ...axisStyle(), type: 'log', name: 'mean penalty', nameLocation: 'middle', nameRotate: 90, nameGap: 42,
      min: 10 ** Math.floor(Math.log10(Math.min(...values))), max: 10 ** Math.ceil(Math.log10(Math.max(...values) * 1.05)),
      axisLabel: { ...axisStyle().axisLabel, formatter: (value) => (value <= kFloor ? '0' : `${Number((100 * value).toPrecision(2))} %`) },
    },
    series: [...series, { type: 'line', data: [], markLine: { silent: true, symbol: 'none', data: lines } }],
  };
}

export function showFrontier(view) {
  const plot = element('div', { class: 'plot', role: 'img', 'aria-label': 'Mean penalty against the number of leaves; the table beside it and the slider say the same' });
  byId('frontier').replaceChildren(
    element('figcaption', {}, 'Mean penalty against leaves',
      element('span', { class: 'note' }, 'Line: no tree of so many leaves loses less. Diamonds: the given models. Ring: on communicator sizes left out of the fit.')), plot);
  const chart = new Chart(plot, () => option(view));
  chart.echarts.on('click', ({ name }) => {
    const id = name?.slice(0, name.lastIndexOf(':'));
    if (view.collective.chooser(id)) view.choose(id, Number(name.slice(name.lastIndexOf(':') + 1)));
  });
  view.state.onPause(['collective', 'chooser', 'entry'], () => chart.draw());
}
