import { audit } from './audit.js';
import { drawAll } from './charts.js';
import { element } from './dom.js';
import { evaluate } from './evaluate.js';
import { status } from './status.js';

const pages = { audit, evaluate, status };
const { page, version, report } = JSON.parse(document.getElementById('content').textContent);
const main = document.getElementById('page');
main.append(...pages[page](report), element('footer', {}, `Written by throng ${version}. One file: it asks no network for anything. `,
  'Charts by Apache ECharts (Apache License 2.0); its licence and those of its parts stand in this file.'));
drawAll();
