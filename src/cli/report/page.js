/* The page: which scenario is open, which of its trials are shown, and which one is selected. */

const byId = id => document.getElementById(id);

/* The controls whose values are in the address of the page, besides the scenario. */
const controls = ['find', 'filter', 'scale', 'x', 'y', 'down', 'across'];

class View {
  constructor() {
    this.seen = new IntersectionObserver(entries => this.drawSeen(entries), {rootMargin: '200px'});
    this.figures = [];
    this.initial = {}; /* the default values of the controls */
    this.scenarios = report.scenarios.map(json => new Scenario(json));
    this.overview = new Overview(byId('scenarios'), this);
    byId('scenario').hidden = !this.scenarios.length;
  }

  addressOf(scenario) {
    return `#${new URLSearchParams({at: scenario.address})}`;
  }

  /* Shows the scenario and the settings that are in the page's address. If it has no scenario, shows the first one. */
  follow() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (this.scenarios.length) {
      this.open(this.scenarios.find(one => one.address === given.get('at')) ?? this.scenarios[0]);
    }
    for (const id of controls.filter(id => given.has(id) && byId(id))) {
      const control = byId(id), before = control.value;
      control.value = given.get(id);
      control.value ||= before;
    }
    this.changed();
  }

  /* Applies the values of the controls, and stores them in the page's address. */
  changed() {
    const values = controls.map(id => [id, byId(id)?.value]).filter(([id, value]) => value && value !== this.initial[id]);
    const at = new URLSearchParams(location.hash.slice(1)).get('at');
    const asked = new URLSearchParams([...at ? [['at', at]] : [], ...values]);
    history.replaceState(null, '', `#${asked}`);
    const found = this.overview.search(byId('find').value);
    byId('found').textContent = found < this.scenarios.length ? `${found} of ${this.scenarios.length} scenarios` : '';
    if (this.scenario) {
      this.show(byId('filter').value);
    }
  }

  open(scenario) {
    scenario.open();
    this.scenario = scenario;
    this.held = -1;
    byId('scale').value = scenario.worst > 4 * scenario.best ? 'log' : 'fitted';
    byId('filter').value = '';
    byId('scenario-title').textContent = `${scenario.title} on ${scenario.gpu}`;
    document.title = `${scenario.title}: gputune report`;
    this.overview.choose(scenario);
    this.describe();
    this.build();
    this.initial = Object.fromEntries(controls.map(id => [id, byId(id)?.value]));
    delete this.initial.find;
  }

  /* Summarises the scenario: a few figures, and conclusions from them. */
  describe() {
    const {scenario} = this, {winner, choices: [axis], column, variants} = scenario;
    const limit = winner && limitsOf(winner, scenario)[0];
    const failed = scenario.rows.filter(row => Figure.prototype.kind.call({view: this}, row) === 'failed');
    const tiles = [
      winner?.speedup && ['speed-up', `${winner.speedup.toFixed(3)}x`, winner.speedup_low
        ? `[${winner.speedup_low.toFixed(3)}, ${winner.speedup_high.toFixed(3)}]` : ''],
      winner && ['winner', scenario.duration(winner.median_ns), winner.configuration],
      winner?.default_ns && ['default', scenario.duration(winner.default_ns), scenario.default_configuration],
      limit && ['of limit', percent(limit.share), limit.name],
      ['trials', String(winner?.variants > variants ? winner.variants : variants),
        [failed.length && `${failed.length} failed`, winner?.variants > variants && `${variants} are stored`,
          winner?.tuning_s && `in ${scaled(winner.tuning_s * 1e9, timeUnits)}`].filter(Boolean).join(', ')],
    ].filter(Boolean);
    byId('tiles').replaceChildren(...tiles.map(([name, value, note]) => create('div', {}, create('dt', {}, term(name)),
      create('dd', {}, value), create('dd', {className: 'hint'}, note))));
    const cost = axis && scenario.costOf(axis.name);
    const findings = [
      scenario.hardware,
      cost >= 0.0005 && `${axis.name} matters most: held at its worst value it costs ${costText(cost)}.`,
      ...flagsOf(winner).map(flag => `${flag}: ${terms[flag]}`),
      failed.length && `The first of ${failed.length} failed trials: ${column.status[failed[0]]}: ${column.message[failed[0]]}`,
      scenario.stop_reason && `The search ended: ${scenario.stop_reason}.`,
    ].filter(Boolean);
    byId('findings').replaceChildren(...findings.map(text => create('li', {}, text)));
    byId('example').textContent =
      `${axis ? `${axis.name}=${axis.values.slice(0, 2).join(',')} ` : ''}slower<1.1 registers<=64 status=ok`;
  }

  build() {
    const {scenario} = this, place = id => {
      byId(id).replaceChildren();
      return byId(id);
    };
    this.seen.disconnect();
    addStanding(place('standing'), scenario);
    addLimits(byId('standing'), scenario);
    addRoofline(place('roofline'), this);
    addWorth(place('worth'), scenario);
    addProvenance(byId('provenance'), scenario);
    addSource(byId('source'), scenario);
    this.heat = new HeatMap(place('heat'), this);
    this.figures = [...addLandscape(place('landscape'), this), ...addProgress(place('progress'), this),
      addExplorer(place('explorer'), this)];
    this.table = new TrialTable(byId('trials'), this);
  }

  show(text) {
    const {rows, unknown} = filtered(this.scenario, text);
    this.rows = rows;
    this.ordered = undefined;
    byId('count').textContent = rows.length < this.scenario.variants ? `${rows.length} of ${this.scenario.variants} trials` : '';
    byId('unknown').textContent = unknown.length ? `Ignored: ${unknown.join('; ')}.` : '';
    byId('filter').setAttribute('aria-invalid', unknown.length > 0);
    this.refresh();
  }

  /* Returns the rows that are shown, the fastest first; trials without a time come last. */
  byTime() {
    const {time, place} = this.scenario, key = row => Number.isNaN(time[row]) ? Infinity : time[row];
    this.ordered ??= this.rows.slice().sort((a, b) => key(a) === key(b) ? place[a] - place[b] : key(a) - key(b));
    return this.ordered;
  }

  refresh() {
    tip.hide();
    this.figures.forEach(figure => figure.refresh());
    this.heat.refresh();
    this.table.refresh();
  }

  watch(figure) {
    this.seen.unobserve(figure.canvas);
    this.seen.observe(figure.canvas);
  }

  drawSeen(entries) {
    for (const {isIntersecting, target} of entries) {
      if (isIntersecting && target.figure.stale) {
        target.figure.draw();
      }
    }
  }

  /* Marks a trial in all figures and in the table, which scrolls to it if `reveal`; -1: no trial. */
  hold(row, reveal = row >= 0) {
    this.held = row;
    this.figures.filter(figure => !figure.stale).forEach(figure => figure.decorate());
    this.table.drawn = undefined;
    this.table.draw();
    if (reveal) {
      this.table.reveal(row);
    }
    say(row < 0 ? 'no trial is selected' : `selected: ${this.scenario.lines(row)[0]}`);
  }
}

/* Shows the explanation of a word while the pointer is on it or it has the focus. */
function explainWords() {
  const on = event => {
    const word = event.target.closest?.('.term'), box = word?.getBoundingClientRect();
    if (word) {
      tip.show([word.getAttribute('aria-description')], box.left - 14, box.bottom - 8);
    }
  };
  const off = event => event.target.closest?.('.term') && tip.hide();
  ['pointerover', 'focusin'].forEach(kind => document.addEventListener(kind, on));
  ['pointerout', 'focusout'].forEach(kind => document.addEventListener(kind, off));
  document.addEventListener('keydown', event => event.key === 'Escape' && tip.hide());
}

function start() {
  const view = new View(), theme = byId('theme');
  const redraw = () => {
    colours.clear();
    view.figures.forEach(figure => figure.refresh());
  };
  theme.addEventListener('change', () => {
    document.documentElement.dataset.theme = theme.value;
    redraw();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  addEventListener('resize', () => view.figures.forEach(figure => figure.refresh()));
  addEventListener('beforeprint', () => view.figures.filter(figure => figure.stale).forEach(figure => figure.draw()));
  addEventListener('hashchange', () => view.follow());
  document.querySelectorAll('form').forEach(form => form.addEventListener('submit', event => event.preventDefault()));
  document.querySelectorAll('[data-term]').forEach(element => explain(element, element.dataset.term));
  byId('scale').addEventListener('change', () => view.changed());
  let waiting;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => view.changed(), 80);
  };
  ['find', 'filter'].forEach(id => byId(id).addEventListener('input', soon));
  explainWords();
  view.follow();
  reload();
}

/* Reloads the page while scenarios are tuned, unless the reader is typing. The address keeps the settings. */
function reload() {
  if (report.tuning.length) {
    byId('live').textContent = `Being tuned: ${report.tuning.join(', ')}. This page reloads itself until the tuning ends.`;
    setInterval(() => document.activeElement.tagName !== 'INPUT' && location.reload(), 3000);
  }
}

start();
