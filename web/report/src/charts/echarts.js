// SPDX-License-Identifier: BSD-3-Clause
// The parts of ECharts that the page uses, and nothing else of it.
import * as echarts from 'echarts/core';
import { CustomChart, HeatmapChart, LineChart, ScatterChart, TreeChart } from 'echarts/charts';
import { GridComponent, MarkLineComponent, TooltipComponent, VisualMapPiecewiseComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';
import { css, onTheme } from '../theme.js';

echarts.use([CustomChart, HeatmapChart, LineChart, ScatterChart, TreeChart, GridComponent, MarkLineComponent,
  TooltipComponent, VisualMapPiecewiseComponent, CanvasRenderer]);

// A chart that draws itself again when its element changes size and when light turns dark.
// `option()` gives the whole option.
export class Chart {
  constructor(element, option) {
    this.echarts = echarts.init(element, null, { renderer: 'canvas' });
    this.option = option;
    this.after = () => {};
    new ResizeObserver(() => this.resize()).observe(element);
    onTheme(() => this.draw());
  }

  draw() {
    this.echarts.setOption({ animation: false, ...this.option() }, { notMerge: true });
    this.after();
  }

  resize() {
    this.echarts.resize();
    this.after();
  }
}

export const axisStyle = () => ({
  nameTextStyle: { color: css('--text-2'), fontSize: 12 },
  axisLabel: { color: css('--text-2'), fontSize: 11, hideOverlap: true },
  axisLine: { show: true, lineStyle: { color: css('--line') } },
  axisTick: { lineStyle: { color: css('--line') } },
  splitLine: { lineStyle: { color: css('--grid') } },
});

export const tooltipStyle = () => ({
  backgroundColor: css('--card'),
  borderColor: css('--line'),
  padding: [8, 10],
  textStyle: { color: css('--text'), fontSize: 12, fontFamily: 'inherit' },
  extraCssText: 'box-shadow: 0 4px 16px rgb(0 0 0 / 0.18); max-width: min(340px, 90vw); white-space: normal;',
  confine: true,
  transitionDuration: 0,
});
