// SPDX-License-Identifier: BSD-3-Clause
// A click on a title sorts the rows; a button in the caption exports them.
function makeSortable(table) {
  const value = (row, column) => { const cell = row.cells[column]; return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value); };
  const missing = (found) => found === '' || found === '–';
  all('thead th', table).forEach((title, column) => {
    if (!title.textContent) return;
    const button = element('button', { type: 'button', title: 'Sort by this column' }, ...title.childNodes);
    title.append(button);
    button.addEventListener('click', () => {
      const order = title.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      for (const sibling of all('thead th', table)) sibling.removeAttribute('aria-sort');
      title.setAttribute('aria-sort', order > 0 ? 'ascending' : 'descending');
      const compare = (a, b) => {
        const [one_, two] = [value(a, column), value(b, column)];
        if (missing(one_) || missing(two)) return missing(one_) - missing(two);
        return order * (typeof one_ === 'number' && typeof two === 'number' ? one_ - two : String(one_).localeCompare(String(two), undefined, { numeric: true }));
      };
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
    });
  });
  const button = element('button', { type: 'button' }, 'CSV');
  button.addEventListener('click', () => download(`${table.dataset.name}.csv`, [...table.rows].map((row) => [...row.cells].map((cell) => cell.dataset.value ?? cell.innerText.trim().replace(/\s*\n\s*/g, '; ')))));
  table.caption.append(button);
}

const explorers = {};
const collective = one('select[name=collective]');

function show(name) {
  collective.value = name;
  for (const section of all('section.collective')) section.hidden = section.dataset.collective !== name;
  if (!explorers[name].isDrawn) explorers[name].draw();
  keepView();
}

// The view goes into the address without a new entry of the history; a frame without an address cannot keep it.
let isReady = false;
function keepView() {
  if (!isReady) return;
  const words = new URLSearchParams({ collective: collective.value, ...explorers[collective.value].view() });
  try { history.replaceState(null, '', `#${words}`); } catch { /* the page works without an address */ }
}
function openView() {
  const words = new URLSearchParams(location.hash.slice(1));
  const name = words.get('collective') in explorers ? words.get('collective') : report.opens_on;
  if ([...words.keys()].length > 1) { explorers[name].open(words); explorers[name].isDrawn = false; }
  show(name);
}

// The ratio of the times of two profiles at each instance that both hold.
function drawProfiles() {
  const box = document.getElementById('two-profiles');
  if (!box) return;
  const entry = report.comparison.collectives.find((held) => held.collective === collective.value);
  box.replaceChildren();
  box.className = 'maps';
  if (!entry) return;
  const columns = entry.columns.map(({ run, what }, k) => [k, `${what} of ${run}`]).slice(1);
  for (const [k, name] of columns) {
    const map = element('div', { class: 'map' });
    box.append(element('figure', { class: 'card' }, element('figcaption', {}, `${entry.collective}: ${name} beside the ${entry.columns[0].what} of ${entry.columns[0].run}`), map));
    const x = new Axis(entry.rows.map((row) => row.message_size), shortBytes, 'message size [bytes]');
    const y = new Axis(entry.rows.map((row) => row.communicator_size), String, 'communicator size');
    const z = y.sizes.map(() => x.sizes.map(() => null));
    const text = z.map((row) => row.map(() => ''));
    for (const { communicator_size: ranks, message_size: size, times: { [k]: found } } of entry.rows) {
      if (!found) continue;
      const [row, column] = [y.index(ranks), x.index(size)];
      z[row][column] = Math.log2(found.ratio);
      text[row][column] = `${ranks} ranks, ${bytes(size)}: ${found.method}, ${time(found.time_us)}, ratio ${found.ratio.toPrecision(3)} (${found.verdict})`;
    }
    const ticks = [-2, -1, 0, 1, 2];
    Plotly.react(map, [{
      type: 'heatmap', x: x.borders, y: y.borders, z, text, hovertemplate: '%{text}<extra></extra>', zmin: -2, zmax: 2, hoverongaps: false,
      colorscale: [[0, colour('--good')], [0.5, colour('--card')], [1, colour('--bad')]], colorbar: { thickness: 10, title: { text: 'ratio' }, tickvals: ticks, ticktext: ['≤ 0.25', '0.5', '1', '2', '≥ 4'] },
    }], mapLayout(x, y), settings(`${entry.collective}-profiles`));
  }
}

function redraw() {
  for (const explorer of Object.values(explorers)) explorer.isDrawn = false;
  explorers[collective.value].draw();
  drawProfiles();
}

async function start() {
  report = JSON.parse(await inflate('report-data'));
  one('head').append(element('script', {}, await inflate('plotly')));
  Plotly = window.Plotly;
  all('table.sortable').forEach(makeSortable);
  for (const data of report.collectives) explorers[data.collective] = new Explorer(document.getElementById(`section-${data.collective}`), data);
  isReady = true;
  openView();
  drawProfiles();
  collective.addEventListener('change', () => { show(collective.value); drawProfiles(); });
  one('#which').hidden = report.collectives.length < 2;
  addEventListener('hashchange', () => { openView(); drawProfiles(); });
  one('#theme').addEventListener('click', () => { document.documentElement.style.colorScheme = isDark() ? 'light' : 'dark'; redraw(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  addEventListener('beforeprint', () => { if (isDark()) { document.documentElement.style.colorScheme = 'light'; redraw(); } });
  document.documentElement.dataset.ready = 'yes';
}
start().catch((error) => { one('main').prepend(element('p', { class: 'card' }, `The maps cannot be drawn: ${error.message}. Use a browser of May 2024 or later.`)); throw error; });
