/* The tables: scenarios, the worth of the axes, and all trials, of which only the visible rows exist. */

function cell(text, kind = '') {
  return create('td', {className: kind}, text ?? '');
}

/* Orders two values of a column; unknown values come last. */
function compareCells(a, b) {
  const known = value => value !== undefined && value !== null && value !== '' && !Number.isNaN(value);
  if (!known(a) || !known(b)) {
    return known(b) - known(a);
  }
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareValues(String(a), String(b));
}

/* Makes a row of column titles, whose buttons call `sort` with the column and 1 or -1. */
function headings(columns, sort) {
  const row = create('tr');
  for (const column of columns) {
    const button = explain(create('button', {type: 'button'}, column.title));
    const head = create('th', {scope: 'col', className: column.kind ?? ''}, button);
    button.addEventListener('click', () => {
      const direction = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      for (const other of row.children) {
        other.removeAttribute('aria-sort');
      }
      head.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
      sort(column, direction);
    });
    row.append(head);
  }
  return row;
}

const flags = ['tie', 'noisy', 'modelled', 'unfinished', 'unproved', 'unreferenced', 'outdated'];
const flagsOf = record => flags.filter(name => record?.[name]);

/* The list of scenarios. A column is left out if all scenarios have the same text there. */
class Overview {
  constructor(parent, view) {
    const plain = (title, read, kind = 'more') => ({title, kind, value: read, text: read});
    const figure = (title, read, text, kind = '') => ({title, kind: `number ${kind}`, value: read,
      text: scenario => read(scenario) ? text(read(scenario), scenario) : ''});
    const limit = one => one.winner && limitsOf(one.winner, one)[0];
    const columns = [
      {title: 'scenario', value: one => one.title, text: one => create('a', {href: view.addressOf(one)}, one.title)},
      plain('GPU', one => one.gpu, ''),
      plain('objective', one => one.objective),
      figure('default', one => one.winner?.default_ns, (value, one) => one.duration(value), 'more'),
      figure('winner', one => one.winner?.median_ns, (value, one) => one.duration(value)),
      figure('speed-up', one => one.winner?.speedup, value => `${value.toFixed(3)}x`),
      figure('of limit', one => limit(one)?.share, (share, one) => `${percent(share)} ${limit(one).name}`, 'more'),
      figure('trials', one => one.variants, String, 'more'),
      plain('measured', one => (one.winner?.created ?? one.column.created[0]).slice(0, 10)),
      plain('flags', one => flagsOf(one.winner).join(', ')),
    ].filter(({title, value}, i) => !i || title === 'winner' || new Set(view.scenarios.map(value)).size > 1);
    this.lines = new Map(view.scenarios.map(one => [one, create('tr', {}, ...columns.map(({kind, text}) => cell(text(one), kind)))]));
    const stored = new Set(view.scenarios.map(one => one.label));
    const waiting = report.tuning.filter(label => !stored.has(label)).map(label =>
      create('tr', {}, cell(`${label} (being tuned; no trial is stored yet)`)));
    this.body = create('tbody', {}, ...waiting, ...this.lines.values());
    const sort = (column, direction) => this.body.append(...[...this.lines]
      .sort(([a], [b]) => direction * compareCells(column.value(a), column.value(b))).map(([, line]) => line));
    parent.append(create('table', {'aria-label': 'Scenarios'}, create('thead', {}, headings(columns, sort)), this.body));
  }

  /* Shows the scenarios that have all words of the text, and returns their number. */
  search(text) {
    const words = text.toLowerCase().split(/\s+/);
    const has = line => words.every(part => line.textContent.toLowerCase().includes(part));
    this.lines.forEach(line => { line.hidden = !has(line); });
    return [...this.lines.values()].filter(line => !line.hidden).length;
  }

  choose(scenario) {
    this.lines.forEach((line, one) => line.classList.toggle('chosen', one === scenario));
    this.lines.get(scenario).scrollIntoView({block: 'nearest'});
  }
}

/* ---- the worth of each axis, with the figures of `gputune show --why` ---- */

function valueText({cost, measured, launched, evidence}) {
  return cost === null ? (measured ? `unknown (${measured + launched})` : 'none works')
    : `${evidence === 'measured' || cost < 0.0005 ? '' : '≤ '}${costText(cost)} (${measured + launched})`;
}

function addWorth(parent, scenario) {
  const axes = [...Map.groupBy(scenario.worth, row => row.axis)].map(([name, values]) => [name, values, scenario.costOf(name)])
    .sort(([, , a], [, , b]) => b - a);
  const longest = Math.log1p(most(axes.map(([, , cost]) => cost)));
  const chip = row => {
    const text = valueText(row), kind = row.is_winner ? 'winner' : row.is_default ? 'default' : '';
    const word = row.cost === null ? (row.measured ? 'unknown' : 'none works') : text.startsWith('≤') ? '≤' : '';
    return create('span', {className: `chip ${kind}`}, create('b', {}, row.value), ' ',
      word ? term(text, word) : text, kind ? ` ${kind}` : '');
  };
  const lines = axes.map(([name, values, cost]) => {
    const length = costText(cost) === '0%' ? 0 : Math.log1p(cost) / longest;
    const track = create('td', {className: 'track'}, length ? create('span', {className: 'fill'}) : null);
    track.firstChild?.style.setProperty('width', percent(length));
    const chips = values.sort((a, b) => compareValues(a.value, b.value)).map(chip);
    return create('tr', {}, create('th', {scope: 'row'}, name), track, create('td', {}, create('div', {className: 'chips'}, ...chips)));
  });
  parent.append(lines.length
    ? create('table', {className: 'bars', 'aria-labelledby': 'axes-title'},
      create('thead', {}, create('tr', {}, ...['axis', 'worth', 'held at'].map(title => create('th', {scope: 'col'}, term(title))))),
      create('tbody', {}, ...lines))
    : create('p', {className: 'empty'}, 'No axis has more than one value that was tried.'));
}

/* ---- two axes ---- */

class HeatMap {
  constructor(parent, view) {
    this.view = view;
    const axes = view.scenario.choices;
    this.parent = create('div');
    if (axes.length < 2) {
      parent.append(create('p', {className: 'empty'}, 'There are no two axes with several values.'));
      return;
    }
    const choose = (id, label, chosen) => create('label', {}, label, create('select', {id, onchange: () => view.changed()},
      ...axes.map(({name}, i) => create('option', {value: name, selected: i === chosen}, name))));
    this.choices = [choose('down', 'Down ', 0), choose('across', 'Across ', 1)];
    parent.append(create('p', {className: 'row'}, ...this.choices), this.parent);
  }

  /* Returns the fastest trial of each pair of values. */
  find(down, across) {
    const best = new Int32Array(down.values.length * across.values.length).fill(-1), {time} = this.view.scenario;
    for (const row of this.view.rows) {
      const at = down.of[row] * across.values.length + across.of[row];
      if (down.of[row] >= 0 && across.of[row] >= 0 && time[row] > 0 && !(time[best[at]] <= time[row])) {
        best[at] = row;
      }
    }
    return best;
  }

  cell(row, span) {
    const {scenario} = this.view;
    if (row < 0) {
      return cell('–');
    }
    const over = scenario.time[row] / scenario.best - 1, out = cell(costText(over), over === 0 ? 'best' : '');
    const share = Math.round(75 * (1 - Math.log1p(over) / Math.log1p(span || 1)));
    out.style.backgroundColor = `color-mix(in srgb, var(--trial) ${share}%, var(--paper))`;
    out.addEventListener('pointermove', event => tip.show(scenario.lines(row), event.clientX, event.clientY));
    out.addEventListener('pointerleave', () => tip.hide());
    out.addEventListener('click', () => this.view.hold(row));
    return out;
  }

  refresh() {
    if (!this.choices) {
      return;
    }
    const [down, across] = this.choices.map(({lastChild: {value}}) => this.view.scenario.axes.find(axis => axis.name === value));
    const best = this.find(down, across), {time, best: least} = this.view.scenario;
    const span = best.reduce((most, row) => row < 0 ? most : Math.max(most, time[row] / least - 1), 0);
    const lines = down.values.map((value, i) => create('tr', {}, create('th', {scope: 'row'}, value),
      ...across.values.map((_, j) => this.cell(best[i * across.values.length + j], span))));
    this.parent.replaceChildren(create('table', {className: 'heat',
      'aria-label': `The best time by ${down.name} and ${across.name}, over the best of all`},
    create('thead', {}, create('tr', {}, create('th', {scope: 'col'}, `${down.name} \\ ${across.name}`),
      ...across.values.map(value => create('th', {scope: 'col'}, value)))),
    create('tbody', {}, ...lines)));
  }
}

/* ---- all trials ---- */

const rowHeight = 26, spareRows = 8;

class TrialTable {
  constructor(parent, view) {
    const {scenario} = view, {column} = scenario;
    this.view = view;
    this.parent = parent;
    const figure = (field, kind = '') => ({title: field.name, kind: `number ${kind}`, value: field.value,
      text: row => scenario.textOf(field, row)});
    const figures = (names, kind) => names.map(name => figure(scenario.field(name), kind));
    this.columns = [
      ...figures(['trial']),
      ...scenario.choices.map((axis, i) => figure(axis, i < 2 ? '' : 'more')),
      ...figures(['time', 'slower']),
      {title: 'outcome', kind: 'outcome', value: row => column.status[row], text: row =>
        column.message[row] ? `${column.status[row]}: ${column.message[row]}` : column.status[row]},
      ...figures(['registers', 'spills', 'shared', 'occupancy', 'samples', 'compile'], 'more'),
    ];
    this.body = create('tbody');
    this.table = create('table', {'aria-label': 'All trials'},
      create('thead', {}, headings(this.columns, (by, direction) => this.sort(by, direction))), this.body);
    parent.replaceChildren(this.table);
    parent.onscroll = () => this.draw();
  }

  sort(by, direction) {
    this.by = by;
    this.direction = direction;
    this.refresh();
  }

  refresh() {
    this.order = this.view.byTime();
    if (this.by) {
      const keys = new Map(Array.from(this.order, row => [row, this.by.value(row)]));
      this.order = Array.from(this.order).sort((a, b) => this.direction * compareCells(keys.get(a), keys.get(b)));
    }
    this.parent.style.height = `${Math.min(16, this.order.length + 2) * rowHeight}px`;
    this.table.setAttribute('aria-rowcount', this.order.length + 1);
    this.drawn = undefined;
    this.draw();
  }

  /* Makes the visible rows, between two empty rows that are as high as the rows that are not visible. */
  draw() {
    const fit = Math.ceil(this.parent.clientHeight / rowHeight) + 2 * spareRows;
    const first = Math.max(0, Math.min(this.order.length - fit, Math.floor(this.parent.scrollTop / rowHeight) - spareRows));
    if (first === this.drawn) {
      return;
    }
    this.drawn = first;
    const rows = Array.from(this.order.slice(first, first + fit));
    this.body.replaceChildren(this.space(first), ...rows.map((row, i) => this.line(row, first + i)),
      this.space(this.order.length - first - rows.length));
  }

  /* Scrolls to a trial. */
  reveal(row) {
    const index = this.order.indexOf(row);
    this.parent.scrollTop = Math.max(0, (index + 1) * rowHeight - this.parent.clientHeight / 2);
  }

  space(count) {
    const line = create('tr', {className: 'space', 'aria-hidden': 'true'}, create('td', {colSpan: this.columns.length}));
    line.style.height = `${count * rowHeight}px`;
    return line;
  }

  line(row, index) {
    const {scenario, held} = this.view;
    const line = create('tr', {'aria-rowindex': index + 2, onclick: () => this.view.hold(row === held ? -1 : row, false)},
      ...this.columns.map(({kind, text}) => cell(String(text(row)), kind)));
    line.classList.toggle('winner', row === scenario.winnerRow);
    line.classList.toggle('default', row === scenario.defaultRow);
    line.classList.toggle('held', row === held);
    return line;
  }
}

/* ---- provenance ---- */

function addProvenance(list, scenario) {
  const record = scenario.winner ?? scenario.records[0] ?? {};
  const clocks = [record.sm_clock_khz && `SMs ${record.sm_clock_khz / 1000} MHz`,
    record.memory_clock_khz && `memory ${record.memory_clock_khz / 1000} MHz`].filter(Boolean).join(', ');
  const facts = {
    'GPU': `${scenario.gpu}${record.arch ? `, ${record.arch}` : ''}${record.sm_count ? `, ${record.sm_count} SMs` : ''}`,
    'measured by': record.origin,
    'highest clocks': clocks,
    'driver': version(record.driver_version),
    'NVRTC': version(record.nvrtc_version),
    'date': record.created,
    'objective': record.objective && `${record.objective}, ${record.cache} cache`,
    'inputs': [record.inputs, record.alignment && `aligned to ${record.alignment} bytes`].filter(Boolean).join(', '),
    'tuning': [record.tuning_s && `${record.tuning_s.toPrecision(3)} s`, scenario.stop_reason].filter(Boolean).join('; '),
    'winner': scenario.configuration,
    'flags': flagsOf(record).join(', '),
    'launched as': record.grid && `grid ${record.grid}, block ${record.block}`,
    'scenario': scenario.scenario, 'environment': scenario.environment, 'template': record.identity,
    'written by': `gputune ${report.gputune}`,
  };
  list.replaceChildren(...Object.entries(facts).filter(([, value]) => value)
    .flatMap(([name, value]) => [create('dt', {}, name), create('dd', {}, value)]));
}

function addSource(parent, scenario) {
  parent.replaceChildren();
  if (scenario.code) {
    parent.append(create('details', {}, create('summary', {}, "The winner's source"),
      create('pre', {tabIndex: 0}, scenario.code)));
  }
}
