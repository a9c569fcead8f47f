/* Tables: of the scenarios, of the axes, of two axes, and of all trials, of which only those in sight
 * are there. */

function cell(text, kind = '') {
  return create('td', {className: kind}, text ?? '');
}

/* A table of `rows` by `columns` {title, kind, value(row), text(row)}, which its titles sort. */
function sortable(label, columns, rows, decorate) {
  const body = create('tbody');
  const fill = () => body.replaceChildren(...rows.map(row => {
    const line = create('tr', {}, ...columns.map(({kind, text}) => cell(text(row), kind)));
    decorate?.(line, row);
    return line;
  }));
  const head = headings(columns, (column, direction) => {
    rows.sort((a, b) => direction * compareCells(column.value(a), column.value(b)));
    fill();
  });
  fill();
  return create('table', {'aria-label': label}, create('thead', {}, head), body);
}

/* What is not known comes last. */
function compareCells(a, b) {
  const known = value => value !== undefined && value !== null && value !== '' && !Number.isNaN(value);
  if (!known(a) || !known(b)) {
    return known(b) - known(a);
  }
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareValues(String(a), String(b));
}

/* Titles that are buttons; `sort` is told the column and 1 or -1. */
function headings(columns, sort) {
  const row = create('tr');
  for (const column of columns) {
    const button = create('button', {type: 'button'}, column.title);
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

function flagsOf(record) {
  return ['tie', 'noisy', 'modelled', 'unfinished', 'unproved', 'unreferenced', 'outdated']
    .filter(name => record[name]).join(', ');
}

function addOverview(parent, view) {
  const winner = scenario => scenario.records.find(record => record.is_winner && record.configuration === scenario.configuration);
  const figure = (title, read, text) => ({title, kind: 'number', value: scenario => read(winner(scenario) ?? {}),
    text: scenario => winner(scenario) ? text(read(winner(scenario)), scenario) : ''});
  const plain = (title, read) => ({title, value: read, text: read});
  const columns = [
    {title: 'scenario', value: scenario => scenario.title, text: scenario => {
      const open = create('a', {href: '#scenario-title', onclick: () => view.open(scenario)}, scenario.title);
      return open;
    }},
    plain('GPU', scenario => scenario.gpu),
    plain('objective', scenario => scenario.objective),
    figure('default', record => record.default_ns, (value, scenario) => scenario.duration(value)),
    figure('winner', record => record.median_ns, (value, scenario) => scenario.duration(value)),
    figure('speed-up', record => record.speedup, value => value ? `${value.toFixed(3)}x` : ''),
    figure('of copy', record => record.copy_share, value => value ? percent(value) : ''),
    {title: 'trials', kind: 'number', value: scenario => scenario.variants, text: scenario => String(scenario.variants)},
    plain('measured', scenario => winner(scenario)?.created ?? scenario.column.created[0]),
    plain('flags', scenario => flagsOf(winner(scenario) ?? {})),
  ];
  const table = sortable('Scenarios', columns, [...view.scenarios], (line, scenario) => {
    line.classList.toggle('chosen', scenario === view.scenario);
    scenario.line = line;
  });
  parent.replaceChildren(table);
}

/* The figures of `gputune show --why`. */
function addWorth(parent, scenario) {
  const axes = new Map();
  for (const row of scenario.worth) {
    axes.set(row.axis, [...axes.get(row.axis) ?? [], row]);
  }
  const worst = values => Math.max(...values.map(value => value.cost ?? 0));
  const most = Math.max(...[...axes.values()].map(worst), 0);
  const text = value => value.cost === null ? (value.measured ? 'unknown (1)' : 'none works')
    : `${value.evidence === 'first launch' ? '≤ ' : ''}${costText(value.cost)} (${value.measured + value.launched})`;
  const lines = [...axes].sort(([, a], [, b]) => worst(b) - worst(a)).map(([name, values]) => {
    const of = wanted => values.filter(wanted).map(value => value.value).join(', ');
    const bar = create('span', {className: 'bar'});
    bar.style.width = `${most ? 8 * Math.log1p(worst(values)) / Math.log1p(most) : 0}rem`;
    const held = values.find(value => value.is_default);
    return create('tr', {}, create('th', {scope: 'row'}, name), cell(of(value => value.is_winner)),
      cell(of(value => value.is_default)), cell(held ? text(held) : '', 'number'),
      cell(values.filter(value => !value.is_winner && !value.is_default)
        .map(value => `${value.value}: ${text(value)}`).join('   '), 'wrap'), create('td', {}, bar));
  });
  const titles = ['axis', 'winner', 'default', 'held at the default', 'held at other values', 'worth'];
  parent.append(lines.length
    ? create('table', {'aria-labelledby': 'axes-title'},
      create('thead', {}, create('tr', {}, ...titles.map(title => create('th', {scope: 'col'}, title)))),
      create('tbody', {}, ...lines))
    : create('p', {className: 'empty'}, 'No axis has more than one value that was tried.'));
}

/* ---- two axes ---- */

class HeatMap {
  constructor(parent, view) {
    this.view = view;
    const axes = view.scenario.choices;
    this.parent = create('div', {className: 'wide'});
    if (axes.length < 2) {
      parent.append(create('p', {className: 'empty'}, 'There are no two axes with several values.'));
      return;
    }
    const choose = (id, label, chosen) => {
      const select = create('select', {id}, ...axes.map((axis, i) => create('option', {value: String(i)}, axis.name)));
      select.value = String(chosen);
      select.addEventListener('change', () => this.refresh());
      return [create('label', {htmlFor: id}, label), select];
    };
    const [down, across] = [choose('down', 'Best time by ', 0), choose('across', ' and ', 1)];
    [, this.down] = down;
    [, this.across] = across;
    parent.append(create('p', {}, ...down, ...across), this.parent);
  }

  /* The fastest row of each pair of values. */
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
    if (!this.down) {
      return;
    }
    const axes = this.view.scenario.choices, down = axes[this.down.value], across = axes[this.across.value];
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
    const number = (title, read, text = read) => ({title, kind: 'number', value: read, text});
    const count = (title, values) => number(title, row => values[row] || '');
    this.columns = [
      number('trial', row => scenario.place[row]),
      ...scenario.choices.map(axis => number(axis.name, row => axis.values[axis.of[row]] ?? '')),
      number('median', row => scenario.time[row], row => scenario.duration(scenario.time[row])),
      number('slower', row => scenario.time[row], row =>
        scenario.isTimed[row] ? costText(scenario.time[row] / scenario.best - 1) : ''),
      count('n', column.samples),
      count('registers', column.registers),
      count('spills', column.spill_bytes),
      count('shared', column.shared_bytes),
      number('occupancy', row => column.occupancy[row], row => column.occupancy[row] ? percent(column.occupancy[row]) : ''),
      {title: 'outcome', value: row => column.status[row], text: row =>
        column.message[row] ? `${column.status[row]}: ${column.message[row]}` : column.status[row]},
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

  /* The rows in sight, between two empty ones as high as what is left out. */
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

  /* Scrolls a trial into sight. */
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

/* ---- where it is from ---- */

function addProvenance(list, scenario) {
  const record = scenario.records.find(one => one.configuration === scenario.configuration) ?? scenario.records[0] ?? {};
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
    'flags': flagsOf(record),
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
