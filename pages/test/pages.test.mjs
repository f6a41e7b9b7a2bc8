// The pages in a browser: what they show is what --json says, they ask for nothing, and nothing in a table becomes a part
// of them. Needs $THRONG (the program) and a Chromium: $CHROMIUM, or one of the usual places.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const program = process.env.THRONG;
const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((place) => place && existsSync(place));
// Where somebody wants to look at them: screenshots go there.
const shots = process.env.PAGES_SHOTS;

if (!program) throw new Error('THRONG is not set: the program that writes the pages');
const skip = executablePath ? false : 'no Chromium here (set CHROMIUM, or install the package chromium)';
if (skip) console.error(`THE PAGES WERE NOT TESTED: ${skip}`);

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 900 };
let browser;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'throng-pages-'));
  if (shots) mkdirSync(shots, { recursive: true });
  if (!skip) browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name) => join(folder, name);
const write = (name, content) => writeFileSync(file(name), content);

// Runs throng --json; its object. `status` is the exit status that is expected.
function throng(words, status = 0, environment = {}) {
  const done = spawnSync(program, [...words, '--json'], { cwd: folder, encoding: 'utf8', env: { ...process.env, ...environment }, maxBuffer: 1 << 28 });
  assert.equal(done.status, status, done.stderr);
  return JSON.parse(done.stdout);
}

// Opens a page, lets `look` at it, and holds it to what every page must be.
async function open(name, look, { viewport = desktop, colorScheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport, colorScheme });
  const page = await context.newPage();
  const wrong = [];
  const asked = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) wrong.push(message.text()); });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('dialog', (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => asked.push(request.url()));
  const address = pathToFileURL(file(name)).href;
  await page.goto(address);
  await look?.(page);
  if (shots) await page.screenshot({ path: join(shots, `${name}-${viewport.width}-${colorScheme}.png`), fullPage: true });
  assert.deepEqual(wrong, [], `${name}: nothing on the console`);
  assert.deepEqual(asked, [address], `${name}: asks for nothing but itself`);
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(widths[0] <= widths[1], `${name}: ${widths[0]} pixels wide in a window of ${widths[1]}`);
  await context.close();
}

// Every chart is drawn, has a title, axes with names, a text for who cannot see it, and a table.
async function checkCharts(page, least) {
  const figures = await page.$$eval('figure', (list) => list.map((figure) => {
    const svg = figure.querySelector('.chart svg');
    const box = svg?.getBoundingClientRect();
    return {
      title: figure.querySelector('h3')?.textContent, label: figure.querySelector('.chart')?.getAttribute('aria-label') ?? '',
      shapes: svg?.querySelectorAll('path').length ?? 0, texts: svg?.querySelectorAll('text').length ?? 0,
      width: box?.width ?? 0, height: box?.height ?? 0, rows: figure.querySelectorAll('details tbody tr').length,
      room: figure.getBoundingClientRect().width,
    };
  }));
  assert.ok(figures.length >= least, `${figures.length} charts`);
  for (const figure of figures) {
    assert.ok(figure.title, 'a title');
    assert.ok(figure.label.includes(figure.title), `${figure.title}: a description`);
    assert.ok(figure.shapes > 0 && figure.texts > 0, `${figure.title}: is drawn`);
    assert.ok(figure.width > 100 && figure.width <= figure.room && figure.height > 60, `${figure.title}: ${figure.width} by ${figure.height}`);
    assert.ok(figure.rows > 0, `${figure.title}: a table`);
  }
}

const everywhere = async (name, least) => {
  await open(name, (page) => checkCharts(page, least));
  await open(name, (page) => checkCharts(page, least), { viewport: phone });
  await open(name, (page) => checkCharts(page, least), { colorScheme: 'dark' });
  await open(name, async (page) => {
    await page.emulateMedia({ media: 'print' });
    await checkCharts(page, least);
    if (shots) await page.pdf({ path: join(shots, `${name}.pdf`), format: 'A4' });
  }, { viewport: { width: 794, height: 1123 } });
};

const cells = (page, table) => page.$$eval(`#${table} tbody tr`, (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
const tile = (page, figure) => page.$eval(`[data-figure="${figure}"] .value`, (node) => node.textContent);
const chartRows = (page, name) => page.$$eval('figure', (figures, wanted) => {
  const figure = figures.find((one) => one.dataset.chart === wanted);
  return [...figure.querySelectorAll('details tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent));
}, name);
const count = (number) => new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 }).format(number);
const decimal = (number, digits = 4) => new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }).format(number);
const percent = (share) => `${decimal(100 * share, 2)} %`;

// --- Tables to look at: the program's own patients ------------------------------------------------

const policy = `columns:
  name:      {role: identifier}
  age:       {role: quasi-identifier, type: integer}
  job:       {role: quasi-identifier}
  disease:   {role: sensitive}
privacy:
  - k-anonymity: 4
  - l-diversity: {column: disease, l: 3}
`;

// A fixed, plain sequence: the same tables every time.
function people(rows, seed) {
  let state = seed;
  const below = (limit) => { state = (state * 48271) % 2147483647; return state % limit; };
  const jobs = ['baker', 'clerk', 'driver', 'nurse', 'teacher'];
  const diseases = ['asthma', 'cold', 'diabetes', 'flu', 'gout', 'hiv'];
  const lines = ['name,age,job,disease'];
  for (let i = 0; i < rows; ++i) lines.push(`p${seed}-${i},${18 + below(70)},${jobs[below(5)]},${diseases[below(6)]}`);
  return `${lines.join('\n')}\n`;
}

test('an evaluation shows what --json says', { skip }, async () => {
  write('policy.yaml', policy);
  write('people.csv', people(2000, 7));
  throng(['anonymize', 'policy.yaml', 'people.csv', '-o', 'release.csv']);
  const report = throng(['evaluate', 'policy.yaml', 'people.csv', 'release.csv', '--html', 'evaluate.html']);
  await open('evaluate.html', async (page) => {
    assert.equal(await page.getAttribute('.verdict', 'data-holds'), 'true');
    assert.match(await page.textContent('.verdict'), /is what the policy asks for/);
    assert.match(await page.textContent('.note'), /figures of the original table: keep it private/);
    assert.equal(await page.textContent('h1'), 'release.csv');
    assert.equal(await tile(page, 'rows_out'), count(report.rows_out));
    assert.equal(await tile(page, 'classes'), count(report.classes));
    assert.equal(await tile(page, 'mean_error'), percent(report.queries.mean_error));
    const asked = await cells(page, 'requirements');
    assert.deepEqual(asked.map((row) => row.slice(1, 3)), [[count(4), count(report.k)], [count(3), count(report.l.disease)]]);
    const figures = Object.fromEntries((await cells(page, 'figures')).map(([name, value]) => [name, value]));
    assert.equal(figures['information loss'], decimal(report.information_loss));
    assert.equal(figures.discernibility, count(report.discernibility));
    assert.equal(figures['loss of a cell'], percent(report.gcp));
    assert.equal(figures.distortion, decimal(report.distortion.categorical));
    assert.equal(figures['rule error'], percent(report.rules.confidence_error));
    const risk = await cells(page, 'risk');
    assert.deepEqual(risk[0].slice(1), [percent(report.risk.before.highest), percent(report.risk.after.highest)]);
    assert.deepEqual(risk[2].slice(1), [count(report.risk.before.alone), count(report.risk.after.alone)]);
    const sizes = await chartRows(page, 'sizes');
    assert.deepEqual(sizes.map((row) => row[1]), report.class_sizes.bins.map((bin) => count(bin.classes)));
    for (const column of report.columns) {
      const rows = await chartRows(page, `column ${column.column}`);
      assert.deepEqual(rows.map((row) => row.slice(1)), column.distribution.bins.map((bin) => [count(bin.original), decimal(bin.released, 1)]));
    }
    const losses = await chartRows(page, 'loss');
    assert.deepEqual(new Set(losses.map((row) => row.join())), new Set(report.columns.filter((column) => column.information_loss !== null)
      .map((column) => `${column.column},${decimal(column.information_loss)}`)));
  });
  await everywhere('evaluate.html', 6);
});

test('a release that is not what is asked says so', { skip }, async () => {
  write('policy.yaml', policy);
  write('people.csv', people(300, 9));
  throng(['anonymize', 'policy.yaml', 'people.csv', '-o', 'release.csv']);
  write('strict.yaml', policy.replace('k-anonymity: 4', 'k-anonymity: 40'));
  const report = throng(['evaluate', 'strict.yaml', 'people.csv', 'release.csv', '--html', 'broken.html'], 3);
  await open('broken.html', async (page) => {
    assert.equal(await page.getAttribute('.verdict', 'data-holds'), 'false');
    const lines = await page.$$eval('.verdict li', (list) => list.map((line) => line.textContent));
    assert.deepEqual(lines, report.broken);
    assert.match((await cells(page, 'requirements'))[0][3], /does not hold/);
  });
});

test('buckets have a page of their own figures', { skip }, async () => {
  write('buckets.yaml', `${policy.replace('  - k-anonymity: 4\n', '')}algorithm: anatomy\n`);
  write('people.csv', people(600, 3));
  throng(['anonymize', 'buckets.yaml', 'people.csv', '-o', 'buckets.csv']);
  const report = throng(['evaluate', 'buckets.yaml', 'people.csv', 'buckets.csv', '--html', 'buckets.html']);
  await open('buckets.html', async (page) => {
    assert.equal(await tile(page, 'classes'), count(report.buckets));
    const figures = Object.fromEntries((await cells(page, 'figures')).map(([name, value]) => [name, value]));
    assert.equal(figures['largest share'], percent(report.largest_share));
    assert.match(await page.textContent('#page'), /Buckets leave quasi-identifiers exact/);
  });
  await everywhere('buckets.html', 5);
});

// Names and values that would be markup, scripts or placeholders if anything took them for it.
const hostile = [
  '</script><script>alert(1)</script>', '<img src=x onerror=alert(2)>', '<!--', '-->', '&lt;b&gt;', '\u2028\u2029', '{{a}}', '{b}', '{a|b}',
  '"quoted"', "it's", '\\u003c', 'THRONG-CONTENT', '<b>bold</b>', 'javascript:alert(3)', '\u202egnp.exe', '😀', 'ß'.repeat(400),
];

test('names and values of a table are shown as text, whatever they are', { skip }, async () => {
  const quote = (text) => `"${text.replaceAll('"', '""')}"`;
  const column = '<b onclick=alert(4)>age</b>';
  write('<i>policy<i>.yaml', `columns:\n  ${quote(column).replaceAll('""', '\\"')}: {role: quasi-identifier, type: integer}\n  '</style><script>alert(5)</script>': {role: sensitive}\nprivacy:\n  - k-anonymity: 2\n`);
  const lines = [`${quote(column)},${quote('</style><script>alert(5)</script>')}`];
  hostile.forEach((value, i) => { for (let n = 0; n < 3; ++n) lines.push(`${20 + ((i + n) % 7)},${quote(value)}`); });
  write('hostile.csv', `${lines.join('\n')}\n`);
  throng(['anonymize', '<i>policy<i>.yaml', 'hostile.csv', '-o', '<img src=x onerror=alert(6)>.csv']);
  const report = throng(['evaluate', '<i>policy<i>.yaml', 'hostile.csv', '<img src=x onerror=alert(6)>.csv', '--html', 'hostile.html']);
  const look = async (page) => {
    assert.equal(await page.textContent('h1'), '<img src=x onerror=alert(6)>.csv');
    assert.deepEqual(await page.$$eval('#page script, #page img, #page i:not(.legend i), #page b', (list) => list.map((node) => node.outerHTML)), []);
    const shown = (await chartRows(page, 'column </style><script>alert(5)</script>')).map((row) => row[0]);
    assert.deepEqual(shown, report.columns[1].distribution.bins.map((bin) => bin.value));
    assert.ok(hostile.every((value) => shown.includes(value)));
    // The tooltips of the charts take their texts from the table as well.
    let tips = '';
    for (const chart of await page.$$('.chart')) {
      await chart.scrollIntoViewIfNeeded();
      const box = await chart.boundingBox();
      for (const share of [0.2, 0.35, 0.5, 0.65, 0.8]) {
        await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * share);
        await page.waitForTimeout(20);
        tips += await chart.$$eval(':scope > div:not(:first-child)', (list) => list.map((tip) => tip.textContent).join('\n'));
      }
    }
    assert.ok(hostile.some((value) => value.includes('<') && tips.includes(value)), tips);
    assert.deepEqual(await page.$$eval('#page script, #page img, #page b[onclick]', (list) => list.map((node) => node.outerHTML)), []);
  };
  await open('hostile.html', look);
  await open('hostile.html', look, { viewport: phone });
});

test('a script that breaks out would not run', { skip }, async () => {
  write('people.csv', people(60, 5));
  write('policy.yaml', policy.replace('l: 3', 'l: 2'));
  throng(['anonymize', 'policy.yaml', 'people.csv', '-o', 'release.csv']);
  throng(['evaluate', 'policy.yaml', 'people.csv', 'release.csv', '--html', 'page.html']);
  write('injected.html', readFileSync(file('page.html'), 'utf8').replace('<main', '<script>window.ran = true</script><main'));
  const page = await browser.newPage();
  await page.goto(pathToFileURL(file('injected.html')).href);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.ok(await page.$('.verdict'), 'the page itself is there');
  await page.close();
});

test('an audit of releases that leak', { skip }, async () => {
  write('policy.yaml', policy);
  const names = [];
  const all = people(600, 11).trim().split('\n');
  [300, 400, 500, 600].forEach((rows, i) => {
    write('people.csv', `${all.slice(0, rows + 1).join('\n')}\n`);
    throng(['anonymize', 'policy.yaml', 'people.csv', '-o', `release${i}.csv`]);
    names.push(`release${i}.csv`);
  });
  const report = throng(['audit', 'policy.yaml', ...names, '--html', 'audit.html'], 3);
  const channels = report.channels[0];
  assert.ok(channels.vulnerable > 0);
  await open('audit.html', async (page) => {
    assert.equal(await page.getAttribute('.verdict', 'data-holds'), 'false');
    assert.match(await page.textContent('.verdict strong'), /NOT SAFE: what the policy promises does not hold for 4 releases/);
    assert.deepEqual(await page.$$eval('.verdict li', (list) => list.map((line) => line.textContent)), report.broken);
    assert.deepEqual(await page.$$eval('.signature div', (list) => list.map((line) => line.textContent)), ['Data steward (name)', 'Date', 'Signature']);
    assert.deepEqual((await cells(page, 'releases')).map((row) => row.slice(1, 5)),
      report.releases.map((one) => [one.source, count(one.rows), count(one.classes), count(one.k)]));
    const pairs = await chartRows(page, 'pairs disease');
    assert.deepEqual(new Set(pairs.map((row) => row.join())), new Set(channels.pairs.filter((pair) => pair.difference + pair.intersection > 0)
      .map((pair) => [pair.earlier, pair.later, pair.difference, pair.intersection, pair.vulnerable].map(count).join())));
    const possible = await chartRows(page, 'possible disease');
    assert.deepEqual(possible.map((row) => row.slice(0, 2)), report.releases.at(-1).possible_values[0].counts.map((one) => [count(one.values), count(one.records)]));
    assert.equal(await page.$('#worst'), null, 'no worst cases without --explain');
    assert.doesNotMatch(await page.textContent('body'), /asthma|diabetes|gout/);
  });
  await everywhere('audit.html', 2);

  const explained = throng(['audit', 'policy.yaml', ...names, '--html', 'explained.html', '--explain', '3'], 3);
  await open('explained.html', async (page) => {
    assert.deepEqual(await page.$$eval('#worst li', (list) => list.map((line) => line.textContent)), explained.channels[0].worst);
  });
});

test('an audit of a publication that holds, and its status', { skip }, async () => {
  write('policy.yaml', policy);
  throng(['init', 'clinic', '--policy', 'policy.yaml']);
  throng(['status', 'clinic', '--html', 'empty.html']);
  await open('empty.html', async (page) => { assert.match(await page.textContent('#page'), /No release yet/); });
  for (let i = 1; i <= 5; ++i) {
    write('batch.csv', people(150, 20 + i));
    throng(['release', 'clinic', 'batch.csv', '-o', `clinic${i}.csv`], 0, { SOURCE_DATE_EPOCH: String(1767225600 + i * 2678400) });
    if (i === 1) {
      throng(['status', 'clinic', '--html', 'first.html']);
      await open('first.html', (page) => checkCharts(page, 4));
    }
  }
  const status = throng(['status', 'clinic', '--html', 'status.html']);
  await open('status.html', async (page) => {
    assert.equal(await page.textContent('h1'), 'clinic');
    for (const figure of ['published', 'waiting', 'classes', 'raw_records_held']) assert.equal(await tile(page, figure), count(status[figure]));
    assert.deepEqual(await page.$$eval('section:first-of-type li', (list) => list.map((line) => line.textContent)), status.asked);
    assert.deepEqual((await cells(page, 'releases')).map((row) => row.slice(0, 8)), [...status.releases].reverse().map((one) => [count(one.release), one.date, count(one.new), count(one.published), count(one.waiting), count(one.classes), count(one.k), decimal(one.information_loss, 3)]));
    assert.deepEqual((await chartRows(page, 'records')).map((row) => row.slice(1)), status.releases.map((one) => [count(one.published), count(one.waiting)]));
  });
  await everywhere('status.html', 4);

  const report = throng(['audit', '--publication', 'clinic', '--html', 'safe.html']);
  await open('safe.html', async (page) => {
    assert.equal(await page.getAttribute('.verdict', 'data-holds'), 'true');
    assert.match(await page.textContent('.verdict strong'), /SAFE: what the policy promises holds/);
    assert.match(await page.textContent('#page'), /The strongest one/);
    assert.deepEqual((await chartRows(page, 'possible disease')).map((row) => row.slice(0, 2)),
      report.strongest[0].possible_values.map((one) => [count(one.values), count(one.records)]));
  });
});

test('a sequential publication', { skip }, async () => {
  write('sequential.yaml', `columns:
  sex:  {role: quasi-identifier}
  job:  {role: quasi-identifier}
  test: {role: sensitive}
privacy:
  - xy-linkability: {x: [sex, job], y: {test: [HIV]}, max: 0.6}
algorithm: tds
`);
  write('sex.csv', 'male;*\nfemale;*\n');
  write('job.csv', 'baker;*\nnurse;*\n');
  write('sequential.yaml', readFileSync(file('sequential.yaml'), 'utf8').replace('sex:  {role: quasi-identifier}', 'sex:  {role: quasi-identifier, hierarchy: sex.csv}')
    .replace('job:  {role: quasi-identifier}', 'job:  {role: quasi-identifier, hierarchy: job.csv}'));
  write('tests.csv', 'job,test\nbaker,HIV\nbaker,flu\nnurse,flu\nnurse,HIV\n');
  write('jobs.csv', 'sex,job\nmale,baker\nfemale,baker\nmale,nurse\nfemale,nurse\n');
  throng(['init', 'tables', '--policy', 'sequential.yaml']);
  throng(['release', 'tables', 'tests.csv', '--as', '<T2>', '-o', 'tests-out.csv']);
  throng(['release', 'tables', 'jobs.csv', '--as', 'T1', '-o', 'jobs-out.csv']);
  const status = throng(['status', 'tables', '--html', 'sequential.html']);
  await open('sequential.html', async (page) => {
    const rows = await cells(page, 'releases');
    assert.deepEqual(rows.map((row) => row[0]), ['T1', '<T2>']);
    assert.equal(rows[0][2], status.releases[1].columns.join(', '));
  });
  await everywhere('sequential.html', 3);
  throng(['audit', '--publication', 'tables', '--html', 'joined.html']);
  await open('joined.html', async (page) => { assert.match(await page.textContent('#page'), /Releases joined/); });
});

// The page with other content than the program has put there.
function refill(from, to, change) {
  const page = readFileSync(file(from), 'utf8');
  const [, head, json, tail] = page.match(/^([^]*id="content">)([^]*?)(<\/script>[^]*)$/);
  const content = JSON.parse(json);
  change(content.report);
  write(to, head + JSON.stringify(content).replaceAll('<', '\\u003c') + tail);
}

test('ten thousand releases, and an audit of two hundred', { skip }, async () => {
  write('policy.yaml', policy);
  write('batch.csv', people(100, 77));
  throng(['init', 'long', '--policy', 'policy.yaml']);
  throng(['release', 'long', 'batch.csv', '-o', 'long.csv']);
  throng(['status', 'long', '--html', 'one.html']);
  refill('one.html', 'long.html', (report) => {
    const [first] = report.releases;
    report.releases = Array.from({ length: 10000 }, (_, i) => {
      const one = { ...first, release: i + 1, published: 100 * (i + 1), waiting: i % 37, classes: 20 * (i + 1) };
      if (i < 9950) { delete one.sha256; delete one.output; delete one.bytes; }
      return one;
    });
  });
  const bytes = readFileSync(file('long.html')).length;
  assert.ok(bytes < 4e6, `${bytes} bytes`);
  const start = Date.now();
  await open('long.html', async (page) => {
    await checkCharts(page, 4);
    assert.equal((await cells(page, 'releases')).length, 50);
    assert.ok(await page.evaluate(() => document.querySelectorAll('*').length) < 20000);
  });
  assert.ok(Date.now() - start < 20000, `${Date.now() - start} ms`);
  await open('long.html', (page) => checkCharts(page, 4), { viewport: phone });

  throng(['audit', '--publication', 'long', '--html', 'audited.html']);
  refill('audited.html', 'pairs.html', (report) => {
    const pairs = [];
    for (let later = 2; later <= 200; ++later) {
      for (let earlier = 1; earlier < later; ++earlier) pairs.push({ earlier, later, difference: 1, intersection: 0, vulnerable: (earlier * later) % 91, unchanged_classes: 0 });
    }
    report.channels = [{ column: 'disease', l: 3, channels: pairs.length, vulnerable: 1, vulnerable_by_release: [], pairs_of_classes: 1, pairs_touched: 1, pairs }];
  });
  await open('pairs.html', (page) => checkCharts(page, 2));
});

test('the page holds the licence of what it bundles', { skip: false }, () => {
  write('policy.yaml', policy);
  execFileSync(program, ['init', 'licence', '--policy', 'policy.yaml', '--quiet'], { cwd: folder });
  execFileSync(program, ['status', 'licence', '--html', 'licence.html', '--quiet'], { cwd: folder });
  const page = readFileSync(file('licence.html'), 'utf8');
  for (const text of ['Apache ECharts', 'Apache License', 'TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION', 'Baidu Inc.']) assert.ok(page.includes(text), text);
});
