'use strict';
/* The data of the page: its JSON as columns of numbers, and the fields of a trial. */

/* Formats a value with four significant digits, in the largest unit that leaves a number of at least 1. */
function scaled(value, units) {
  let unit = 0;
  while (unit + 1 < units.length && Math.abs(value) >= 999.95) {
    value /= 1000;
    unit++;
  }
  const digits = Math.abs(value) >= 999.95 ? 0 : 3 - Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)));
  return `${value.toFixed(Math.min(3, digits))} ${units[unit]}`;
}

const timeUnits = ['ns', 'µs', 'ms', 's'];
const percent = share => `${(share * 100).toFixed(1)}%`;
const costText = cost => cost < 0.0005 ? '0%' : cost < 1 ? `+${percent(cost)}` : `${(cost + 1).toFixed(1)}x`;
const rate = perSecond => perSecond ? scaled(perSecond / 1e9, ['G', 'T', 'P']) : '';
const version = number => number ? `${Math.floor(number / 1000)}.${number % 1000 / 10}` : '';
const least = values => values.reduce((a, b) => b < a ? b : a, Infinity);
const most = values => values.reduce((a, b) => b > a ? b : a, -Infinity);

/* Splits "n=67108864 T=unsigned int" into pairs. */
function pairs(text) {
  return text.split(/ (?=[^ =]+=)/).filter(Boolean).map(word => {
    const at = word.indexOf('=');
    return at < 0 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
  });
}

/* Shortens round numbers: "n=64M". */
function shortSizes(text) {
  return pairs(text).map(([name, value]) => {
    let number = Number(value), suffix = -1;
    while (Number.isInteger(number) && number > 0 && number % 1024 === 0 && suffix < 3) {
      number /= 1024;
      suffix++;
    }
    return `${name}=${suffix < 0 ? value : number + 'KMGT'[suffix]}`;
  }).join(' ');
}

/* Compares two values: numbers come before words. */
function compareValues(a, b) {
  const x = Number(a), y = Number(b);
  if (Number.isNaN(x) || Number.isNaN(y)) {
    return Number.isNaN(x) - Number.isNaN(y) || (a < b ? -1 : a > b ? 1 : 0);
  }
  return x - y;
}

/* Returns the axes of the trials, as fields: {name, values in order, of: the index of each trial's value or -1, and
 * value and text as for figures}. */
function readAxes(configurations) {
  const axes = new Map();
  configurations.forEach((text, row) => {
    for (const [name, value] of pairs(text)) {
      let axis = axes.get(name);
      if (!axis) {
        axis = {name, known: new Map(), of: new Int32Array(configurations.length).fill(-1)};
        axes.set(name, axis);
      }
      if (!axis.known.has(value)) {
        axis.known.set(value, axis.known.size);
      }
      axis.of[row] = axis.known.get(value);
    }
  });
  for (const axis of axes.values()) {
    axis.values = [...axis.known.keys()].sort(compareValues);
    const place = [...axis.known.keys()].map(value => axis.values.indexOf(value));
    axis.of = axis.of.map(index => index < 0 ? -1 : place[index]);
    axis.value = row => axis.of[row] < 0 ? NaN : axis.of[row];
    axis.text = index => axis.values[index];
  }
  return [...axes.values()];
}

const keyOf = row => `${row.scenario} ${row.environment}`;
const report = JSON.parse(document.getElementById('data').textContent);
const recordsOf = Map.groupBy(report.shown.records, keyOf);
const worthOf = Map.groupBy(report.shown.axes, keyOf);

/* A scenario of the report, with its records and the worth of its axes. */
class Scenario {
  constructor(json) {
    const key = keyOf(json);
    Object.assign(this, json);
    this.column = {};
    for (const [name, values] of Object.entries(json.trials)) {
      this.column[name] = Array.isArray(values) ? values : new Array(this.variants).fill(values);
    }
    this.address = `${this.kernel}-${this.scenario.slice(0, 8)}-${this.environment.slice(0, 8)}`;
    this.records = recordsOf.get(key) ?? [];
    this.worth = worthOf.get(key) ?? [];
    this.winner = this.records.find(one => one.is_winner && one.configuration === this.configuration);
    this.standard = this.records.find(one => one.is_default);
    this.units = this.objective === 'energy' ? ['nJ', 'µJ', 'mJ', 'J'] : timeUnits;
    this.label = `${this.kernel} ${shortSizes(this.sizes)}`;
    this.title = report.tuning.includes(this.label) ? `${this.label} (being tuned)` : this.label;
    this.rows = Int32Array.from({length: this.variants}, (_, row) => row);
  }

  /* Computes the columns that only the chosen scenario needs. */
  open() {
    if (this.axes) {
      return;
    }
    const {configuration, status, median_ns: median, created, order, is_default: isDefault} = this.column;
    this.axes = readAxes(configuration);
    this.choices = this.axes.filter(axis => axis.values.length > 1).sort((a, b) => this.costOf(b.name) - this.costOf(a.name));
    this.time = Float64Array.from(this.rows, row =>
      median[row] > 0 && ['ok', 'eliminated'].includes(status[row]) ? median[row] : NaN);
    this.best = least(this.time);
    this.worst = most(this.time);
    this.winnerRow = configuration.indexOf(this.configuration);
    this.defaultRow = this.default_configuration ? configuration.indexOf(this.default_configuration) : isDefault.indexOf(true);
    /* A trial that is measured again keeps its place in the database, so its time of day comes first. */
    this.turn = this.rows.slice().sort((a, b) =>
      created[a] < created[b] ? -1 : created[a] > created[b] ? 1 : order[a] - order[b]);
    this.place = new Int32Array(this.variants);
    this.turn.forEach((row, place) => { this.place[row] = place + 1; });
    this.fields = [...this.figures(), ...this.choices];
  }

  /* Returns the figures of a trial, {name, value of a row, text of a value}; filters, columns and figures use them. */
  figures() {
    const {column, time, place} = this, plain = value => String(Number(value.toPrecision(6)));
    const started = least(column.created.map(text => Date.parse(text)));
    const compiled = name => row => column.registers[row] > 0 ? column[name][row] : NaN;
    return [
      {name: 'time', isTime: true, value: row => time[row], text: value => this.duration(value)},
      {name: 'slower', value: row => time[row] / this.best, text: value => costText(value - 1)},
      {name: 'registers', value: compiled('registers'), text: plain},
      {name: 'spills', value: compiled('spill_bytes'), text: plain},
      {name: 'shared', value: compiled('shared_bytes'), text: plain},
      {name: 'occupancy', value: compiled('occupancy'), text: percent},
      {name: 'compile', value: row => column.compile_ns[row] || NaN, text: value => scaled(value, timeUnits)},
      {name: 'samples', value: row => column.samples[row] || NaN, text: plain},
      {name: 'trial', how: 'fitted', value: row => place[row], text: plain},
      {name: 'seconds', value: row => (Date.parse(column.created[row]) - started) / 1000, text: plain},
    ];
  }

  /* Returns the highest cost of an axis's values. One trial shows only a bound. */
  costOf(name) {
    return most(this.worth.filter(row => row.axis === name && row.evidence !== 'one trial').map(row => row.cost ?? 0));
  }

  field(name) {
    return this.fields.find(one => one.name === name);
  }

  /* Returns a field's text for a trial; '' if it has no value. */
  textOf(field, row) {
    const value = field.value(row);
    return Number.isNaN(value) ? '' : field.text(value);
  }

  duration(value) {
    return Number.isFinite(value) && value > 0 ? scaled(value, this.units) : '';
  }

  interval(low, high) {
    return high > 0 ? ` [${this.duration(low)}, ${this.duration(high)}]` : '';
  }

  /* Describes a trial, line by line. */
  lines(row) {
    const {configuration, status, message, low_ns: low, high_ns: high} = this.column;
    const role = [row === this.winnerRow && 'winner', row === this.defaultRow && 'default'].filter(Boolean);
    const out = [configuration[row] + (role.length ? ` (${role.join(', ')})` : '')];
    if (this.time[row] > 0) {
      out.push(`${this.duration(this.time[row])}${this.interval(low[row], high[row])}, ` +
        `${costText(this.time[row] / this.best - 1)} over the best`);
    }
    out.push(message[row] ? `${status[row]}: ${message[row]}` : terms[status[row]] ?? status[row]);
    const facts = ['registers', 'spills', 'shared', 'occupancy', 'compile', 'samples']
      .map(name => [name, this.textOf(this.field(name), row)]).filter(([, text]) => text && text !== '0');
    out.push([`trial ${this.place[row]}`, ...facts.map(([name, text]) => `${name} ${text}`)].join(', '));
    return out;
  }
}
