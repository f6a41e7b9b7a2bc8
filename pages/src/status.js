// throng status --html: the life of a publication, release by release.
import { bar, categoryAxis, chart, colours, legend, valueAxis } from './charts.js';
import { baseName, count, counted, decimal, element, heading, list, note, paragraph, section, table, tiles } from './dom.js';

const number = (name) => ({ name, number: true });
const listed = 50;  // as many have their files in the page

const titleOf = (release) => release.name ?? String(release.release);

function curve(releases, { name, title, note: text, axis, lines, digits = 0, gap = 62, isBars = false }) {
  const labels = releases.map(titleOf);
  const many = releases.length > 60;
  const points = releases.length <= 40;
  const show = (value) => decimal(value, digits);
  const step = Math.max(1, Math.ceil(releases.length / 400));
  return chart({
    name, title, note: text, height: many ? 330 : 280,
    option: () => ({
      ...(lines.length > 1 ? { legend } : {}),
      grid: { left: gap + 18, right: 18, top: lines.length > 1 ? 34 : 14, bottom: many ? 92 : 48 },
      xAxis: categoryAxis('release', labels, { boundaryGap: isBars || releases.length < 3 }),
      yAxis: valueAxis(axis, { nameGap: gap, min: 0 }),
      tooltip: { axisPointer: { type: 'line' }, valueFormatter: show },
      ...(many ? { dataZoom: [{ type: 'slider', bottom: 12, height: 26, borderColor: colours.line, textStyle: { color: colours.soft }, labelFormatter: '', showDataShadow: false }] } : {}),
      series: lines.map(({ label, member, color, dashed }) => (isBars ? bar(label, releases.map((release) => release[member]), color) : {
        type: 'line', name: label, data: releases.map((release) => release[member]), sampling: 'lttb', showSymbol: points, symbolSize: 6,
        symbol: dashed ? 'rect' : 'circle', lineStyle: { color, width: 2, type: dashed ? 'dashed' : 'solid' }, itemStyle: { color }, emphasis: { disabled: true },
      })),
    }),
    columns: ['release', ...lines.map(({ label }) => number(label))],
    // Of very many releases every so-manieth, and the last.
    rows: releases.filter((_, i) => i % step === 0 || i + 1 === releases.length)
      .map((release) => [titleOf(release), ...lines.map(({ member }) => show(release[member]))]),
  });
}

function charts(status) {
  const { releases } = status;
  // Its tables are not one that grows: nothing lies between two of them.
  const isSequential = status.strategy === 'sequential';
  const isBars = isSequential;
  const life = isSequential
    ? curve(releases, { isBars, name: 'records', title: 'Records by release', axis: 'records', lines: [{ label: 'published', member: 'published', color: colours.first }] })
    : curve(releases, {
      name: 'records', title: 'Records published and waiting', axis: 'records',
      note: 'Published: all that are in the release. Waiting: those for whom no safe group was found yet.',
      lines: [{ label: 'published', member: 'published', color: colours.first }, { label: 'waiting', member: 'waiting', color: colours.second, dashed: true }],
    });
  const rest = [
    curve(releases, {
      isBars, name: 'loss', title: 'Information loss', note: 'A record: the sum over its columns, each from 0 (exact) to 1 (everything).', axis: 'loss of a record', digits: 3, gap: 42,
      lines: [{ label: 'information loss', member: 'information_loss', color: colours.first }],
    }),
    curve(releases, { isBars, name: 'classes', title: 'Classes', note: 'Records that share all their regions.', axis: 'classes', lines: [{ label: 'classes', member: 'classes', color: colours.first }] }),
  ];
  if (!isSequential) {
    rest.push(curve(releases, { name: 'waiting', title: 'Records waiting', axis: 'records', lines: [{ label: 'waiting', member: 'waiting', color: colours.second, dashed: true }] }),
      curve(releases, { name: 'new', title: 'Records new in the release', axis: 'records', lines: [{ label: 'new', member: 'new', color: colours.first }] }));
  }
  return [life, element('div', { class: 'grid' }, rest)];
}

function lastReleases(status) {
  const shown = status.releases.slice(-listed).reverse();
  const isSequential = status.strategy === 'sequential';
  const columns = isSequential
    ? ['release', 'date', 'columns', number('records'), number('classes'), number('k'), number('loss'), 'requirements', 'file', 'SHA-256']
    : [number('release'), 'date', number('new'), number('published'), number('waiting'), number('classes'), number('k'), number('loss'), 'file', 'SHA-256'];
  const wide = (text) => element('span', { class: 'mono line', title: text }, text.slice(0, 12));
  const date = (one) => element('span', { class: 'line' }, one.date);
  const reached = (one) => `${one.kind} of ${one.x.join(', ')}: ${decimal(one.reached)}${one.asked === null ? '' : ` (asked ${decimal(one.asked)})`}`;
  const rows = shown.map((one) => (isSequential
    ? [titleOf(one), date(one), one.columns.join(', '), count(one.published), count(one.classes), count(one.k), decimal(one.information_loss, 3), (one.requirements ?? []).map(reached).join('; '), baseName(one.output ?? ''), wide(one.sha256 ?? '')]
    : [count(one.release), date(one), count(one.new), count(one.published), count(one.waiting), count(one.classes), count(one.k), decimal(one.information_loss, 3), baseName(one.output ?? ''), wide(one.sha256 ?? '')]));
  return section('Release by release',
    shown.length < status.releases.length && paragraph(`The last ${count(shown.length)} of ${count(status.releases.length)}; throng status lists them all.`),
    table(columns, rows, { id: 'releases' }));
}

const words = {
  append: 'what was published never changes; new records go out as classes of their own',
  dynamic: 'records are added to classes, and classes are split (Byun et al. 2006)',
  'static-batch': 'each batch by itself',
  'static-full': 'everything anew each time',
  sequential: 'other columns of the same people, table after table',
};

export function status(report) {
  const { releases } = report;
  const isSequential = report.strategy === 'sequential';
  const day = (date) => date?.slice(0, 10);
  const first = day(releases[0]?.date);
  const last = day(releases.at(-1)?.date);
  const loss = releases.at(-1)?.information_loss;
  return [
    heading('publication', baseName(report.publication.replace(/\/+$/, '')), paragraph(`${counted(releases.length, 'release')}`,
      releases.length > 0 ? `, ${first === last ? first : `${first} to ${last}`}` : '', `. Strategy ${report.strategy}: ${words[report.strategy] ?? ''}.`,
      report.encrypted ? ' Raw values are encrypted.' : '')),
    report.strategy === 'static-full' && note('UNSAFE: differences between the releases give records away.'),
    report.notes.length > 0 && note('Found when it was opened:', list(report.notes)),
    tiles([
      ...(isSequential ? [] : [['records published', count(report.published), 'published'], [report.oldest_wait > 0 ? `records waiting, the oldest for ${counted(report.oldest_wait, 'release')}` : 'records waiting', count(report.waiting), 'waiting']]),
      ['releases', count(releases.length), 'releases'],
      ...(isSequential ? [] : [['classes', count(report.classes), 'classes']]),
      ['information loss', loss === undefined ? '–' : decimal(loss, 3), 'information_loss'],
      ['raw records held', count(report.raw_records_held), 'raw_records_held'],
    ]),
    section('What is promised', report.asked.length > 0 ? list(report.asked) : paragraph('The policy asks for nothing.'),
      (report.waits ?? []).length > 0 && element('div', {}, paragraph('Waits for columns that are not out yet:'), list(report.waits)),
      report.knowledge && paragraph(`Against who knows rules: ${counted(report.knowledge.rules, 'rule')}; exposure that was accepted: ${counted(report.knowledge.accepted_exposure, 'record')}.`),
      paragraph('Whether all of it still holds, throng verify checks from the ledger; this page does not.')),
    releases.length === 0 ? section('Release by release', paragraph('No release yet.'))
      : section('The life of the publication', ...charts(report)),
    releases.length > 0 && lastReleases(report),
  ].filter((part) => part);
}
