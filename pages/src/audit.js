// throng audit --html: what do these releases give away together? With a line that a steward can sign.
import { bar, categoryAxis, chart, colours, valueAxis } from './charts.js';
import { baseName, count, counted, decimal, element, heading, list, note, paragraph, percent, section, table, verdict } from './dom.js';

const number = (name) => ({ name, number: true });

function attackers(report) {
  const { given } = report;
  const lines = [`Somebody who has one of the files, and knows that somebody is in it: ${counted(report.releases.length, 'release')}.`];
  if (report.channels) lines.push('Somebody who has all of the files, and compares them two by two: inference channels (Byun et al. 2006).');
  if (report.strongest) {
    lines.push(`The strongest one: he has all files, and knows everybody’s quasi-identifiers and who is in which release, but not the sensitive values. The records are known ${given.publication !== null ? 'from the publication’s ledger' : `from the private table ${given.private}`}.`);
  }
  if (report.join) lines.push('Somebody who joins releases of different columns ((X,Y)-requirements, Wang and Fung 2006).');
  if (report.knowledge) lines.push('Somebody who knows rules: who is so does not have that.');
  if (given.population !== null) lines.push(`Somebody who knows the population: ${given.population}.`);
  return lines;
}

function releases(report) {
  const rows = report.releases.map((one, i) => [
    count(one.release ?? i + 1), baseName(one.source), count(one.rows), count(one.classes ?? one.groups),
    count(one.k ?? one.smallest_group),
    (one.diversity ?? []).map((figures) => `${figures.column}: ${count(figures.distinct)}`).join('; '),
    one.risk ? percent(one.risk.prosecutor_highest) : '–', one.risk ? count(one.risk.alone) : '–',
  ]);
  return section('What was audited',
    report.given.asked.length > 0 ? element('div', {}, paragraph('The policy', report.given.policy === null ? '' : ` (${report.given.policy})`, ' asks for:'), list(report.given.asked))
      : paragraph('The policy asks for nothing that is counted here.'),
    table([number('release'), 'file', number('records'), number('classes'), number('k'), 'ℓ (distinct values)', number('highest risk'), number('alone')],
      rows, { id: 'releases' }));
}

const steps = ['#fde3cf', '#f9b384', '#ef7d45', '#c94a1d', '#7f2704'];  // light to dark, also without colour

// Two digits, as a person would choose a threshold.
const roundish = (value) => {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / power) * power;
};

// From the least to the most vulnerable pair, by equal steps or, where they lie far apart, by equal factors. None has a
// colour of its own.
function pieces(values) {
  const least = Math.min(...values);
  const most = Math.max(...values);
  const between = (share) => (most > 20 * least ? least * (most / least) ** share : least + (most - least) * share);
  const bounds = [least];
  for (let i = 1; i < steps.length; ++i) {
    const bound = roundish(between(i / steps.length));
    if (bound > bounds.at(-1) && bound <= most) bounds.push(bound);
  }
  const ranges = bounds.map((from, i) => ({ min: from, max: i + 1 < bounds.length ? bounds[i + 1] - 1 : most }));
  return [{ value: 0, label: 'none', color: 'var(--cell-empty)' }, ...ranges.map(({ min, max }, i) => ({
    min, max, label: min === max ? count(min) : `${count(min)}–${count(max)}`,
    color: steps[Math.round((i * (steps.length - 1)) / Math.max(1, ranges.length - 1))],
  }))];
}

function heatMap(channels) {
  const all = [...new Set(channels.pairs.flatMap((pair) => [pair.earlier, pair.later]))].sort((a, b) => a - b);
  if (all.length < 2) return null;
  // Of very many releases, neighbours share a cell, which shows the worst of its pairs.
  const together = Math.ceil(all.length / 60);
  const place = new Map(all.map((release, i) => [release, Math.floor(i / together)]));
  const labels = [];
  for (let i = 0; i < all.length; i += together) {
    const last = all[Math.min(i + together, all.length) - 1];
    labels.push(all[i] === last ? String(last) : `${all[i]}–${last}`);
  }
  const cells = new Map();
  for (const pair of channels.pairs) {
    const key = `${place.get(pair.later)} ${place.get(pair.earlier)}`;
    cells.set(key, Math.max(cells.get(key) ?? 0, pair.vulnerable));
  }
  const data = [...cells].map(([key, value]) => [...key.split(' ').map(Number), value]);
  const everyRow = Math.ceil(labels.length / 30);  // rows with a label that can be read
  const vulnerable = data.map((cell) => cell[2]).filter((value) => value > 0);
  const key = pieces(vulnerable.length > 0 ? vulnerable : [1]).slice(0, vulnerable.length > 0 ? undefined : 1);
  const open = channels.pairs.filter((pair) => pair.difference + pair.intersection > 0)
    .sort((a, b) => b.vulnerable - a.vulnerable || a.later - b.later || a.earlier - b.earlier);
  const listed = open.slice(0, 200);
  return chart({
    name: `pairs ${channels.column}`, title: `Pairs of releases: vulnerable records by ${channels.column}`,
    note: `${counted(channels.channels, 'channel')} from the files alone; ${counted(channels.vulnerable, 'vulnerable record')} in all releases.${together > 1 ? ` A cell is ${together} releases by ${together}, and shows the worst pair.` : ''}`,
    key,
    height: Math.min(580, 84 + Math.max(36, Math.min(44, 440 / labels.length)) * Math.max(2, labels.length - 1)),
    option: (narrow) => ({
      grid: { left: narrow ? 48 : 62, right: 8, top: 8, bottom: 48 },
      xAxis: categoryAxis('later release', labels, { splitArea: { show: false } }),
      yAxis: categoryAxis('earlier release', labels.slice(0, Math.max(1, labels.length - (together > 1 ? 0 : 1))), { nameGap: narrow ? 30 : 42, inverse: true, axisLabel: { interval: (i) => i % everyRow === 0 } }),
      visualMap: { type: 'piecewise', show: false, pieces: key },
      tooltip: {
        trigger: 'item', axisPointer: { type: 'none' },
        // Numbers and our own words only: a formatter's text is read as HTML.
        formatter: ({ value }) => `releases ${labels[value[1]]} and ${labels[value[0]]}: ${count(value[2])} vulnerable records`,
      },
      series: [{
        type: 'heatmap', data, itemStyle: { borderColor: 'var(--card)', borderWidth: 1 },
        label: { show: labels.length <= (narrow ? 6 : 14), formatter: ({ value }) => (value[2] > 0 ? count(value[2]) : ''), color: '#1d2329', textBorderColor: '#ffffff', textBorderWidth: 2 },
        emphasis: { itemStyle: { borderColor: colours.ink, borderWidth: 2 } },
      }],
    }),
    columns: [number('earlier'), number('later'), number('by difference'), number('by intersection'), number('vulnerable records')],
    rows: listed.length > 0 ? listed.map((pair) => [count(pair.earlier), count(pair.later), count(pair.difference), count(pair.intersection), count(pair.vulnerable)])
      : [['none', '', '', '', '']],
  });
}

// Single numbers of values where there are few, else ranges.
function grouped(counts, l) {
  const most = Math.max(...counts.map((one) => one.values), Math.ceil(l));
  const width = Math.ceil(most / 40);
  const bins = [];
  for (let from = 1; from <= most; from += width) bins.push({ from, to: from + width - 1, records: 0 });
  for (const { values, records } of counts) bins[Math.floor((values - 1) / width)].records += records;
  return bins;
}

function possible(counts, column, l, note) {
  if (counts.length === 0) return null;
  const bins = grouped(counts, l);
  const labels = bins.map(({ from, to }) => (from === to ? count(from) : `${count(from)}–${count(to)}`));
  const below = (bin) => bin.to < l;
  const asked = bins.findIndex((bin) => bin.to >= l);
  return chart({
    name: `possible ${column}`, title: `Possible values of ${column} per record`, note, height: 290,
    option: (narrow) => ({
      grid: { left: 72, right: 16, top: 30, bottom: 48 },
      xAxis: categoryAxis('possible values', labels),
      yAxis: valueAxis('records', { nameGap: 56, boundaryGap: [0, '18%'] }),
      tooltip: { valueFormatter: count },
      series: [bar('records', bins.map((bin) => ({ value: bin.records, itemStyle: { color: below(bin) ? colours.bad : colours.first } })), colours.first, {
        label: { show: bins.length <= (narrow ? 6 : 14), position: 'top', textBorderColor: 'var(--card)', textBorderWidth: 3, color: colours.ink, formatter: ({ value }) => (value > 0 ? count(value) : '') },
        markLine: l > 1 && asked >= 0 ? {
          symbol: 'none', silent: true, z: 1, lineStyle: { color: colours.ink, type: 'dashed', width: 1.5 },
          label: { formatter: `asked: ℓ = ${decimal(l)}`, color: colours.ink, position: 'end' }, data: [{ xAxis: labels[asked] }],
        } : undefined,
      })],
    }),
    columns: [number('possible values'), number('records'), 'at least ℓ'],
    rows: bins.filter((bin) => bin.records > 0).map((bin) => [bin.from === bin.to ? count(bin.from) : `${count(bin.from)}–${count(bin.to)}`, count(bin.records), below(bin) ? 'no' : 'yes']),
  });
}

function values(report) {
  const charts = [];
  for (const one of report.strongest ?? []) {
    const sure = one.told_apart && one.records_not_settled === 0;
    charts.push(possible(one.possible_values, one.column, one.l,
      `For the strongest attacker, with all releases at once: ${count(one.exposed)} of ${counted(one.records, 'record')} have fewer than ${count(one.l)}, ${count(one.certain)} are certain (${sure ? 'exactly' : 'at least'}).`));
  }
  if (charts.length === 0) {
    const last = report.releases.filter((one) => one.possible_values).at(-1);
    for (const { column, counts } of last?.possible_values ?? []) {
      const asked = report.given.guarded.find((guarded) => guarded.column === column)?.l
        ?? report.knowledge?.find((one) => one.column === column)?.l ?? 1;
      charts.push(possible(counts, column, asked, `From ${baseName(last.source)} alone: the distinct values in the ${last.groups === undefined ? 'class' : 'bucket'} of each record. What files tell together is in the pairs above.`));
    }
  }
  const shown = charts.filter((one) => one !== null);
  return shown.length > 0 ? section('How many values are possible', element('div', { class: 'grid' }, shown)) : null;
}

function joins(report) {
  if (!report.join) return null;
  const holds = (one) => element('span', { class: one.holds ? 'yes' : 'no' }, one.holds ? '✓ holds' : '✗ does not hold');
  const isShown = report.given.explain > 0;
  return section('Releases joined', paragraph(`Joined on ${report.join.columns.length > 0 ? report.join.columns.join(', ') : 'nothing'}.`),
    table(['requirement', 'of', number('asked'), number('reached'), 'verdict', ...(isShown ? ['group'] : [])], report.join.requirements.map((one) => [
      one.kind, one.x.join(', '), one.k === undefined ? '' : count(one.k), one.k === undefined ? decimal(one.reached) : count(one.reached), holds(one),
      ...(isShown ? [one.group ?? ''] : []),
    ])));
}

function knowledge(report) {
  if (!report.knowledge || report.knowledge.length === 0) return null;
  return section('Who knows rules', table(
    ['file', 'column', number('ℓ'), number('records'), number('fewer than ℓ valid values'), number('by counting alone')],
    report.knowledge.map((one) => [baseName(one.source), one.column, count(one.l), count(one.records), count(one.below_l_by_matching), count(one.below_l_by_count)])));
}

function worst(report) {
  if (!(report.given.explain > 0)) return null;
  const texts = (report.channels ?? []).flatMap((one) => one.worst ?? []);
  return section('The worst cases', note('These lines tell values of people: whoever reads this page learns them.'),
    texts.length > 0 ? element('ol', { id: 'worst' }, texts.map((text) => element('li', {}, text))) : paragraph('None was found.'));
}

export function audit(report) {
  const releaseCount = report.releases.length;
  const what = report.given.publication === null ? counted(releaseCount, 'release') : `the publication ${report.given.publication}: ${counted(releaseCount, 'release')}`;
  const title = report.given.publication === null ? `${counted(releaseCount, 'release')}: ${baseName(report.releases[0].source)}${releaseCount > 1 ? ` to ${baseName(report.releases.at(-1).source)}` : ''}`
    : `${baseName(report.given.publication)}: ${counted(releaseCount, 'release')}`;
  const maps = (report.channels ?? []).map(heatMap).filter((one) => one !== null);
  return [
    heading('audit', title),
    verdict(report.holds, report.holds ? `SAFE: what the policy promises holds, against the attackers below, for ${what}.`
      : `NOT SAFE: what the policy promises does not hold for ${what}.`, report.broken),
    report.warnings.length > 0 && note('What the reader should know:', list(report.warnings)),
    note('This page tells what the releases give away: keep it private.'),
    paragraph('I have read this audit and its verdict.'),
    element('div', { class: 'signature' }, ['Data steward (name)', 'Date', 'Signature'].map((line) => element('div', {}, line))),
    section('Against whom', list(attackers(report)), paragraph('What is not listed here was not tried.')),
    releases(report),
    maps.length > 0 && section('Releases together, two by two', element('div', {}, maps)),
    values(report), joins(report), knowledge(report), worst(report),
  ].filter((part) => part);
}
