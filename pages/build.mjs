// node build.mjs FILE: all pages as one HTML file, with its script, its style and the licences of what it bundles.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, '../build/pages/page.html');
// HTML has no carriage returns: one would change the script's hash.
const read = (...parts) => readFileSync(join(here, ...parts), 'utf8').replaceAll('\r', '').trim();

// ECharts has its licence in comments that a bundler does not know for legal ones: it stands whole above the script.
const licences = [
  ['echarts', 'NOTICE'], ['echarts', 'LICENSE'], ['zrender', 'LICENSE'], ['tslib', 'LICENSE.txt'],
].map(([name, file]) => `${name}: ${file}\n\n${read('node_modules', name, file)}`).join('\n\n----\n\n');

async function bundle(entry, loader) {
  const result = await build({
    absWorkingDir: here, entryPoints: [join('src', entry)], bundle: true, write: false, minify: true,
    format: 'iife', target: 'es2020', charset: 'ascii', legalComments: 'inline', logLevel: 'warning', loader,
  });
  return result.outputFiles[0].text.trim();
}

const comment = `/*!\n${licences.replaceAll('*/', '* /').replaceAll('<', '&lt;')}\n*/\n`;
const script = comment + await bundle('main.js', {});
const style = await bundle('page.css', {});
if (/<\/(script|style)/i.test(script + style)) throw new Error('the bundle would end its own element');

// The one script that may run is this one, whatever a table may hold.
const hash = createHash('sha256').update(script, 'utf8').digest('base64');
const parts = { SCRIPT_HASH: `sha256-${hash}`, STYLE: style, SCRIPT: script };
const page = read('src', 'page.html').replace(/@(SCRIPT_HASH|STYLE|SCRIPT)@/g, (_, name) => parts[name]);

mkdirSync(dirname(output), { recursive: true });
writeFileSync(`${output}.part`, `${page}\n`);
renameSync(`${output}.part`, output);
