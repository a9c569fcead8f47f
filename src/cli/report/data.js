'use strict';
/* What was measured: the JSON of the page as columns of numbers, one scenario at a time. */


/* Four significant digits under the largest unit that leaves a number of at least 1. */
function scaled(value, units) {
  let unit = 0;
  while (unit + 1 < units.length && Math.abs(value) >= 999.95) {
    value /= 1000;
    unit++;
  }
  const digits = Math.abs(value) >= 999.95 ? 0 : 3 - Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)));
  return `${value.toFixed(Math.min(3, digits))} ${units[unit]}`;
}

const unitsOf = objective => objective === 'energy' ? ['nJ', 'µJ', 'mJ', 'J'] : ['ns', 'µs', 'ms', 's'];
const percent = share => `${(share * 100).toFixed(1)}%`;
const costText = cost => cost < 0.0005 ? '0%' : cost < 1 ? `+${percent(cost)}` : `${(cost + 1).toFixed(1)}x`;
const rate = perSecond => perSecond ? `${scaled(perSecond / 1e9, ['G', 'T', 'P'])}` : '';
const version = number => number ? `${Math.floor(number / 1000)}.${number % 1000 / 10}` : '';

/* "n=67108864 T=half" as pairs. */
function pairs(text) {
  return text.split(' ').filter(Boolean).map(word => {
    const at = word.indexOf('=');
    return at < 0 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
  });
}

/* Round numbers shortened: "n=64M". */
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

/* Numbers by value, before words by their letters. */
function compareValues(a, b) {
  const x = Number(a), y = Number(b);
  if (Number.isNaN(x) || Number.isNaN(y)) {
    return Number.isNaN(x) - Number.isNaN(y) || (a < b ? -1 : a > b ? 1 : 0);
  }
  return x - y;
}

/* The axes of the trials: {name, values in order, of: the index of each trial's value, -1 for none}. */
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
    const place = new Int32Array(axis.known.size);
    axis.values.forEach((value, index) => { place[axis.known.get(value)] = index; });
    axis.of = axis.of.map(index => index < 0 ? -1 : place[index]);
  }
  return [...axes.values()];
}

const keyOf = row => `${row.scenario} ${row.environment}`;

/* Rows by their scenario. */
function group(rows) {
  const out = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (!out.has(key)) {
      out.set(key, []);
    }
    out.get(key).push(row);
  }
  return out;
}

const report = JSON.parse(document.getElementById('data').textContent);
const recordsOf = group(report.shown.records), worthOf = group(report.shown.axes);

/* A scenario of the report, with what belongs to it of the records and of the axes' values. */
class Scenario {
  constructor(json) {
    Object.assign(this, json);
    const column = name => {
      const values = json.trials[name];
      return Array.isArray(values) ? values : new Array(this.variants).fill(values);
    };
    this.column = {};
    for (const name of Object.keys(json.trials)) {
      this.column[name] = column(name);
    }
    this.records = recordsOf.get(keyOf(this)) ?? [];
    this.worth = worthOf.get(keyOf(this)) ?? [];
    this.units = unitsOf(this.objective);
    const title = `${this.kernel} ${shortSizes(this.sizes)}`;
    this.title = report.tuning.includes(title) ? `${title} (being tuned)` : title;
    this.rows = Int32Array.from({length: this.variants}, (_, row) => row);
  }

  /* What is needed of the scenario that is looked at. */
  open() {
    if (this.axes) {
      return;
    }
    const {configuration, status, median_ns: median} = this.column;
    this.axes = readAxes(configuration);
    const worth = name => Math.max(0, ...this.worth.filter(row => row.axis === name).map(row => row.cost ?? 0));
    this.choices = this.axes.filter(axis => axis.values.length > 1).sort((a, b) => worth(b.name) - worth(a.name));
    this.isTimed = Uint8Array.from(this.rows, row =>
      median[row] > 0 && (status[row] === 'ok' || status[row] === 'eliminated'));
    this.time = Float64Array.from(this.rows, row => this.isTimed[row] ? median[row] : NaN);
    this.isOk = Uint8Array.from(this.rows, row => status[row] === 'ok');
    this.best = this.time.reduce((least, time) => time < least ? time : least, Infinity);
    this.worst = this.time.reduce((most, time) => time > most ? time : most, 0);
    this.winnerRow = configuration.indexOf(this.configuration);
    this.defaultRow = this.default_configuration ? configuration.indexOf(this.default_configuration) : this.column.is_default.indexOf(true);
    this.turn = this.rows.slice().sort((a, b) => this.column.order[a] - this.column.order[b]);
    this.place = new Int32Array(this.variants);
    this.turn.forEach((row, place) => { this.place[row] = place + 1; });
  }

  duration(value) {
    return Number.isFinite(value) && value > 0 ? scaled(value, this.units) : '';
  }

  /* What is said of a trial, line by line. */
  lines(row) {
    const {configuration, status, message, low_ns: low, high_ns: high, samples, registers,
      spill_bytes: spills, occupancy} = this.column;
    const role = [row === this.winnerRow && 'winner', row === this.defaultRow && 'default'].filter(Boolean);
    const out = [configuration[row] + (role.length ? ` (${role.join(', ')})` : '')];
    if (this.isTimed[row]) {
      const interval = high[row] > 0 ? ` [${this.duration(low[row])}, ${this.duration(high[row])}]` : '';
      out.push(`${this.duration(this.time[row])}${interval}, ${costText(this.time[row] / this.best - 1)} over the best`);
    }
    out.push(message[row] ? `${status[row]}: ${message[row]}` : status[row]);
    const facts = [`trial ${this.place[row]}`, samples[row] && `${samples[row]} samples`,
      registers[row] && `${registers[row]} registers`, spills[row] && `${spills[row]} bytes spilled`,
      occupancy[row] && `occupancy ${percent(occupancy[row])}`];
    out.push(facts.filter(Boolean).join(', '));
    return out;
  }
}
