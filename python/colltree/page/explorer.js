// SPDX-License-Identifier: BSD-3-Clause
// One collective: its part of the data with look-ups, and the view of the reader.
class Explorer {
  constructor(section, data) {
    Object.assign(this, { section, data, ranks: data.instances.communicator_size, bytes: data.instances.message_size, measured: data.measured_methods });
    this.best = this.chooser('best').entries[0];
    this.library = this.chooser('default')?.entries[0];
    this.rival = this.chooser('default') ?? this.chooser('fixed');
    this.controls = one('.controls', section).elements;
    this.times = one('select[name=times]', section);
    this.plots = Object.fromEntries(all('[data-plot]', section).map((plot) => [plot.dataset.plot, plot]));
    this.maps = Object.fromEntries(all('[data-map]', section).map((map) => [map.dataset.map, map]));
    this.pinned = false;
    this.zoom = null;
    this.at = (this.library?.penalty ?? [0]).reduce((most, value, i, values) => (value > values[most] ? i : most), 0);
    this.#place();
    this.#choose();
    this.#listen();
  }

  chooser(id) { return this.data.choosers.find((chooser) => chooser.id === id); }
  get chosen() { return this.chooser(this.controls.model.value); }
  get entry() { return this.chosen.entries[this.chosen.entries.length > 1 ? this.controls.leaves.value : 0]; }
  get name() {
    const label = this.controls.model.selectedOptions[0].text;
    return this.chosen.entries.length > 1 ? `${label} of ${this.entry.leaves} leaves` : label;
  }
  runs(entry, i) { return entry.runs?.[i] ?? entry.method?.[i] ?? null; }
  time(i, method) { return this.data.time_us[i * this.measured + method] ?? null; }
  isPredicted(i, method) { return this.data.predicted?.[i * this.measured + method] === 1; }
  colour(m) { return this.data.methods[m].colour?.[isDark() ? 1 : 0] ?? colour('--line'); }
  label(m) { return this.data.methods[m].label; }

  // The instances of the placement that is shown, on the grid of their sizes.
  #place() {
    const chosen = this.controls.placement?.value ?? '';
    this.instances = this.ranks.map((_, i) => i).filter((i) => chosen === '' || String(this.data.instances.ranks_per_node[i]) === chosen);
    this.x = new Axis(this.instances.map((i) => this.bytes[i]), shortBytes, 'message size [bytes]');
    this.y = new Axis(this.instances.map((i) => this.ranks[i]), String, 'communicator size');
    this.cells = this.y.sizes.map(() => this.x.sizes.map(() => null));
    for (const i of this.instances) this.cells[this.y.index(this.ranks[i])][this.x.index(this.bytes[i])] = i;
    if (!this.instances.includes(this.at)) [this.at] = this.instances;
  }

  // Another model: its slider and its row.
  #choose() {
    const { chosen, controls } = this;
    controls.leaves.closest('label').hidden = chosen.entries.length === 1;
    controls.leaves.max = chosen.entries.length - 1;
    controls.leaves.value = chosen.start;
    for (const row of all('tr[data-chooser]', this.section)) row.classList.toggle('chosen', row.dataset.chooser === chosen.id);
  }

  #listen() {
    const { model, placement, leaves } = this.controls;
    model.addEventListener('change', () => { this.#choose(); this.paint(); });
    leaves.addEventListener('input', () => this.paint());
    placement?.addEventListener('change', () => { this.#place(); this.zoom = null; this.pinned = false; this.draw(); });
    this.times.addEventListener('change', () => { this.#drawTimes(); keepView(); });
    for (const form of all('form', this.section)) form.addEventListener('submit', (event) => event.preventDefault());
    one('[data-export]', this.section).addEventListener('click', () => download(`${this.data.collective}.csv`, this.table()));
    one('[data-reset]', this.section).addEventListener('click', () => this.#zoomTo(null));
    for (const map of Object.values(this.maps)) map.addEventListener('keydown', (event) => this.#key(event));
  }

  // Everything: at first, in other colours, and after the placement has changed.
  draw() {
    this.isDrawn = true;
    this.paint();
    this.#drawLeaves();
    this.#drawTimes();
  }

  #map(kind, valueOf, colours, dots = []) {
    const { x, y } = this;
    const z = this.cells.map((row) => row.map((i) => (i === null ? null : valueOf(i))));
    const traces = [{
      type: 'heatmap', x: x.borders, y: y.borders, z, zmin: -0.5, zmax: colours.length - 0.5, hoverinfo: 'none', showscale: false, hoverongaps: false,
      colorscale: colours.flatMap((shade, k) => [[k / colours.length, shade], [(k + 1) / colours.length, shade]]),
    }];
    if (dots.length) {
      traces.push({
        type: 'scatter', mode: 'markers', hoverinfo: 'skip', marker: { size: 3, color: '#ffffff', line: { width: 0.7, color: '#000000' } },
        x: dots.map((i) => x.place(this.bytes[i])), y: dots.map((i) => y.place(this.ranks[i])),
      });
    }
    const map = this.maps[kind];
    const { x: [...across], y: [...upwards] } = this.#shown();
    const ranges = { xaxis: { ...x.layout, range: across }, yaxis: { ...y.layout, range: upwards } };
    Plotly.react(map, traces, mapLayout(x, y, { ...ranges, shapes: this.#marks() }), settings(`${this.data.collective}-${kind}`));
    if (map.isLinked) return;
    map.isLinked = true;
    const under = ({ points }) => { const point = points.find(({ curveNumber }) => curveNumber === 0)?.pointIndex; return point && this.cells[point[0]]?.[point[1]]; };
    map.on('plotly_hover', (event) => { if (!this.pinned) this.look(under(event)); });
    map.on('plotly_click', (event) => {
      const i = under(event);
      if (i === undefined || i === null) return;
      this.pinned = !(this.pinned && i === this.at);
      this.look(i);
    });
    map.on('plotly_relayout', (change) => {
      if (change['xaxis.range[0]'] !== undefined || change['yaxis.range[0]'] !== undefined) this.#zoomTo({ x: map.layout.xaxis.range, y: map.layout.yaxis.range });
    });
    map.on('plotly_doubleclick', () => { this.#zoomTo(null); return false; });
  }

  #shown() { return this.zoom ?? { x: this.x.layout.range, y: this.y.layout.range }; }

  // All four maps show the same part.
  #zoomTo(zoom) {
    const near = (a, b) => Math.abs(a - b) < 1e-9;
    if (zoom && this.zoom && ['x', 'y'].every((axis) => zoom[axis].every((value, k) => near(value, this.zoom[axis][k])))) return;
    this.zoom = zoom && { x: [...zoom.x], y: [...zoom.y] };
    const { x, y } = this.#shown();
    for (const map of Object.values(this.maps)) if (map.isLinked) Plotly.relayout(map, { 'xaxis.range': [...x], 'yaxis.range': [...y] });
    keepView();
  }

  // The four maps, the legend, the readout and the tree of the model that is chosen.
  paint() {
    const { entry, data, library, rival } = this;
    const steps = report.penalty_steps;
    const shade = isDark() ? 1 : 0;
    const penalties = [...steps.map((step) => step.colour[shade]), colour('--accent')];
    const step = (value) => steps.findLastIndex(({ from }) => value >= from);
    const order = data.legend;
    const place = (m) => { const found = order.indexOf(m); return found < 0 ? null : found; };
    const methods = order.map((m) => this.colour(m));
    const predicted = this.instances.filter((i) => this.isPredicted(i, this.best.method[i]));
    this.#map('chosen', (i) => place(this.runs(entry, i)), methods);
    this.#map('best', (i) => place(this.runs(this.best, i)), methods, predicted);
    this.#map('penalty', (i) => (entry.penalty[i] === null ? steps.length : step(entry.penalty[i])), penalties);
    if (rival) this.#map('library', (i) => { const value = rival.entries[0].penalty[i]; return value === null ? (library ? null : steps.length) : step(value); }, penalties);
    this.maps.library.closest('figure').hidden = !rival;
    const rivalName = library ? 'library default' : `fixed method ${rival?.detail}`;
    const captions = { chosen: `Choice of the ${this.name}`, best: data.predicted ? 'Best known method (dotted: predicted)' : 'Best measured method', penalty: `Penalty of the ${this.name}`, library: `Penalty of the ${rivalName}` };
    for (const [kind, map] of Object.entries(this.maps)) {
      one('figcaption', map.closest('figure')).textContent = captions[kind];
      map.setAttribute('aria-label', `${captions[kind]}. Arrow keys move over the instances, Enter keeps one, Escape releases it.`);
    }
    const shown = new Set(this.instances.flatMap((i) => [this.runs(entry, i), this.runs(this.best, i)]));
    one('.legend.methods', this.section).replaceChildren(...order.filter((m) => shown.has(m)).map((m) => element('li', { style: `--c:${this.colour(m)}` }, this.label(m))));
    one('.legend.penalties', this.section).replaceChildren(...steps.map(({ text, colour: shades }) => element('li', { style: `--c:${shades[shade]}` }, text)),
      ...(data.choosers.some((chooser) => chooser.entries.some(({ cannot_run }) => cannot_run)) ? [element('li', { style: '--c:var(--accent)' }, 'cannot run')] : []));
    const { mean, median, max } = entry.performance_penalty;
    one('.readout', this.section).textContent = `mean penalty ${percent(mean)}, median ${percent(median)}, at worst ${percent(max)}${
      entry.cannot_run ? `; cannot run at ${entry.cannot_run} instances` : ''}`;
    one('.slider output', this.section).value = entry.leaves;
    this.#drawTree();
    this.look(this.at);
  }

  // The tree as nested bars, root on the left and a row for each leaf, and as text.
  #drawTree() {
    const { tree } = this.entry;
    const figure = one('[data-tree]', this.section);
    figure.hidden = !tree;
    if (!tree) return;
    one('figcaption', figure).textContent = `The tree of the ${this.name}`;
    const words = (name) => name.replaceAll('_', ' ');
    const ids = [], labels = [], parents = [], colours = [], lines = [];
    const test = ([attribute, threshold], isLow) => {
      if (attribute.includes('_is_')) return `${words(attribute)}: ${isLow ? 'no' : 'yes'}`;
      return `${words(attribute)} ${isLow ? '≤' : '>'} ${attribute === 'message_size' ? bytes(threshold) : threshold}`;
    };
    const brief = ([attribute, threshold], isLow) => (attribute === 'message_size' ? `${isLow ? '≤' : '>'} ${bytes(threshold)}`
      : attribute === 'communicator_size' ? `${isLow ? '≤' : '>'} ${threshold} ranks` : test([attribute, threshold], isLow));
    const walk = (node, parent, edge, depth, label) => {
      const id = `${parent}/${node}`;
      const leaf = tree[node].length === 1;
      const method = leaf ? this.label(tree[node][0]) : '';
      ids.push(id);
      parents.push(parent);
      labels.push([label, method].filter((part) => part).join('<br>') || 'all');
      colours.push(leaf ? this.colour(tree[node][0]) : colour('--grid'));
      lines.push(`${'    '.repeat(depth)}${edge}${edge && leaf ? ': ' : ''}${method}`);
      if (leaf) return;
      for (const isLow of [true, false]) walk(tree[node][isLow ? 2 : 3], id, test(tree[node], isLow), depth + (edge ? 1 : 0), brief(tree[node], isLow));
    };
    walk(0, '', '', 0, '');
    const height = 40 + 29 * Math.max(4, tree.filter((node) => node.length === 1).length);
    this.plots.tree.style.height = `${height}px`;
    one('pre', figure).textContent = lines.filter((line) => line.trim()).join('\n');
    Plotly.react(this.plots.tree, [{
      type: 'icicle', ids, labels, parents, tiling: { orientation: 'h' }, hoverinfo: 'label', sort: false, textfont: { size: 11 }, pathbar: { thickness: 18 },
      marker: { colors: colours, line: { width: 1, color: colour('--card') } }, root: { color: 'rgba(0,0,0,0)' },
    }], layout({ xaxis: { visible: false }, yaxis: { visible: false }, margin: { l: 4, r: 4, t: 28, b: 4 }, height }), settings(`${this.data.collective}-tree`));
  }

  #drawLeaves() {
    const { data } = this;
    const floor = 1e-4;
    const points = (chooser) => chooser.entries.filter((entry) => entry.leaves && chooser.id !== 'default');
    const most = Math.max(2, ...data.choosers.flatMap((chooser) => points(chooser).map(({ leaves }) => leaves)));
    const label = (chooser) => one(`tr[data-chooser="${CSS.escape(chooser.id)}"] th`, this.section)?.textContent;
    const traces = [];
    const shades = ['--accent', '--bad', '--good', '--text-2', '--text'];
    for (const chooser of data.choosers.filter(({ id }) => id !== 'best')) {
      const isFlat = ['default', 'fixed'].includes(chooser.id);
      const entries = isFlat ? [chooser.entries[0], chooser.entries[0]] : points(chooser);
      if (!entries.length) continue;
      const values = entries.map((entry) => entry.performance_penalty.mean);
      const isLine = entries.length > 1;
      const shade = colour(shades[traces.length % shades.length]);
      traces.push({
        type: 'scatter', name: label(chooser), x: isFlat ? [1, most] : entries.map(({ leaves }) => leaves), y: values.map((value) => Math.max(value, floor)),
        text: values.map(percent), hovertemplate: isFlat ? '%{text}' : '%{x} leaves: %{text}', mode: isFlat ? 'lines' : isLine ? 'lines+markers' : 'markers',
        line: { dash: { default: 'dash', fixed: 'dot' }[chooser.id] ?? 'solid', color: shade }, marker: { size: isLine ? 5 : 11, symbol: isLine ? 'circle' : 'diamond', color: shade },
      });
    }
    const ticks = [floor, 1e-3, 0.01, 0.1, 1, 10, 100];
    Plotly.react(this.plots.leaves, traces, layout({
      xaxis: { title: { text: 'leaves' } }, yaxis: { type: 'log', title: { text: 'mean performance penalty' }, tickvals: ticks, ticktext: ticks.map((value) => (value === floor ? '≤ 0.01 %' : percent(value).replace('.0', ''))) },
      showlegend: true, legend: { orientation: 'h', y: -0.25 },
    }), settings(`${data.collective}-leaves`));
  }

  #drawTimes() {
    const ranks = Number(this.times.value);
    const instances = this.instances.filter((i) => this.ranks[i] === ranks).sort((a, b) => this.bytes[a] - this.bytes[b]);
    const size = (i) => Math.max(this.bytes[i], 0.5);
    const best = new Set(instances.map((i) => this.best.method[i]));
    const dashes = ['solid', 'dash', 'dot', 'dashdot'];
    const methods = [...Array(this.measured).keys()];
    const trace = (name, timeOf, isPredicted, more) => {
      const known = instances.filter((i) => timeOf(i) !== null);
      return {
        type: 'scatter', name, x: known.map(size), y: known.map(timeOf), mode: 'lines+markers', text: known.map((i) => `${name}, ${bytes(this.bytes[i])}: ${time(timeOf(i))}${isPredicted(i) ? ' (predicted)' : ''}`),
        hovertemplate: '%{text}<extra></extra>', ...more, marker: { size: 6, color: more.line.color, symbol: known.map((i) => (isPredicted(i) ? 'circle-open' : 'circle')) },
      };
    };
    const traces = methods.map((m, k) => {
      const made = trace(this.label(m), (i) => this.time(i, m), (i) => this.isPredicted(i, m), {
        line: { color: this.data.methods[m].colour ? this.colour(m) : colour('--text-2'), width: best.has(m) ? 2.5 : 1, dash: dashes[k % dashes.length] }, visible: best.has(m) ? true : 'legendonly' });
      const { low_us: low, high_us: high } = this.data;
      if (low) {
        const known = instances.filter((i) => this.time(i, m) !== null);
        const at = (i) => i * this.measured + m;
        made.error_y = { type: 'data', symmetric: false, thickness: 1, width: 2, array: known.map((i) => (high[at(i)] ?? this.time(i, m)) - this.time(i, m)), arrayminus: known.map((i) => this.time(i, m) - (low[at(i)] ?? this.time(i, m))) };
      }
      return made;
    }).filter((made) => made.x.length);
    const { default_us: library } = this.data;
    if (library?.some((value) => value !== null)) {
      traces.push(trace('library default', (i) => library[i] ?? null, (i) => this.data.default_predicted?.[i] === 1, { line: { color: colour('--text'), width: 2, dash: 'longdash' } }));
    }
    one('figcaption', this.plots.times.closest('figure')).textContent =
      `Times on ${ranks} ranks${this.data.low_us ? ', with 95 % intervals' : ''}${this.data.predicted ? ' (hollow: predicted)' : ''}; the other methods are shown by a click in the legend`;
    const sizes = [...new Set(instances.map(size))];
    const shown = sizes.filter((_, k) => k % Math.ceil(sizes.length / 10) === 0);
    Plotly.react(this.plots.times, traces, layout({
      xaxis: { type: 'log', title: { text: 'message size [bytes]' }, tickvals: shown, ticktext: shown.map((value) => (value === 0.5 ? '0' : shortBytes(value))) },
      yaxis: { type: 'log', title: { text: 'time [µs]' }, exponentformat: 'none', dtick: 1 }, showlegend: true, legend: { orientation: innerWidth < 760 ? 'h' : 'v', font: { size: 11 }, y: innerWidth < 760 ? -0.3 : 1 },
    }), settings(`${this.data.collective}-times-${ranks}`));
  }

  // Arrows go to the next measured cell that way, Enter keeps the instance, Escape releases it, + and 0 zoom.
  #key(event) {
    const [up, right] = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [0, 0];
    if (event.key === 'Enter') this.pinned = !this.pinned;
    else if (event.key === 'Escape') this.pinned = false;
    else if (event.key === '0') this.#zoomTo(null);
    else if (event.key === '+') this.#zoomIn();
    else if (!up && !right) return;
    event.preventDefault();
    let [row, column] = [this.y.index(this.ranks[this.at]), this.x.index(this.bytes[this.at])];
    do {
      row += up;
      column += right;
    } while (this.cells[row]?.[column] === null);
    this.look(this.cells[row]?.[column]);
  }

  // Half of what is shown, around the instance.
  #zoomIn() {
    const part = (axis, size, [low, high]) => [-1, 1].map((sign) => axis.place(size) + sign * (high - low) / 4);
    const shown = this.#shown();
    this.#zoomTo({ x: part(this.x, this.bytes[this.at], shown.x), y: part(this.y, this.ranks[this.at], shown.y) });
  }

  #marks() {
    const { x, y } = this;
    const [column, row] = [x.index(this.bytes[this.at]), y.index(this.ranks[this.at])];
    const box = { type: 'rect', x0: x.borders[column], x1: x.borders[column + 1], y0: y.borders[row], y1: y.borders[row + 1] };
    return [{ ...box, line: { color: '#ffffff', width: 4 } }, { ...box, line: { color: '#000000', width: 2 } }];
  }

  look(at) {
    if (at === undefined || at === null) return;
    this.at = at;
    const shapes = this.#marks();
    for (const map of Object.values(this.maps)) if (map.isLinked) Plotly.relayout(map, { shapes });
    this.#describe();
    keepView();
  }

  #method(m) { return element('span', { class: 'method' }, element('span', { class: 'swatch', style: this.data.methods[m].colour ? `--c:${this.colour(m)}` : null }), this.label(m)); }

  // The instance: the best, the model, the default, then the times of all methods.
  #describe() {
    const { at, entry, data, library } = this;
    const best = this.best.method[at];
    const runs = this.runs(entry, at);
    const tag = (text, is) => (is ? element('span', { class: 'tag' }, text) : null);
    const fact = (name, ...value) => [element('dt', {}, name), element('dd', {}, ...value)];
    const facts = [fact('Best', this.#method(best), ` ${time(this.time(at, best))}`, tag('predicted', this.isPredicted(at, best)))];
    if (runs !== null) facts.push(fact('Model', this.#method(runs), ` ${entry.penalty[at] === null ? 'cannot run here' : `loses ${percent(entry.penalty[at])}`}`));
    if (library && data.default_us[at] !== null) {
      const beats = data.default_us[at] < this.time(at, best);
      facts.push(fact('Default', time(data.default_us[at]), tag('predicted', data.default_predicted?.[at] === 1), beats ? ', faster than every method' : `, loses ${percent(library.penalty[at])}`));
    }
    const known = [...Array(this.measured).keys()].filter((m) => this.time(at, m) !== null).sort((a, b) => this.time(at, a) - this.time(at, b));
    const interval = (m) => {
      const [low, high] = [data.low_us?.[at * this.measured + m], data.high_us?.[at * this.measured + m]];
      return high > low ? element('small', {}, `${time(low)} – ${time(high)}`) : null;
    };
    const rows = known.map((m) => element('tr', { class: m === runs ? 'chosen' : null },
      element('th', { scope: 'row' }, this.#method(m), tag('model', m === runs), tag('predicted', this.isPredicted(at, m))),
      element('td', { 'data-value': this.time(at, m) }, time(this.time(at, m)), interval(m)),
      element('td', { 'data-value': this.time(at, m) / this.time(at, best) - 1 }, m === best ? 'best' : signed(this.time(at, m) / this.time(at, best) - 1))));
    const head = ['method', data.low_us ? 'time (95 %)' : 'time', 'above best'].map((text) => element('th', { scope: 'col' }, text));
    const nodes = data.instances.ranks_per_node?.[at] ? `, ${data.instances.nodes[at]} × ${data.instances.ranks_per_node[at]}` : '';
    const table = element('table', { class: 'sortable', 'data-name': `${data.collective}-${this.ranks[at]}-${this.bytes[at]}` }, element('caption', {}, 'Times of all methods'),
      element('thead', {}, element('tr', {}, head)), element('tbody', {}, rows));
    one('.cell', this.section).replaceChildren(
      element('h3', { role: 'status' }, `${this.ranks[at]} ranks, ${bytes(this.bytes[at])}`, nodes && element('small', { class: 'note' }, ` (nodes × ranks per node: ${nodes.slice(2)})`)),
      element('p', { class: 'note' }, this.pinned ? 'Kept. Click it again or press Escape on a map to release it.' : 'Point at a map, or use the arrow keys on it; click or Enter keeps an instance.'),
      element('dl', {}, ...facts.flat()), table);
    makeSortable(table);
  }

  // All instances as rows of a CSV.
  table() {
    const { data, library, entry, best } = this;
    const method = (m) => (m === null ? '' : this.label(m));
    return [['collective', 'communicator_size', 'message_size', 'nodes', 'ranks_per_node', 'best_method', 'best_us', 'best_is_predicted', 'model', 'model_method', 'model_penalty', 'default_us', 'default_penalty'],
      ...this.ranks.map((ranks, i) => [data.collective, ranks, this.bytes[i], data.instances.nodes?.[i], data.instances.ranks_per_node?.[i], method(best.method[i]), this.time(i, best.method[i]),
        this.isPredicted(i, best.method[i]) ? 1 : 0, this.name, method(this.runs(entry, i)), entry.penalty[i], data.default_us[i], library?.penalty[i]])];
  }

  // The view as words of a link, and back.
  view() {
    const words = { model: this.controls.model.value, at: `${this.ranks[this.at]},${this.bytes[this.at]}`, times: this.times.value };
    if (this.chosen.entries.length > 1) words.leaves = this.entry.leaves;
    if (this.controls.placement) words.placement = this.controls.placement.value;
    if (this.pinned) words.kept = 1;
    if (this.zoom) words.zoom = [...this.zoom.x, ...this.zoom.y].map((value) => Number(value.toPrecision(6))).join(',');
    return words;
  }

  open(words) {
    const select = (field, value) => { if (field && value !== null && [...field.options].some((option) => option.value === value)) field.value = value; };
    select(this.controls.placement, words.get('placement'));
    select(this.controls.model, words.get('model'));
    select(this.times, words.get('times'));
    this.#place();
    this.#choose();
    const size = this.chosen.entries.findIndex(({ leaves }) => String(leaves) === words.get('leaves'));
    if (size >= 0) this.controls.leaves.value = size;
    const [ranks, size_bytes] = (words.get('at') ?? '').split(',').map(Number);
    const at = this.instances.find((i) => this.ranks[i] === ranks && this.bytes[i] === size_bytes);
    if (at !== undefined) this.at = at;
    this.pinned = words.get('kept') === '1';
    const zoom = (words.get('zoom') ?? '').split(',').map(Number);
    this.zoom = zoom.length === 4 && zoom.every(Number.isFinite) ? { x: zoom.slice(0, 2), y: zoom.slice(2) } : null;
  }
}
