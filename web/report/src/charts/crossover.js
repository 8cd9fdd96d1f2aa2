// SPDX-License-Identifier: BSD-3-Clause
// Times of all methods against message size on one communicator size: where lines cross, the best
// method changes. Methods that are the best nowhere in the picture stay grey.
import { byId, element, select } from '../dom.js';
import { bytes, escape, time } from '../format.js';
import { css, onTheme, pick } from '../theme.js';
import { axisStyle, Chart, tooltipStyle } from './echarts.js';

const kMostInTip = 8;
// The axis counts in octaves: that of ECharts labels no more than every tenth. Empty messages stand
// one before the first byte.
const position = (size) => Math.log2(Math.max(size, 0.5));

// The instances of the row that is looked at, by message size.
function rowOf(view) {
  const { grid, at } = view;
  const [row] = grid.where(at);
  return grid.columns.map((_, column) => grid.at(row, column)).filter((i) => i !== undefined);
}

function winners(view, row) {
  const { collective, entry } = view;
  return new Set(row.flatMap((i) => [collective.best(i), collective.runs(entry, i)]));
}

function line(name, points, style, more = {}) {
  return {
    type: 'line', name, data: points.map(([i, x, y]) => [x, y, i]), symbol: 'circle', showSymbol: points.length < 60,
    symbolSize: 4, lineStyle: style, itemStyle: { color: style.color }, emphasis: { disabled: true }, ...more,
  };
}

const kTop = 14;
const kBottom = 46;
const kLabelHeight = 13;

const endLabel = (text) => ({
  endLabel: { show: true, formatter: text, color: css('--text'), fontSize: 11, distance: 6, textBorderColor: css('--card'), textBorderWidth: 3 },
});

const last = (series) => series.data.findLast(([, y]) => y !== null)?.[1];

// ECharts lets labels at the ends of lines lie on each other: move them apart, top to bottom.
function spreadEndLabels(all, [low, high], height) {
  const y = (series) => (height * Math.log(high / last(series))) / Math.log(high / low);
  const labelled = all.filter((series) => series.endLabel && last(series)).sort((a, b) => y(a) - y(b));
  let free = -Infinity;
  for (const series of labelled) {
    const place = Math.max(y(series), free);
    series.endLabel.offset = [0, place - y(series)];
    free = place + kLabelHeight;
  }
}

// Of all the times in the picture, with a margin.
function extent(all) {
  const times = all.flatMap(({ data }) => data.map(([, y]) => y)).filter((y) => y !== null && y !== undefined);
  return [Math.min(...times) * 0.85, Math.max(...times) * 1.1];
}

function methodLines(view, row) {
  const { collective } = view;
  const winning = winners(view, row);
  const points = (m) => row.map((i) => [i, position(collective.bytes[i]), collective.time(i, m)]);
  const all = [...Array(collective.measured).keys()].filter((m) => collective.methods[m].label !== 'default' // has a line of its own
    && row.some((i) => collective.time(i, m) !== null));
  return all.map((m) => {
    const { label, colour } = collective.methods[m];
    return winning.has(m)
      ? line(label, points(m), { color: pick(colour), width: 2.25 }, { z: 4, ...endLabel(label) })
      : line(label, points(m), { color: css('--quiet'), width: 1, opacity: 0.8 }, { z: 2, showSymbol: false });
  });
}

function otherLines(view, row) {
  const { collective, entry, chooser } = view;
  const lines = [];
  if (chooser.id !== 'default') {
    lines.push(line(chooser.label, row.map((i) => [i, position(collective.bytes[i]), collective.time(i, collective.runs(entry, i))]),
      { color: css('--path-soft'), width: 11, opacity: 0.5, cap: 'round' }, { z: 1, showSymbol: false, silent: true }));
  }
  if (collective.chooser('default')) {
    lines.push(line('library default', row.map((i) => [i, position(collective.bytes[i]), collective.defaultTime(i)]),
      { color: css('--text'), width: 2, type: [6, 4] }, { z: 5, showSymbol: false, ...endLabel('default') }));
  }
  return lines;
}

// Vertical bars where the time is known with an interval.
function intervals(view, row) {
  const { collective } = view;
  const data = [];
  for (const i of row) {
    for (const m of winners(view, row)) {
      const known = collective.interval(i, m);
      if (known && known[1] > known[0]) data.push([position(collective.bytes[i]), known[0], known[1], m]);
    }
  }
  return {
    type: 'custom', data, silent: true, z: 6, encode: { x: 0, y: [1, 2] }, tooltip: { show: false },
    renderItem: (_, api) => {
      const [x, low] = api.coord([api.value(0), api.value(1)]);
      const [, high] = api.coord([api.value(0), api.value(2)]);
      const stroke = pick(collective.methods[api.value(3)].colour);
      return { type: 'line', shape: { x1: x, y1: low, x2: x, y2: high }, style: { stroke, lineWidth: 2 } };
    },
  };
}

function tipOf(view, row, x) {
  const { collective } = view;
  const i = row.find((one) => position(collective.bytes[one]) === x) ?? row[0];
  const ranking = collective.ranking(i).slice(0, kMostInTip);
  const lines = ranking.map((m) => `<tr><td><span class="swatch" style="background:${pick(collective.methods[m].colour)}"></span>${
    escape(collective.methods[m].label)}</td><td>${time(collective.time(i, m))}</td></tr>`);
  const library = collective.defaultTime(i);
  if (library !== null) lines.push(`<tr><td>library default</td><td>${time(library)}</td></tr>`);
  return `<strong>${bytes(collective.bytes[i])} on ${collective.ranks[i]} ranks</strong><table class="tip">${lines.join('')}</table>`;
}

function option(view, width, height) {
  const row = rowOf(view);
  const narrow = width < 560;
  const lines = [...methodLines(view, row), ...otherLines(view, row)];
  const [low, high] = extent(lines);
  spreadEndLabels(lines, [low, high], height - kTop - kBottom);
  return {
    grid: { left: 62, right: narrow ? 96 : 120, top: kTop, bottom: kBottom },
    tooltip: { ...tooltipStyle(), trigger: 'axis', formatter: ([first]) => tipOf(view, row, first.value[0]) },
    xAxis: {
      ...axisStyle(), type: 'value', min: 'dataMin', max: 'dataMax', interval: narrow ? 4 : 2, name: 'message size',
      nameLocation: 'middle', nameGap: 28, splitLine: { show: false },
      axisLabel: { ...axisStyle().axisLabel, formatter: (octave) => (octave < 0 ? '0' : Number.isInteger(octave) ? bytes(2 ** octave) : '') },
    },
    yAxis: {
      ...axisStyle(), type: 'log', logBase: 10, name: 'time', minorSplitLine: { show: true, lineStyle: { color: css('--grid'), opacity: 0.6 } }, nameLocation: 'middle', nameRotate: 90, nameGap: 46,
      min: low, max: high,
      axisLabel: { ...axisStyle().axisLabel, formatter: (value) => (/^[125]0*$|^0\.0*[125]$/.test(String(value)) ? time(value) : '') },
    },
    series: [...lines, intervals(view, row)],
  };
}

export function showCrossover(view) {
  const title = element('figcaption');
  const plot = element('div', { class: 'plot tall', role: 'img' });
  byId('crossover').replaceChildren(title, plot);
  const chart = new Chart(plot, () => option(view, plot.clientWidth, plot.clientHeight));
  let shown = '';
  const draw = () => {
    const { grid, at, collective } = view;
    const [row, column] = grid.where(at);
    const key = [view.state.get('collective'), view.state.get('placement'), view.state.get('chooser'), view.state.get('entry'), row].join();
    if (key === shown) return;
    shown = key;
    plot.setAttribute('aria-label', `Times of the methods of ${collective.name} on ${grid.rows[row]} ranks against message size`);
    const options = grid.rows.map((size, r) => [String(r), `${size} ranks`]);
    const go = (r) => view.state.set({ at: grid.at(Number(r), column) ?? grid.cells.find((cell) => cell.row === Number(r)).i, pinned: true });
    title.replaceChildren(select('Communicator of', options, String(row), go),
      element('span', { class: 'note' }, `Wide band: what the ${view.nameOf(view.chooser.id)} runs. Dashed: the library default. Grey: never the best here.`));
    chart.draw();
  };
  view.state.onPause(['collective', 'placement', 'chooser', 'entry', 'at'], draw);
  onTheme(() => { shown = ''; });
}
