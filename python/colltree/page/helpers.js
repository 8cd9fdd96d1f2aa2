// SPDX-License-Identifier: BSD-3-Clause
// The moving part of the page: the maps and curves by plotly.js, the figures of the instance under the pointer, sorting, export, and the link
// that opens at the same view. Words and tables are written by report.py; every figure comes from the data block, in which an instance is
// known by its index.
'use strict';

let report, Plotly;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);

async function inflate(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

// element('td', {class: 'x'}, 'text', child, ...); null is omitted.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

// Numbers as in the tables of colltree.
const units = [[2 ** 30, 'G'], [2 ** 20, 'M'], [2 ** 10, 'K']];
function bytes(size) {
  const [unit, letter] = units.find(([value]) => size >= value && size % value === 0) ?? [1, size === 0 ? '' : 'B'];
  return `${size / unit}${letter}`;
}
function shortBytes(size) {
  const [unit, letter] = units.find(([value]) => size >= value) ?? [1, ''];
  return letter ? `${Number((size / unit).toPrecision(3))}${letter}` : `${size}`;
}
function percent(fraction) {
  if (fraction === null || fraction === undefined) return '–';
  const value = 100 * fraction;
  if (value === 0) return '0\u00a0%';
  return `${value.toFixed(Math.abs(value) < 1 ? 2 : Math.abs(value) < 100 ? 1 : 0).replace('-', '−')}\u00a0%`;
}
const signed = (fraction) => (fraction > 0 ? '+' : '') + percent(fraction);
function time(us) {
  const [value, unit] = us < 1e3 ? [us, 'µs'] : us < 1e6 ? [us / 1e3, 'ms'] : [us / 1e6, 's'];
  return `${Number(value.toPrecision(4))}\u00a0${unit}`;
}

const isDark = () => {
  const scheme = document.documentElement.style.colorScheme;
  return scheme ? scheme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
};
// Plotly needs plain colours, so those of the style sheet are read back from an element.
function colour(name) {
  const probe = element('span', { style: `color:var(${name})` });
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
function layout(more = {}) {
  const axis = { gridcolor: colour('--grid'), linecolor: colour('--line'), zeroline: false, ticks: 'outside', tickcolor: colour('--line'), automargin: true, ...more.axis };
  return {
    paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)', font: { color: colour('--text'), size: 12 }, margin: { l: 8, r: 8, t: 28, b: 8 },
    modebar: { bgcolor: 'rgba(0,0,0,0)', color: colour('--text-2'), activecolor: colour('--accent') }, hoverlabel: { font: { size: 12 } }, showlegend: false, ...more, xaxis: { ...axis, ...more.xaxis }, yaxis: { ...axis, ...more.yaxis },
  };
}
const mapLayout = (x, y, more = {}) => layout({ xaxis: x.layout, yaxis: y.layout, plot_bgcolor: colour('--grid'), axis: { mirror: true, showline: true }, ...more });
const settings = (name) => ({
  responsive: true, displayModeBar: true, displaylogo: false, toImageButtonOptions: { format: 'png', filename: name, scale: 2 },
  modeBarButtonsToRemove: ['lasso2d', 'select2d', 'autoScale2d', 'toggleSpikelines', 'hoverCompareCartesian', 'hoverClosestCartesian'],
});

function download(name, rows) {
  const field = (value) => (/[",\n]/.test(value ?? '') ? `"${String(value).replaceAll('"', '""')}"` : `${value ?? ''}`);
  const link = element('a', { download: name, href: URL.createObjectURL(new Blob([rows.map((row) => row.map(field).join(',')).join('\n') + '\n'], { type: 'text/csv' })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// An axis of a map: where each size lies, the borders of its cells half way to its neighbours, and ticks.
class Axis {
  index(size) { return this.sizes.indexOf(size); }
  place(size) { return this.at[this.index(size)]; }

  constructor(sizes, text, title) {
    this.sizes = [...new Set(sizes)].sort((a, b) => a - b);
    const isLogarithmic = this.sizes.at(-1) > 40 * Math.max(this.sizes[0], 1);
    this.at = this.sizes.map((size) => (isLogarithmic ? Math.log2(Math.max(size, 0.5)) : size));
    const half = (k) => (this.at[k + 1] - this.at[k]) / 2 || 0.5;
    const last = this.at.length - 1;
    this.borders = [this.at[0] - half(0), ...this.at.slice(0, -1).map((value, k) => value + half(k)), this.at[last] + half(Math.max(last - 1, 0))];
    const step = Math.ceil(this.sizes.length / 60);
    const least = (this.borders.at(-1) - this.borders[0]) / 9;
    const shown = this.sizes.map((size, k) => k).filter((k) => k % step === 0).reduce((kept, k) => (kept.length && this.at[k] - this.at[kept.at(-1)] < least ? kept : [...kept, k]), []);
    this.layout = {
      title: { text: title, font: { size: 12 }, standoff: 6 }, tickmode: 'array', tickvals: shown.map((k) => this.at[k]), ticktext: shown.map((k) => text(this.sizes[k])),
      range: [this.borders[0], this.borders.at(-1)], showgrid: false,
    };
  }
}
