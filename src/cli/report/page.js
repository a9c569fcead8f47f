/* The page: which scenario is looked at, which of its trials are shown, and which one is held. */

class View {
  constructor() {
    this.seen = new IntersectionObserver(entries => this.drawSeen(entries), {rootMargin: '200px'});
    this.figures = [];
  }

  begin() {
    this.scenarios = report.scenarios.map(json => new Scenario(json));
    addOverview(document.querySelector('#overview .wide'), this);
    document.getElementById('scenario').hidden = !this.scenarios.length;
    if (this.scenarios.length) {
      this.open(this.scenarios[0]);
    }
  }

  nameOf(scenario) {
    const parts = [shortSizes(scenario.sizes), scenario.gpu, scenario.objective, scenario.column.created[0]];
    return parts.join(', ');
  }

  open(scenario) {
    scenario.open();
    this.scenario?.line?.classList.remove('chosen');
    scenario.line?.classList.add('chosen');
    this.scenario = scenario;
    this.held = -1;
    this.scale = scenario.worst > 4 * scenario.best ? 'log' : 'fitted';
    document.getElementById('scale').value = this.scale;
    document.getElementById('filter').value = '';
    document.getElementById('scenario-title').textContent = `${scenario.title} on ${scenario.gpu}`;
    document.title = `${scenario.title}: gputune report`;
    this.describe();
    this.build();
    this.show('');
  }

  describe() {
    const {scenario} = this, axis = scenario.choices[0];
    const winner = scenario.records.find(record => record.is_winner && record.configuration === scenario.configuration);
    const interval = winner?.speedup_low ? ` [${winner.speedup_low.toFixed(3)}, ${winner.speedup_high.toFixed(3)}]` : '';
    const speedup = winner?.speedup ? `The winner is ${winner.speedup.toFixed(3)}x${interval} as fast as the default. ` : '';
    document.getElementById('reason').textContent =
      `${speedup}${scenario.variants} trials${scenario.stop_reason ? `; ${scenario.stop_reason}` : ''}.`;
    document.getElementById('example').textContent =
      `${axis ? `${axis.name}=${axis.values.slice(0, 2).join(',')} ` : ''}slower<1.1 registers<=64 status=ok`;
  }

  build() {
    const {scenario} = this, place = id => {
      const element = document.getElementById(id);
      element.replaceChildren();
      return element;
    };
    this.seen.disconnect();
    addStanding(place('standing'), scenario);
    addWorth(place('worth'), scenario);
    addCeiling(place('ceiling'), scenario);
    addRoofline(document.getElementById('ceiling'), this);
    addProvenance(document.getElementById('provenance'), scenario);
    addSource(document.getElementById('source'), scenario);
    this.heat = new HeatMap(place('heat'), this);
    this.figures = [...addLandscape(place('landscape'), this), addProgress(place('progress'), this),
      addParallel(place('parallel'), this), addElsewhere(place('elsewhere'), this)].filter(Boolean);
    this.table = new TrialTable(document.getElementById('trials'), this);
  }

  show(text) {
    this.rows = filtered(this.scenario, text);
    this.ordered = undefined;
    document.getElementById('count').textContent =
      this.rows.length === this.scenario.variants ? '' : `${this.rows.length} of ${this.scenario.variants} trials`;
    this.refresh();
  }

  /* The rows that are shown, from the fastest on; those without a time come last. */
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
    figure.canvas.figure = figure;
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

  /* Marks a trial in all figures and in the table, where it comes into sight if `reveal`; -1: none. */
  hold(row, reveal = row >= 0) {
    this.held = row;
    this.figures.filter(figure => !figure.stale).forEach(figure => figure.decorate());
    this.table.drawn = undefined;
    this.table.draw();
    if (reveal) {
      this.table.reveal(row);
    }
    say(row < 0 ? 'no trial is held' : `held: ${this.scenario.lines(row)[0]}`);
  }
}

function start() {
  const view = new View(), theme = document.getElementById('theme'), filter = document.getElementById('filter');
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
  document.getElementById('choose').addEventListener('submit', event => event.preventDefault());
  document.getElementById('scale').addEventListener('change', event => {
    view.scale = event.target.value;
    view.refresh();
  });
  let waiting;
  filter.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => view.show(filter.value), 80);
  });
  view.begin();
  restore(view);
  follow(view);
}

/* While scenarios are tuned, the page loads itself again, and looks as it did before; not while somebody types. */
function follow(view) {
  const filter = document.getElementById('filter');
  if (!report.tuning.length) {
    return;
  }
  document.getElementById('live').textContent =
    `Being tuned: ${report.tuning.join(', ')}. This page reloads itself until the tuning ends.`;
  setInterval(() => {
    if (document.activeElement !== filter) {
      const key = view.scenario && keyOf(view.scenario);
      history.replaceState({key, filter: filter.value, scale: view.scale}, '');
      location.reload();
    }
  }, 3000);
}

/* What was looked at before the page loaded itself again. */
function restore(view) {
  const before = history.state, same = before && view.scenarios.find(one => keyOf(one) === before.key);
  if (same) {
    view.open(same);
    view.scale = document.getElementById('scale').value = before.scale;
    document.getElementById('filter').value = before.filter;
    view.show(before.filter);
  }
}

start();
