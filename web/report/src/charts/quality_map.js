// SPDX-License-Identifier: BSD-3-Clause
// How good the timings are, instance by instance.
import { byId, element, select } from '../dom.js';
import { escape, percent } from '../format.js';
import { isDark, onTheme } from '../theme.js';
import { GridMap } from './grid_map.js';
import { instanceText } from './tips.js';

// Light to dark on white paper, the other way round on a dark page: more is stronger.
const kSteps = [['#e4edf7', '#26303d'], ['#a9c9ea', '#2f5a8a'], ['#4f8fcf', '#4f8fcf'], ['#12467c', '#bcdcff']];
const colour = (k) => kSteps[k][Number(isDark())];

const halfWidth = (collective, i) => {
  const best = collective.best(i);
  const known = collective.interval(i, best);
  return known ? (known[1] - known[0]) / 2 / collective.time(i, best) : null;
};

const classOf = (limits, value) => limits.filter((limit) => value >= limit).length;

const kViews = {
  rivals: {
    name: 'Methods that cannot be told from the best', texts: ['none', '1', '2 or 3', '4 or more'], limits: [1, 2, 4],
    value: (collective, i) => collective.json.rivals?.[i] ?? null, say: (value) => `${value} with an interval that meets the best one's`,
  },
  noise: {
    name: 'Half the interval of the best time', texts: ['below 1 %', '1 to 5 %', '5 to 20 %', '20 % and more'], limits: [0.01, 0.05, 0.2],
    value: halfWidth, say: (value) => `best time known to ± ${percent(value)}`,
  },
  methods: {
    name: 'Methods with a time', texts: ['below a quarter', 'to a half', 'to three quarters', 'more'], limits: [0.25, 0.5, 0.75],
    value: (collective, i) => collective.ranking(i).length / collective.measured,
    say: (value, collective) => `${Math.round(value * collective.measured)} of ${collective.measured} methods have a time`,
  },
};

export function showQualityMap(view) {
  const title = element('figcaption');
  const plot = element('div', { class: 'plot', tabindex: 0, role: 'group', id: 'quality-map-plot', 'aria-label': 'Quality of the timings. Arrow keys move over the instances.' });
  const legend = element('ul', { class: 'legend', 'aria-label': 'Legend' });
  byId('quality-map').replaceChildren(title, plot, legend);
  let shown = null;
  const current = () => kViews[shown];
  const map = new GridMap(plot, view, {
    classes: () => kSteps.map((_, k) => ({ colour: colour(k) })),
    classOf: (i) => {
      const value = current().value(view.collective, i);
      return value === null ? null : classOf(current().limits, value);
    },
    tip: (i) => `<strong>${escape(instanceText(view.collective, i))}</strong><br>${current().say(current().value(view.collective, i), view.collective)}`,
  });
  const draw = () => {
    const possible = Object.keys(kViews).filter((key) => key === 'methods' || view.collective.hasIntervals);
    if (!possible.includes(shown)) [shown] = possible;
    const options = possible.map((key) => [key, kViews[key].name]);
    title.replaceChildren(select('Show', options, shown, (key) => { shown = key; draw(); }));
    legend.replaceChildren(...current().texts.map((text, k) =>
      element('li', {}, element('span', { class: 'swatch', style: `background:${colour(k)}` }), text)));
    map.draw();
  };
  view.state.on(['collective', 'placement'], draw);
  view.state.on(['at'], () => map.mark());
  onTheme(draw);
}
