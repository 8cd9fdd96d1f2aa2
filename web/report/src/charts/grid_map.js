// SPDX-License-Identifier: BSD-3-Clause
// A map over the measured grid: one coloured cell an instance, message sizes to the right,
// communicator sizes upwards. The pointer or the arrow keys choose the instance; all maps mark it.
import { bytes } from '../format.js';
import { css } from '../theme.js';
import { axisStyle, Chart, tooltipStyle } from './echarts.js';
import { moveByKey } from './keys.js';

// Which of the sizes get a label when there is room for so many: powers of two, where there are some.
function labels(sizes, room) {
  const all = [...sizes.keys()];
  const powers = all.filter((k) => Number.isInteger(Math.log2(sizes[k])));
  const candidates = sizes.length > room && powers.length > 3 && sizes.at(-1) / sizes[0] > 16 * sizes.length ? powers : all;
  const every = Math.max(1, Math.ceil(candidates.length / room));
  return new Set(candidates.filter((_, n) => n % every === 0));
}

export class GridMap {
  // What to show, asked for at each drawing:
  //   classes()   [{colour, ...}]: the kinds of cell
  //   classOf(i)  index into them, or null for a cell that stays empty
  //   tip(i)      HTML
  constructor(element, view, { classes, classOf, tip }) {
    this.element = element;
    this.view = view;
    this.classes = classes;
    this.classOf = classOf;
    this.tip = tip;
    this.chart = new Chart(element, () => this.option());
    this.chart.after = () => this.mark();
    this.listen();
  }

  draw() {
    this.chart.draw();
  }

  option() {
    const { grid } = this.view;
    const classes = this.classes();
    const data = [];
    for (const { i, column, row } of grid.cells) {
      const kind = this.classOf(i);
      if (kind !== null) data.push([column, row, kind, i]);
    }
    return {
      grid: { left: 46, right: 10, top: 8, bottom: 44 },
      tooltip: { ...tooltipStyle(), trigger: 'item', formatter: ({ data: cell }) => this.tip(cell[3]) },
      xAxis: this.axis('message size', grid.columns, bytes, 28, (this.element.clientWidth - 56) / 46),
      yAxis: { ...this.axis('ranks', grid.rows, String, 32, (this.element.clientHeight - 52) / 17), nameRotate: 90 },
      visualMap: {
        show: false, type: 'piecewise', dimension: 2, seriesIndex: 0,
        pieces: classes.map(({ colour }, value) => ({ value, color: colour })),
      },
      series: [
        {
          type: 'heatmap', data, progressive: 0, encode: { x: 0, y: 1, value: 2 },
          itemStyle: { borderWidth: this.element.clientHeight / grid.rows.length < 8 ? 0 : 0.5, borderColor: css('--grid') },
          emphasis: { disabled: true },
        },
        // A dot where nothing was measured: an empty cell could be taken for a good one.
        {
          type: 'scatter', symbol: 'circle', symbolSize: 4, silent: true, data: grid.holes,
          itemStyle: { color: css('--text-2') }, tooltip: { show: false },
        },
        {
          type: 'scatter', symbol: 'rect', silent: true, data: [], z: 10, tooltip: { show: false },
          itemStyle: { color: 'transparent', borderColor: css('--mark'), borderWidth: 2.5, shadowColor: css('--mark-halo'), shadowBlur: 2 },
        },
      ],
    };
  }

  axis(name, sizes, write, nameGap, room) {
    const labelled = labels(sizes, room);
    const style = axisStyle();
    return {
      ...style, type: 'category', data: sizes.map(write), name, nameLocation: 'middle', nameGap,
      axisLabel: { ...style.axisLabel, interval: (index) => labelled.has(index) }, splitLine: { show: false },
      axisTick: { ...style.axisTick, interval: (index) => labelled.has(index), alignWithLabel: true },
    };
  }

  // The frame around the instance that is looked at; cheap, for every move of the pointer.
  mark() {
    const { grid, at } = this.view;
    const [row, column] = grid.where(at);
    if (grid.at(row, column) === undefined) return;
    const [left, top] = this.chart.echarts.convertToPixel({ gridIndex: 0 }, [0, 0]);
    const step = (n, pixel, start, size) => (n > 1 ? Math.abs(pixel - start) / (n - 1) : size);
    const [right, bottom] = this.chart.echarts.convertToPixel({ gridIndex: 0 }, [grid.columns.length - 1, grid.rows.length - 1]);
    const width = step(grid.columns.length, right, left, this.element.clientWidth - 56);
    const height = step(grid.rows.length, bottom, top, this.element.clientHeight - 52);
    this.chart.echarts.setOption({
      series: [{}, {}, { symbolSize: [Math.max(width, 5), Math.max(height, 5)], data: [[column, row]] }],
    });
  }

  listen() {
    const { state } = this.view;
    this.chart.echarts.on('mouseover', { seriesIndex: 0 }, ({ data }) => {
      if (!state.get('pinned')) state.set({ at: data[3] });
    });
    this.chart.echarts.on('click', { seriesIndex: 0 }, ({ data }) => {
      state.set({ pinned: !(state.get('pinned') && state.get('at') === data[3]), at: data[3] });
    });
    this.element.addEventListener('keydown', (event) => moveByKey(event, this.view));
  }

  // Page coordinates of the middle of a cell.
  pixel(i) {
    const [row, column] = this.view.grid.where(i);
    const [x, y] = this.chart.echarts.convertToPixel({ gridIndex: 0 }, [column, row]);
    const box = this.element.getBoundingClientRect();
    return [box.left + x, box.top + y];
  }
}
