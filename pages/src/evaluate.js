// throng evaluate --html: is the release what the policy asks, and what did it cost?
import { bar, categoryAxis, chart, colours, labelRoom, legend, valueAxis } from './charts.js';
import { baseName, count, decimal, element, heading, note, paragraph, percent, section, table, tiles, verdict } from './dom.js';

const number = (name) => ({ name, number: true });
const units = (report) => (report.buckets === undefined ? ['class', 'classes'] : ['bucket', 'buckets']);

function requirementName(one) {
  if (one.requirement === 'k-anonymity') return 'k-anonymity: records in the smallest group';
  if (one.requirement === 'suppression') return 'records left out, at most';
  if (one.requirement === 'matching-l-diversity') return `matching ℓ-diversity of ${one.column}`;
  return `${one.variant} ℓ-diversity of ${one.column}${one.c === undefined ? '' : ` (c = ${decimal(one.c)})`}`;
}

// Every table has classes of one record, and every release leaves out at most all.
const isAsked = (one) => one.asked !== 1 || !['k-anonymity', 'suppression'].includes(one.requirement);

function requirements(report) {
  const show = (one, value) => (one.requirement === 'suppression' ? percent(value) : decimal(value));
  const answer = (holds) => (holds === null ? element('span', {}, 'by throng audit')
    : element('span', { class: holds ? 'yes' : 'no' }, holds ? '✓ holds' : '✗ does not hold'));
  return section('What the policy asks', table(
    ['requirement', number('asked'), number('found'), 'verdict'],
    report.requirements.filter(isAsked).map((one) => [requirementName(one), show(one, one.asked), show(one, one.found), answer(one.holds)]),
    { id: 'requirements' }));
}

function figures(report) {
  const [one, many] = units(report);
  const rows = [
    ['records of the original', count(report.rows_in), report.dropped > 0 ? `${count(report.dropped)} more dropped for a missing value` : ''],
    ['records published', count(report.rows_out), `${count(report.suppressed)} left out`],
    [many, count(report.classes ?? report.buckets), `average ${decimal(report.class_sizes.average, 2)} records, median ${count(report.class_sizes.median)}, largest ${count(report.class_sizes.largest)}`],
    ['information loss', decimal(report.information_loss), 'a record: the sum over its columns, each from 0 (exact) to 1 (everything)'],
    ['loss of a cell', percent(report.gcp), 'on average; a record that was left out counts as lost'],
    ['discernibility', count(report.discernibility), `the sum of the squares of the sizes of the ${many}, and of what was left out`],
    ['distortion', decimal(report.distortion.categorical), `steps up the hierarchies a record; numbers ${decimal(report.distortion.continuous)} of their ranges`],
  ];
  if (report.largest_share !== undefined) rows.push(['largest share', percent(report.largest_share), `of one sensitive value in a ${one}`]);
  const { queries, rules } = report;
  if (queries) {
    rows.push(['query error', percent(queries.mean_error), `on average; median ${percent(queries.median_error)}, 95 of 100 below ${percent(queries.percentile_95_error)}: ${count(queries.number)} counts of ${decimal(queries.mean_count, 1)} records on average, ${count(queries.dimension)} columns`]);
  }
  if (rules) {
    rows.push(['rule error', percent(rules.confidence_error), rules.original === 0 ? 'no rule is strong enough in the original'
      : `of confidence; of ${count(rules.original)} rules ${count(rules.original - rules.both)} are lost, and ${count(rules.published - rules.both)} are new`]);
  }
  return section('Figures', table(['figure', number('value'), 'meaning'], rows, { id: 'figures' }));
}

function losses(report) {
  const columns = report.columns.filter((column) => column.information_loss !== null)
    .sort((a, b) => b.information_loss - a.information_loss);
  if (columns.length === 0 || report.buckets !== undefined) return null;
  const names = columns.map((column) => column.column);
  return chart({
    name: 'loss', title: 'Information loss by column', note: '0: every value is exact; 1: every value is *.',
    height: 70 + 26 * columns.length,
    option: (narrow) => ({
      grid: { left: labelRoom(names, narrow), right: 52, top: 8, bottom: 46 },
      xAxis: valueAxis('loss of a cell, 0 to 1'),
      yAxis: categoryAxis('', names, { inverse: true, axisLabel: { interval: 0, hideOverlap: false } }),
      tooltip: { valueFormatter: (value) => decimal(value) },
      series: [bar('loss', columns.map((column) => column.information_loss), colours.first, {
        label: { show: true, position: 'right', color: colours.ink, formatter: ({ value }) => decimal(value, 3) },
      })],
    }),
    columns: ['column', number('loss')],
    rows: columns.map((column) => [column.column, decimal(column.information_loss)]),
  });
}

const range = ({ from, to }) => (to === null ? `${count(from)} or more` : from === to ? count(from) : `${count(from)}–${count(to)}`);

// Ranges are not evenly far apart: all of them must be read, on a phone aslant.
const everyLabel = (narrow) => ({ nameGap: narrow ? 40 : 30, axisLabel: { interval: 0, hideOverlap: false, fontSize: 11, rotate: narrow ? 40 : 0 } });

function sizes(report) {
  const { bins } = report.class_sizes;
  const [one, many] = units(report);
  if (bins.length === 0) return null;
  return chart({
    name: 'sizes', title: `Sizes of ${many}`, note: `The smallest has ${count(report.class_sizes.smallest)} records, the median ${count(report.class_sizes.median)}, the largest ${count(report.class_sizes.largest)}.`,
    height: 280,
    option: (narrow) => ({
      grid: { left: 66, right: 12, top: 12, bottom: narrow ? 58 : 48 },
      xAxis: categoryAxis(`records in a ${one}`, bins.map(range), bins.length <= 10 ? everyLabel(narrow) : {}),
      yAxis: valueAxis(many, { nameGap: 50 }),
      tooltip: { valueFormatter: count },
      series: [bar(many, bins.map((bin) => bin.classes), colours.first)],
    }),
    columns: [number(`records in a ${one}`), number(many), number('records in them')],
    rows: bins.map((bin) => [range(bin), count(bin.classes), count(bin.records)]),
  });
}

function risk(report) {
  const { before, after, bands, sensitive } = report.risk;
  // Bands that nobody is in, at either end, say nothing.
  const used = bands.map((band) => band.before + band.after > 0);
  const shown = bands.slice(used.indexOf(true), used.lastIndexOf(true) + 1);
  const share = (records, all) => (all > 0 ? records / all : 0);
  const label = (band) => (band.to === 1 ? 'alone' : range(band));
  const rows = [
    ['highest risk to be found', percent(before.highest), percent(after.highest)],
    ['average risk to be found', percent(before.average), percent(after.average)],
    ['records that look like no other', count(before.alone), count(after.alone)],
  ];
  if (sensitive !== null) {
    rows.push([`best guess at ${sensitive}: right for a record`, percent(before.guess_average), percent(after.guess_average)]);
    rows.push([`best guess at ${sensitive}: surest group`, percent(before.guess_highest), percent(after.guess_highest)]);
  }
  const isBuckets = report.buckets !== undefined;
  return section('Risk before and after',
    paragraph('Who knows somebody’s quasi-identifiers, and that she is in the table, finds as many records as look alike: of three, one in three is hers. ',
      isBuckets ? 'Buckets leave quasi-identifiers exact, so people are found as before; what is cut is the link to the sensitive values.' : ''),
    table(['', number('original'), number('release')], rows, { id: 'risk' }),
    chart({
      name: 'risk', title: 'Records by how many look alike', note: 'Share of the records of each table. To the left is danger.', height: 300,
      option: (narrow) => ({
        legend, grid: { left: 56, right: 12, top: 34, bottom: narrow ? 58 : 48 },
        xAxis: categoryAxis('records that look alike', shown.map(label), everyLabel(narrow)),
        yAxis: valueAxis('% of the records', { nameGap: 38, max: 100 }),
        tooltip: { valueFormatter: (value) => `${decimal(value, 2)} %` },
        series: [
          bar('original', shown.map((band) => 100 * share(band.before, report.rows_in)), colours.second),
          bar('release', shown.map((band) => 100 * share(band.after, report.rows_out)), colours.first),
        ],
      }),
      columns: ['records that look alike', number('records, original'), number('share'), number('records, release'), number('share')],
      rows: shown.map((band) => [label(band), count(band.before), percent(share(band.before, report.rows_in)),
        count(band.after), percent(share(band.after, report.rows_out))]),
    }));
}

// More bars than these are no picture any more: the chart has the others as one, the table has them all.
const mostBars = 16;
function mostFrequent(bins, others) {
  if (bins.length <= mostBars) return bins;
  const rest = bins.slice(mostBars - 1);
  const sum = (member) => rest.reduce((total, bin) => total + bin[member], 0);
  const values = rest.length + (others ? others.values - 1 : 0);
  return [...bins.slice(0, mostBars - 1), { value: `(${count(values)} other values)`, original: sum('original'), released: sum('released') }];
}

function distribution(column) {
  const { kind, bins, others } = column.distribution;
  const all = others ? [...bins, { value: `(${count(others.values)} other values)`, ...others }] : bins;
  const isNumber = kind === 'numbers';
  const shown = isNumber ? all : mostFrequent(all, others);
  const nameOf = (bin) => (bin.value === '' ? '(empty)' : bin.value);
  const labels = shown.map(nameOf);
  const series = [
    bar('original', shown.map((bin) => bin.original), colours.second, { barGap: '0%' }),
    bar('release', shown.map((bin) => bin.released), colours.first),
  ];
  return chart({
    name: `column ${column.column}`, title: column.column,
    note: `${column.role}; shares differ by ${percent(column.difference)}`,
    height: isNumber ? 260 : 78 + 26 * shown.length,
    option: (narrow) => (isNumber ? {
      legend, grid: { left: 66, right: 12, top: 32, bottom: 48 },
      xAxis: categoryAxis(column.column, labels), yAxis: valueAxis('records', { nameGap: 50 }),
      tooltip: { valueFormatter: (value) => decimal(value, 1) }, series,
    } : {
      legend, grid: { left: labelRoom(labels, narrow), right: 18, top: 30, bottom: 46 },
      xAxis: valueAxis('records'), yAxis: categoryAxis('', labels, { inverse: true, axisLabel: { interval: 0, hideOverlap: false } }),
      tooltip: { valueFormatter: (value) => decimal(value, 1) }, series,
    }),
    columns: ['value', number('original'), number('release')],
    rows: all.map((bin) => [nameOf(bin), count(bin.original), decimal(bin.released, 1)]),
  });
}

export function evaluate(report) {
  const [, many] = units(report);
  const unchecked = report.requirements.filter((one) => one.holds === null);
  const { after, sensitive } = report.risk;
  const charts = [losses(report), sizes(report)].filter((one) => one !== null);
  return [
    heading('evaluation', baseName(report.release), paragraph('A release of ', element('code', {}, report.original), ', as ',
      element('code', {}, report.release), ', by the policy ', element('code', {}, report.policy), '.')),
    verdict(report.safe, report.safe ? 'The release is what the policy asks for.' : 'The release is not what the policy asks for.',
      [...report.broken, ...unchecked.map((one) => `Not checked here: ${requirementName(one)}. throng audit does.`)]),
    note('This page holds figures of the original table: keep it private.'),
    tiles([
      ['records published', count(report.rows_out), 'rows_out'], [many, count(report.classes ?? report.buckets), 'classes'],
      ['loss of a cell', percent(report.gcp), 'gcp'], ['query error, mean', report.queries ? percent(report.queries.mean_error) : '–', 'mean_error'],
      // Buckets are not there to hide who is in the table.
      report.buckets === undefined ? ['highest risk to be found', percent(after.highest), 'highest'] : [`best guess at ${sensitive}, on average`, percent(after.guess_average), 'guess'],
    ]),
    requirements(report),
    figures(report),
    section('Loss and sizes', element('div', { class: 'grid' }, charts)),
    risk(report),
    section('Original against release, column by column',
      paragraph('Records by value. A region of the release counts evenly for all of the values that it covers, as a reader without the original would take it; records that were left out are missed.'),
      element('div', { class: 'columns' }, report.columns.map(distribution))),
  ];
}
