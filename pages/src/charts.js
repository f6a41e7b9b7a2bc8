// What all charts have in common: ECharts with only the parts that are used, drawn as SVG. Each has a title, says what
// it shows, and stands below as a table, too.
import { BarChart, HeatmapChart, LineChart } from 'echarts/charts';
import {
  AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent,
  VisualMapPiecewiseComponent,
} from 'echarts/components';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { count, element, shortened, table } from './dom.js';

echarts.use([AriaComponent, BarChart, DataZoomComponent, GridComponent, HeatmapChart, LegendComponent, LineChart,
  MarkLineComponent, SVGRenderer, TooltipComponent, VisualMapPiecewiseComponent]);

// Variables of the style, so that light, dark and paper have their own. Blue and orange of Okabe and Ito's palette, which
// every kind of colour vision tells apart.
export const colours = { first: 'var(--first)', second: 'var(--second)', ink: 'var(--ink)', soft: 'var(--soft)', line: 'var(--line)', bad: 'var(--bad)' };
const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const text = { color: colours.soft, fontFamily: font, fontSize: 12 };

export const isNarrow = () => window.innerWidth <= 560;

export function valueAxis(name, more = {}) {
  return {
    type: 'value', name, nameLocation: 'middle', nameGap: 30, nameTextStyle: text,
    axisLabel: { ...text, formatter: (number) => (Number.isInteger(number) ? count(number) : String(number)), hideOverlap: true },
    splitLine: { lineStyle: { color: colours.line } }, axisLine: { show: false }, axisTick: { show: false }, ...more,
  };
}

export function categoryAxis(name, labels, more = {}) {
  const { axisLabel, ...rest } = more;
  return {
    type: 'category', name, nameLocation: 'middle', nameGap: 30, nameTextStyle: text, data: labels,
    axisLabel: { ...text, formatter: (label) => shortened(label, 22), hideOverlap: true, ...axisLabel },
    axisLine: { lineStyle: { color: colours.line } }, axisTick: { show: false }, ...rest,
  };
}

const base = {
  animation: false,
  textStyle: { fontFamily: font, color: colours.ink },
  tooltip: {
    trigger: 'axis', axisPointer: { type: 'shadow' }, confine: true, backgroundColor: 'var(--card)', borderColor: colours.line,
    textStyle: { color: colours.ink, fontFamily: font, fontSize: 13 }, extraCssText: 'max-width: 18rem; white-space: normal; overflow-wrap: anywhere;',
  },
};

export const legend = { top: 0, left: 0, itemWidth: 14, itemHeight: 10, textStyle: { ...text, color: colours.ink } };

const drawn = new Set();

function draw(one) {
  const { holder, makeOption, description } = one;
  if (!one.chart) one.chart = echarts.init(holder, null, { renderer: 'svg' });
  one.chart.resize();
  const option = makeOption(isNarrow());
  one.chart.setOption({
    ...base, aria: { enabled: true, label: { description } }, ...option, tooltip: { ...base.tooltip, ...option.tooltip },
  }, { notMerge: true });
  // Paper is narrower than a screen: with a view box the drawing shrinks to it.
  const svg = holder.querySelector('svg');
  if (svg) svg.setAttribute('viewBox', `0 0 ${one.chart.getWidth()} ${one.chart.getHeight()}`);
}

// `option`: from whether the window is narrow to ECharts' option. `rows`: the same as a table.
// `key`: colours with what they stand for, where a legend of ECharts would not fit a phone.
export function chart({ title, note, option, height, columns, rows, name, key }) {
  const holder = element('div', { class: 'chart', role: 'img', style: `height: ${height}px` });
  const figure = element('figure', { 'data-chart': name ?? title },
    element('figcaption', {}, element('h3', {}, title), note && element('p', {}, note)), holder,
    key && element('ul', { class: 'legend' }, key.map(({ color, label }) => element('li', {}, element('i', { style: `background: ${color}` }), label))),
    element('details', {}, element('summary', {}, 'As a table'), table(columns, rows)));
  drawn.add({ holder, makeOption: option, description: `${title}. ${note ?? ''} The same figures stand in the table below.`, chart: null });
  return figure;
}

// Charts take the size of what they stand in: when the page is there, and when its width changes.
export function drawAll() {
  for (const one of drawn) draw(one);
  let width = window.innerWidth;
  let waiting = 0;
  window.addEventListener('resize', () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => { for (const one of drawn) draw(one); });
  });
}

export const bar = (name, data, color, more = {}) => ({
  type: 'bar', name, data, itemStyle: { color }, barMaxWidth: 38, emphasis: { disabled: true }, ...more,
});

// Room for labels at the left of horizontal bars.
export const labelRoom = (labels, narrow) => {
  const longest = Math.max(4, ...labels.map((label) => Math.min(22, [...String(label)].length)));
  return Math.min(narrow ? 120 : 170, 14 + longest * 6.6);
};
