/* The figures of a scenario. */

const axisTime = (view, scenario = view.scenario) => () => {
  const least = scenario.best, most = Math.max(scenario.worst, least * 1.001);
  const margin = (most - least) / 20, factor = (most / least) ** 0.05;
  const label = value => value ? scaled(value, scenario.units) : '0';
  return view.scale === 'log' ? logarithmic(least / factor, most * factor, label)
    : linear(view.scale === 'zero' ? 0 : least - margin, most + margin, label);
};

function addLandscape(parent, view) {
  return view.scenario.choices.map(axis => new Figure(parent, view, {
    name: axis.name,
    label: `Time of each trial by its ${axis.name}. Arrow keys walk through the trials, the fastest first.`,
    height: 230,
    rows: () => view.rows.filter(row => axis.of[row] >= 0),
    x: row => axis.of[row],
    y: row => view.scenario.time[row],
    scaleX: () => categories(axis.values),
    scaleY: axisTime(view),
    xTitle: axis.name,
  }));
}

/* The fastest trial until then, as steps, over all trials in the order in which they were tried. */
function drawProgress(figure) {
  const {context, view: {scenario}, inner: {left, top, width, height}} = figure;
  const xOf = row => left + figure.sx.share(figure.x(row)) * width;
  const yOf = time => top + (1 - figure.sy.share(time)) * height;
  let best = Infinity, end = left;
  context.beginPath();
  for (const row of scenario.turn) {
    if (scenario.time[row] < best) {
      if (best < Infinity) {
        context.lineTo(xOf(row), yOf(best));
      }
      best = scenario.time[row];
      context.lineTo(xOf(row), yOf(best));
      end = row;
    }
  }
  if (best < Infinity) {
    context.lineTo(Math.max(xOf(end), left + width), yOf(best));
  }
  context.strokeStyle = colour('winner');
  context.lineWidth = 2;
  context.stroke();
}

/* Times have whole seconds, and trials may be of several tunings: in seconds, between these. */
const shortest = 5, longest = 86400;

function addProgress(parent, view) {
  const {scenario} = view, took = scenario.records.map(record => record.tuning_s).find(Boolean);
  const times = scenario.column.created.map(text => Date.parse(text) / 1000);
  const from = times.reduce((least, time) => Math.min(least, time), Infinity);
  const span = times.reduce((most, time) => Math.max(most, time), from) - from;
  const bySeconds = span >= shortest && span <= longest;
  return new Figure(parent, view, {
    name: 'Best so far, in the order in which variants were tried',
    label: 'Time of each trial by its turn, and the best so far. Arrow keys walk through the trials.',
    height: 260,
    rows: () => view.rows,
    x: row => bySeconds ? times[row] - from : scenario.place[row],
    y: row => scenario.time[row],
    scaleX: () => linear(0, bySeconds ? span + 1 : scenario.variants + 1, String),
    scaleY: axisTime(view),
    xTitle: (bySeconds ? 'seconds' : 'trial') + (took ? `; the tuning of the winner took ${took.toPrecision(3)} s` : ''),
    over: drawProgress,
  });
}

/* ---- all axes at once: a line for each trial ---- */

const mostLines = 1500;

class Parallel extends Figure {
  /* The fastest, and some of the others. */
  place() {
    const {scenario} = this.view, all = this.view.byTime().filter(row => scenario.isTimed[row]);
    const half = mostLines / 2, rest = all.slice(half), every = Math.max(1, rest.length / half);
    const others = Array.from({length: Math.min(half, rest.length)}, (_, i) => rest[Math.floor(i * every)]);
    this.shown = [...others.reverse(), ...all.slice(0, half).reverse()];
    this.columns = [
      {name: 'time', scale: axisTime(this.view)(), value: row => scenario.time[row]},
      ...scenario.choices.map(axis => ({name: axis.name, scale: categories(axis.values), value: row => axis.of[row]})),
    ];
  }

  xOf(column) {
    return this.inner.left + this.inner.width * column / Math.max(1, this.columns.length - 1);
  }

  yOf(column, row) {
    const {scale, value} = this.columns[column];
    const spread = scale.width ? ((row * 0.618034) % 1 - 0.5) * 0.5 * scale.width : 0;
    return this.inner.top + (1 - scale.share(value(row)) - spread) * this.inner.height;
  }

  trace(row) {
    this.columns.forEach((_, column) => this.context.lineTo(this.xOf(column), this.yOf(column, row)));
  }

  paint() {
    const context = this.context;
    context.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
    context.globalAlpha = this.shown.length > 200 ? 0.25 : 0.5;
    this.shown.forEach((row, i) => {
      context.beginPath();
      context.strokeStyle = colour(i >= this.shown.length * 0.9 ? 'trial' : 'lost');
      this.trace(row);
      context.stroke();
    });
    context.globalAlpha = 1;
    return context.getImageData(0, 0, this.canvas.width, this.canvas.height);
  }

  drawAxes() {
    const {context, inner: {top, height}} = this;
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    this.columns.forEach(({name, scale}, column) => {
      const x = this.xOf(column);
      context.strokeStyle = colour('faint');
      context.lineWidth = 1;
      context.strokeRect(x, top, 0, height);
      context.textAlign = column ? 'center' : 'right';
      context.fillStyle = colour('ink');
      context.fillText(name, x, top - 11);
      for (const [value, label] of scale.ticks) {
        const y = top + (1 - scale.share(value)) * height;
        context.fillStyle = colour('paper');
        const wide = context.measureText(label).width + 4;
        context.globalAlpha = 0.75;
        context.fillRect(column ? x - wide / 2 : x - wide - 2, y - 7, wide, 14);
        context.globalAlpha = 1;
        context.fillStyle = colour('faint');
        context.fillText(label, column ? x : x - 4, y);
      }
    });
  }

  mark(row, name) {
    if (row >= 0 && Number.isFinite(this.view.scenario.time[row])) {
      this.context.beginPath();
      this.context.strokeStyle = colour(name);
      this.context.lineWidth = 2.5;
      this.trace(row);
      this.context.stroke();
    }
  }

  at(row) {
    return [this.inner.left, this.yOf(0, row)];
  }

  nearest(x, y) {
    const last = this.columns.length - 1, width = this.inner.width / Math.max(1, last);
    const at = (x - this.inner.left) / width, column = Math.max(0, Math.min(last - 1, Math.floor(at)));
    let found = -1, least = 8;
    for (let i = this.shown.length; last && i-- > 0;) {
      const row = this.shown[i], from = this.yOf(column, row), to = this.yOf(column + 1, row);
      const distance = Math.abs(from + (to - from) * (at - column) - y);
      if (distance < least) {
        least = distance;
        found = row;
      }
    }
    return found;
  }
}

function addParallel(parent, view) {
  return new Parallel(parent, view, {
    name: `Each line is a trial, of at most ${mostLines}: the fastest, and a sample of the others`,
    label: 'All axes of each trial as a line. Arrow keys walk through the trials, the fastest first.',
    height: 300,
  });
}

/* ---- the same configurations in another scenario ---- */

function addElsewhere(parent, view) {
  const {scenario} = view;
  const others = view.scenarios.filter(other => other !== scenario && other.kernel === scenario.kernel);
  if (!others.length) {
    return null;
  }
  const choice = create('select', {id: 'other'}, ...others.map((other, i) =>
    create('option', {value: String(i)}, view.nameOf(other))));
  parent.append(create('h3', {}, 'The same variants elsewhere'),
    create('p', {}, create('label', {htmlFor: 'other'}, 'Time here against time with '), choice));
  let there;
  const take = () => {
    const other = others[Number(choice.value)];
    other.open();
    const times = new Map(other.column.configuration.map((text, row) => [text, other.time[row]]));
    there = {other, times: scenario.column.configuration.map(text => times.get(text) ?? NaN)};
  };
  const figure = new Figure(parent, view, {
    name: 'Variants that were timed in both',
    label: 'Time of each variant here by its time in the other scenario. Arrow keys walk through the trials.',
    height: 320,
    rows: () => view.rows.filter(row => there.times[row] > 0 && scenario.time[row] > 0),
    x: row => there.times[row],
    y: row => scenario.time[row],
    scaleX: () => axisTime(view, there.other)(),
    scaleY: axisTime(view),
    xTitle: 'time there',
    over: self => self.mark(scenario.column.configuration.indexOf(there.other.configuration), 'trial', 8),
  });
  choice.addEventListener('change', () => {
    take();
    figure.refresh();
  });
  take();
  return figure;
}

/* ---- default and winner, and what this GPU could do ---- */

const drawing = document.querySelector('svg').namespaceURI;

function svg(tag, properties, ...children) {
  const element = document.createElementNS(drawing, tag);
  for (const [name, value] of Object.entries(properties)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/* Rows {name, value, low, high, text, color} as bars from 0 with their intervals. */
function bars(label, rows) {
  const most = Math.max(...rows.map(row => row.high || row.value)), scale = 380 / most;
  const out = svg('svg', {width: 860, height: 26 * rows.length + 4, role: 'img', 'aria-label':
    `${label}: ${rows.map(row => `${row.name} ${row.text}`).join('; ')}`, viewBox: `0 0 860 ${26 * rows.length + 4}`});
  rows.forEach(({name, value, low, high, text, color}, i) => {
    const y = 26 * i + 4;
    out.append(svg('text', {x: 84, y: y + 14, 'text-anchor': 'end'}, name),
      svg('rect', {x: 92, y, width: value * scale, height: 20, fill: `var(--${color})`, opacity: 0.75}));
    if (low > 0 && high > 0) {
      const [from, to] = [92 + low * scale, 92 + high * scale];
      out.append(svg('path', {d: `M${from} ${y + 3}v14M${from} ${y + 10}H${to}M${to} ${y + 3}v14`,
        stroke: 'var(--ink)', fill: 'none'}));
    }
    out.append(svg('text', {x: 92 + (high || value) * scale + 8, y: y + 14, class: 'faint'}, text));
  });
  return out;
}

function addStanding(parent, scenario) {
  const of = row => {
    const {median_ns: median, low_ns: low, high_ns: high} = scenario.column;
    return {value: median[row], low: low[row], high: high[row],
      text: `${scenario.duration(median[row])} [${scenario.duration(low[row])}, ${scenario.duration(high[row])}]`};
  };
  const rows = [['default', scenario.defaultRow], ['winner', scenario.winnerRow]]
    .filter(([, row]) => row >= 0 && scenario.isTimed[row])
    .map(([name, row]) => ({name, color: name, ...of(row)}));
  if (rows.length) {
    parent.append(bars('Median time with its 95% interval', rows));
  }
}

/* How far default and winner are from what was measured as this GPU's ceiling. */
function addCeiling(parent, scenario) {
  const rows = scenario.records
    .filter(record => (record.configuration === scenario.configuration && record.is_winner) || record.is_default)
    .filter(record => record.copy_share > 0)
    .map(record => ({name: record.is_winner ? 'winner' : 'default', color: record.is_winner ? 'winner' : 'default',
      value: record.copy_share,
      text: `${rate(record.bytes_per_s)}B/s, ${percent(record.copy_share)} of a copy's bandwidth` +
        (record.flops_per_s ? `; ${rate(record.flops_per_s)}FLOP/s` : '')}));
  if (rows.length) {
    const copy = scenario.records[0].copy_bytes_per_s;
    rows.push({name: 'copy', color: 'lost', value: 1, text: `${rate(copy)}B/s, measured from device to device`});
    parent.append(create('h3', {}, 'Distance to the ceiling'), bars('Bandwidth', rows));
  }
}

/* Winners and defaults of this GPU by their arithmetic and its rate, under the roof that the measured
 * bandwidth is. A roof of arithmetic is not measured, and not drawn. */
function addRoofline(parent, view) {
  const points = view.scenarios.filter(other => other.environment === view.scenario.environment).flatMap(other =>
    other.records.filter(record => record.flops_per_s && record.bytes && record.copy_bytes_per_s)
      .map(record => ({other, record, x: record.flops / record.bytes, y: record.flops_per_s})));
  if (!points.length) {
    return;
  }
  const copy = points[0].record.copy_bytes_per_s, xs = points.map(point => point.x), ys = points.map(point => point.y);
  const [left, right] = [Math.min(...xs) / 4, Math.max(...xs) * 4];
  const sx = logarithmic(left, right, value => String(Number(value.toPrecision(2))));
  const sy = logarithmic(Math.min(...ys, copy * left) / 2, copy * right, value => `${rate(value)}FLOP/s`);
  const xOf = x => 92 + 740 * sx.share(x), yOf = y => 240 - 225 * sy.share(y);
  const mine = points.filter(point => point.other === view.scenario);
  const out = svg('svg', {width: 860, height: 280, viewBox: '0 0 860 280', role: 'img', 'aria-label':
    `Roofline: ${mine.map(({record, x, y}) => `${record.is_winner ? 'winner' : 'default'} ${rate(y)}FLOP/s at ` +
      `${x.toPrecision(3)} FLOP a byte, of ${rate(copy * x)}FLOP/s that a copy's bandwidth allows`).join('; ')}`});
  const text = (x, y, content, anchor) => svg('text', {x, y, 'text-anchor': anchor, class: 'faint'}, content);
  out.append(...sx.ticks.map(([value, label]) => text(xOf(value), 257, label, 'middle')),
    ...sy.ticks.map(([value, label]) => text(86, yOf(value) + 4, label, 'end')),
    text(462, 274, 'FLOP for each byte of work()', 'middle'),
    svg('path', {d: 'M92 15V240H832', stroke: 'var(--line)', fill: 'none'}),
    svg('path', {d: `M${xOf(left)} ${yOf(copy * left)}L${xOf(right)} ${yOf(copy * right)}`, stroke: 'var(--lost)',
      'stroke-width': 2}),
    ...points.map(({other, record, x, y}) => svg('circle', {cx: xOf(x), cy: yOf(y), r: 5,
      fill: `var(--${record.is_winner ? 'winner' : 'default'})`, opacity: other === view.scenario ? 1 : 0.3},
    svg('title', {}, `${other.title}: ${record.is_winner ? 'winner' : 'default'}, ${rate(y)}FLOP/s`))));
  parent.append(create('div', {className: 'wide'}, out),
    create('p', {className: 'hint'}, "The line is what a copy's bandwidth allows; faint points are other scenarios of this GPU."));
}
