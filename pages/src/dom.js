// Elements, and numbers for people. Text goes into the page as text nodes alone: nothing that a table holds is read as HTML.

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const nothing = '–';
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export const count = (number) => (number === null || number === undefined ? nothing : whole.format(number));
export function decimal(number, digits = 4) {
  if (number === null || number === undefined) return nothing;
  return new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }).format(number);
}
export function percent(share, digits = 2) {
  if (share === null || share === undefined) return nothing;
  return `${new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }).format(100 * share)} %`;
}
// "1 release", "2 releases".
export const counted = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export const baseName = (path) => String(path).split('/').pop();
export const shortened = (text, length = 26) => {
  const characters = [...String(text)];
  return characters.length <= length ? String(text) : `${characters.slice(0, length - 1).join('')}…`;
};

// `columns`: names, those of numbers with `number: true`. Cells are texts or elements.
export function table(columns, rows, attributes = {}) {
  const kind = (i) => ({ class: columns[i].number ? 'number' : 'text' });
  return element('div', { class: 'scroll', tabindex: '0' }, element('table', attributes,
    element('thead', {}, element('tr', {}, columns.map((column, i) =>
      element('th', { scope: 'col', ...kind(i) }, column.name ?? column)))),
    element('tbody', {}, rows.map((row) => element('tr', {}, row.map((cell, i) => (
      i === 0 ? element('th', { scope: 'row', ...kind(0) }, cell) : element('td', kind(i), cell))))))));
}

export const section = (title, ...children) => element('section', {}, element('h2', {}, title), ...children);
export const paragraph = (...children) => element('p', {}, ...children);
export const note = (...children) => element('div', { class: 'note', role: 'note' }, ...children);
export const list = (texts) => element('ul', {}, texts.map((text) => element('li', {}, text)));

export function tiles(figures) {
  return element('div', { class: 'tiles' }, figures.map(([name, value, key]) => element('div', { class: 'tile', 'data-figure': key },
    element('div', { class: 'value' }, value), element('div', { class: 'name' }, name))));
}

export function verdict(holds, text, lines = []) {
  return element('div', { class: `verdict ${holds ? 'holds' : 'broken'}`, role: 'status', 'data-holds': String(holds) },
    element('strong', {}, `${holds ? '✓' : '✗'} ${text}`), lines.length > 0 && list(lines));
}

export function heading(kind, title, ...lines) {
  document.title = `${title} – Throng ${kind}`;
  return element('header', {}, element('div', { class: 'kind' }, `Throng ${kind}`), element('h1', {}, title), ...lines);
}
