/* The figures of a scenario. */

function addLandscape(parent, view) {
  return view.scenario.choices.map(axis => new Figure(parent, view, {
    name: axis.name,
    label: `Time of each trial by its ${axis.name}.`,
    height: 230,
    rows: () => view.rows,
    x: () => axis,
    y: () => view.scenario.field('time'),
  }));
}

/* Draws the best time so far as steps, over all trials in the order of time. */
function drawProgress(figure) {
  const {context, view: {scenario}, inner: {left, top, width, height}} = figure;
  const xOf = row => left + figure.sx.share(figure.x().value(row)) * width;
  const yOf = time => top + (1 - figure.sy.share(time)) * height;
  let best = Infinity;
  context.beginPath();
  for (const row of scenario.turn) {
    if (scenario.time[row] < best) {
      if (best < Infinity) {
        context.lineTo(xOf(row), yOf(best));
      }
      best = scenario.time[row];
      context.lineTo(xOf(row), yOf(best));
    }
  }
  context.lineTo(left + width, yOf(best));
  context.strokeStyle = colour('winner');
  context.lineWidth = 2;
  context.stroke();
}

/* The x axis is the time of day only if the trials span this many seconds: stored times have whole seconds, and trials of
   several tunings may be days apart. */
const shortestSpan = 5, longestSpan = 86400;

function addProgress(parent, view) {
  const {scenario} = view, tried = scenario.winner?.variants ?? 0;
  parent.hidden = tried > scenario.variants; /* if trials are missing, the best time so far is not known */
  if (parent.hidden) {
    return [];
  }
  const span = most(scenario.rows.map(row => scenario.field('seconds').value(row)));
  const took = scenario.winner?.tuning_s;
  return [new Figure(parent, view, {
    name: 'The line is the best so far',
    label: 'Time of each trial in the order in which they were made, and the best so far.',
    height: 300,
    rows: () => view.rows,
    x: () => scenario.field(span >= shortestSpan && span <= longestSpan ? 'seconds' : 'trial'),
    y: () => scenario.field('time'),
    note: took ? `; the tuning took ${took.toPrecision(3)} s` : '',
    over: drawProgress,
  })];
}

/* ---- any field against any other ---- */

/* Returns the time of the same configuration in another scenario, as a field. */
function timeIn(other, scenario) {
  let times;
  const read = () => {
    other.open();
    return new Map(other.column.configuration.map((text, row) => [text, other.time[row]]));
  };
  return {name: `time in ${other.title}, ${other.gpu}`, isTime: true, text: value => other.duration(value),
    value: row => (times ??= read()).get(scenario.column.configuration[row]) ?? NaN};
}

function addExplorer(parent, view) {
  const {scenario} = view;
  const others = view.scenarios.filter(other => other !== scenario && other.kernel === scenario.kernel);
  const fields = [...scenario.fields, ...others.map(other => timeIn(other, scenario))];
  const choose = (id, label, chosen) => create('label', {}, label, create('select', {id, onchange: () => view.changed()},
    ...fields.map(({name}, i) => create('option', {value: name, selected: i === chosen}, name))));
  const [x, y] = [choose('x', 'Across ', 2), choose('y', 'Up ', 0)];
  parent.append(create('p', {className: 'row'}, x, y));
  const field = label => () => fields.find(one => one.name === label.lastChild.value);
  return new Figure(parent, view, {
    name: 'Each point is a trial',
    label: 'Two figures or axes of each trial against each other.',
    height: 300,
    rows: () => view.rows.filter(row => !Number.isNaN(field(x)().value(row))),
    x: field(x),
    y: field(y),
  });
}

/* ---- default and winner, and the limits of the GPU ---- */

/* Returns a row of a list of bars: {name, share of the bar's place, low, high (of an interval), text, color}. */
function bar({name, share, low, high, text, color}) {
  const part = (kind, from, to) => {
    const out = create('span', {className: kind});
    out.style.left = percent(Math.min(1, from));
    out.style.width = percent(Math.min(1, to) - Math.min(1, from));
    return out;
  };
  const fill = part('fill', 0, share);
  fill.style.backgroundColor = `var(--${color})`;
  return create('tr', {}, create('th', {scope: 'row'}, name),
    create('td', {className: 'track'}, fill, high > low ? part('span', low, high) : null), create('td', {}, text));
}

function addStanding(parent, scenario) {
  const {median_ns: median, low_ns: low, high_ns: high} = scenario.column;
  const rows = [['default', scenario.defaultRow], ['winner', scenario.winnerRow]].filter(([, row]) => scenario.time[row] > 0);
  const end = 1.02 * most(rows.map(([, row]) => Math.max(high[row], median[row])));
  parent.append(create('table', {className: 'bars', 'aria-label': 'Median times with their 95% intervals'},
    ...rows.map(([name, row]) => bar({name: term(name), color: name, share: median[row] / end, low: low[row] / end,
      high: high[row] / end, text: scenario.duration(median[row]) + scenario.interval(low[row], high[row])}))));
}

/* Returns the limits of a record, {name, share, text}, the nearest first. */
function limitsOf(record, {peak_flops_per_s: peak, peak_units: units}) {
  const out = [];
  if (record.copy_share > 0) {
    out.push({name: 'memory', share: record.copy_share, text: `${rate(record.bytes_per_s)}B/s, ` +
      `${percent(record.copy_share)} of a copy's ${rate(record.copy_bytes_per_s)}B/s`});
  }
  if (peak && record.flops_per_s > 0) {
    const share = record.flops_per_s / peak;
    out.push({name: 'arithmetic', share, text: `${rate(record.flops_per_s)}FLOP/s, ${percent(share)} of ` +
      `${rate(peak)}FLOP/s (${units})`});
  }
  return out.sort((a, b) => b.share - a.share);
}

function addLimits(parent, scenario) {
  const rows = [['default', scenario.standard], ['winner', scenario.winner]].filter(([, record]) => record)
    .flatMap(([color, record]) => limitsOf(record, scenario).map(limit => ({...limit, color})));
  rows.sort((a, b) => a.name < b.name ? 1 : a.name > b.name ? -1 : 0);
  if (rows.length) {
    parent.append(create('h4', {}, 'Share of the limits of this GPU'), create('table', {className: 'bars'},
      ...rows.map(row => bar({...row, name: create('span', {}, term(row.name), `, ${row.color}`)}))));
  }
}

const drawing = document.querySelector('svg').namespaceURI;

function svg(tag, properties, ...children) {
  const element = document.createElementNS(drawing, tag);
  for (const [name, value] of Object.entries(properties)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/* Draws winners and defaults of this GPU below its limits: the bandwidth of a copy, and the peak of the units. */
function addRoofline(parent, view) {
  const {scenario} = view;
  const points = view.scenarios.filter(other => other.environment === scenario.environment).flatMap(other =>
    [other.standard, other.winner].filter(record => record?.flops_per_s && record.bytes && record.copy_bytes_per_s)
      .map(record => ({other, record, x: record.flops / record.bytes, y: record.flops_per_s})));
  parent.hidden = !points.some(point => point.other === scenario);
  if (parent.hidden) {
    return;
  }
  const copy = points[0].record.copy_bytes_per_s;
  const peaks = new Map(points.filter(({other}) => other.peak_units).map(({other}) => [other.peak_units, other.peak_flops_per_s]));
  const xs = points.map(point => point.x), top = Math.max(...peaks.values(), ...points.map(point => point.y));
  const [left, right] = [least(xs) / 2, Math.max(most(xs), top / copy) * 4], height = 260;
  const sx = logarithmic(left, right, value => String(Number(value.toPrecision(2))));
  const sy = logarithmic(least(points.map(point => point.y)) / 2, top * 2, value => `${rate(value)}FLOP/s`);
  const xOf = x => percent(sx.share(x)), yOf = y => height * (1 - sy.share(y));
  const text = (x, y, content, anchor) => svg('text', {x, y, 'text-anchor': anchor}, content);
  const line = (x1, y1, x2, y2) => svg('line', {x1: xOf(x1), y1: yOf(y1), x2: xOf(x2), y2: yOf(y2)});
  const out = svg('svg', {width: '100%', height: height + 38, role: 'group', 'aria-label': 'Roofline'},
    ...sx.ticks.filter((_, i) => i % Math.ceil(sx.ticks.length / 5) === 0).map(([value, label]) => text(xOf(value), height + 16, label, 'middle')),
    ...sy.ticks.filter((_, i) => i % Math.ceil(sy.ticks.length / 8) === 0).map(([value, label]) => text(-8, yOf(value) + 4, label, 'end')),
    text('50%', height + 34, 'FLOP for each byte of work()', 'middle'),
    line(left, copy * left, Math.min(right, top / copy), Math.min(top, copy * right)),
    ...[...peaks].flatMap(([name, peak]) => [line(peak / copy, peak, right, peak), text('100%', yOf(peak) - 5, name, 'end')]),
    ...points.map(({other, record, x, y}) => svg('a', {href: view.addressOf(other)},
      svg('circle', {cx: xOf(x), cy: yOf(y), r: other === scenario ? 6 : 4, opacity: other === scenario ? 1 : 0.35,
        fill: `var(--${record.is_winner ? 'winner' : 'default'})`}),
      svg('title', {}, `${other.title}: ${record.is_winner ? 'winner' : 'default'}, ${rate(y)}FLOP/s, ` +
        `${Number(x.toPrecision(3))} FLOP a byte`))));
  parent.append(create('div', {className: 'roof'}, out), create('p', {className: 'hint'}, 'Faint points are the other scenarios of this GPU; a click opens one.'));
}
