/* Figures of points on a canvas, fast enough for 10^5 trials. Pointer and arrow keys show a trial's description. */

function create(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role') {
      element.setAttribute(name, value);
    } else {
      element[name] = value;
    }
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const colours = new Map();

/* Returns a colour of the style sheet in the present theme. */
function colour(name) {
  if (!colours.has(name)) {
    const probe = document.getElementById('tip');
    probe.style.borderColor = `var(--${name})`;
    colours.set(name, getComputedStyle(probe).borderTopColor);
    probe.style.borderColor = '';
  }
  return colours.get(name);
}

const tip = {
  element: document.getElementById('tip'),
  show(lines, x, y) {
    this.element.textContent = lines.join('\n');
    this.element.hidden = false;
    const box = this.element.getBoundingClientRect();
    this.element.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 4))}px`;
    this.element.style.top = `${y + 14 + box.height < innerHeight ? y + 14 : Math.max(4, y - box.height - 10)}px`;
  },
  hide() {
    this.element.hidden = true;
  },
};

function say(text) {
  document.getElementById('said').textContent = text;
}

/* ---- scales: `share` maps a value to 0..1, `ticks` are values with their labels ---- */

function niceStep(span, count) {
  const rough = span / count, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= rough * 0.999);
}

function linear(least, most, label) {
  const span = most - least || Math.abs(most) || 1, step = niceStep(span, 5), ticks = [];
  for (let at = Math.ceil(least / step) * step; at <= least + span * 1.0001; at += step) {
    ticks.push(at);
  }
  return {share: value => (value - least) / span, ticks: ticks.map(at => [at, label(at)])};
}

function logarithmic(least, most, label) {
  const low = Math.log(least), span = Math.log(most) - low || 1, decades = span / Math.LN10, ticks = [];
  const steps = decades < 0.7 ? null : decades < 2 ? [1, 2, 5] : [1];
  if (!steps) {
    return {...linear(least, most, label), share: value => (Math.log(value) - low) / span};
  }
  for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10) {
    ticks.push(...steps.map(step => step * power).filter(at => at >= least && at <= most));
  }
  return {share: value => (Math.log(value) - low) / span, ticks: ticks.map(at => [at, label(at)])};
}

/* Gives each value of an axis a band of equal width. */
function categories(values) {
  return {
    share: index => (index + 0.5) / values.length,
    ticks: values.map((value, index) => [index, value]),
    width: 1 / values.length,
  };
}

/* Scales a field of trials: an axis by its values, a figure by its range. `how` is 'log', 'zero' or 'fitted'; undefined:
 * logarithmic for a wide range. */
function scaleOf(field, rows, how) {
  if (field.values) {
    return categories(field.values);
  }
  const values = Array.from(rows, field.value).filter(Number.isFinite);
  const low = values.length ? least(values) : 0, high = Math.max(most(values), low * 1.001);
  const room = (high - low) / 20, factor = (high / low) ** 0.05, label = value => value ? field.text(value) : '0';
  return low > 0 && (how ?? (high > 20 * low && 'log')) === 'log' ? logarithmic(low / factor, high * factor, label)
    : linear(how === 'zero' ? 0 : low - room, high + room, label);
}

/* ---- a figure ---- */

const font = '11px system-ui, sans-serif';

/* A canvas with a caption and keys. `options` of a figure of trials: name, label (of
 * the canvas), height, rows(), x() and y() (fields; a trial without a `y` is drawn at the top), over(figure), which
 * draws on top of the points, and note, which is added to the title of the x axis. */
class Figure {
  constructor(parent, view, options) {
    this.view = view;
    Object.assign(this, options);
    this.canvas = create('canvas', {tabIndex: 0, role: 'img', 'aria-label':
      `${options.label} Arrow keys walk through the trials, the fastest first.`});
    this.canvas.figure = this;
    parent.append(create('figure', {}, create('figcaption', {}, explain(create('span', {}, options.name))), this.canvas));
    this.canvas.addEventListener('pointermove', event => this.point(event));
    this.canvas.addEventListener('pointerleave', () => this.leave());
    this.canvas.addEventListener('click', () => this.hovered >= 0 && view.hold(this.hovered));
    this.canvas.addEventListener('keydown', event => this.key(event));
    this.canvas.addEventListener('blur', () => this.leave());
    this.hovered = -1;
  }

  /* Draws the figure when it is seen. */
  refresh() {
    this.stale = true;
    this.view.watch(this);
  }

  draw() {
    this.stale = false;
    this.dpr = Math.min(devicePixelRatio || 1, 2);
    this.width = this.canvas.clientWidth || 480;
    this.canvas.width = Math.round(this.width * this.dpr);
    this.canvas.height = Math.round(this.height * this.dpr);
    this.canvas.style.height = `${this.height}px`;
    this.context = this.canvas.getContext('2d', {willReadFrequently: true});
    this.place();
    this.image = this.paint();
    this.decorate();
  }

  /* Draws everything except the points, which were painted before. */
  decorate() {
    const context = this.context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(this.image, 0, 0);
    context.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
    this.drawAxes();
    this.over?.(this);
    this.mark(this.view.scenario.defaultRow, 'default', 4);
    this.mark(this.view.scenario.winnerRow, 'winner', 5);
    this.mark(this.view.held, 'held', 6);
    this.mark(this.hovered, 'ink', 7);
  }

  /* Leaves room for the labels at the left. */
  frame(ticks) {
    this.context.font = font;
    const left = 14 + Math.max(16, ...ticks.map(([, label]) => this.context.measureText(label).width));
    this.inner = {left, top: 22, width: this.width - left - 26, height: this.height - 56};
  }

  /* Computes where the points are, in CSS pixels. */
  place() {
    const rows = this.rows(), x = this.x(), y = this.y(), {scale} = this.view;
    this.shown = rows;
    this.sx = scaleOf(x, rows, x.isTime ? scale : x.how);
    this.sy = scaleOf(y, rows, y.isTime ? scale : y.how);
    this.frame(this.sy.ticks);
    const {left, top, width, height} = this.inner;
    const spread = (scale, row, irrational) => scale.width ? ((row * irrational) % 1 - 0.5) * 0.7 * scale.width : 0;
    this.px = new Float32Array(rows.length);
    this.py = new Float32Array(rows.length);
    rows.forEach((row, i) => {
      const value = y.value(row);
      this.px[i] = left + (this.sx.share(x.value(row)) + spread(this.sx, row, 0.618034)) * width;
      this.py[i] = Number.isFinite(value) ? top + (1 - this.sy.share(value) - spread(this.sy, row, 0.754878)) * height
        : top - 9 + (row * 0.754878) % 1 * 6;
    });
  }

  /* Paints the points, those of failed trials first. Points are transparent, so places with many points are darker. */
  paint() {
    const {context, shown} = this, size = shown.length > 3000 ? 2 : shown.length > 200 ? 4 : 6;
    context.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
    context.globalAlpha = shown.length > 3000 ? 0.4 : 0.75;
    for (const name of ['failed', 'lost', 'trial']) {
      context.fillStyle = colour(name);
      for (let i = 0; i < shown.length; i++) {
        if (this.kind(shown[i]) === name) {
          context.fillRect(this.px[i] - size / 2, this.py[i] - size / 2, size, size);
        }
      }
    }
    context.globalAlpha = 1;
    return context.getImageData(0, 0, this.canvas.width, this.canvas.height);
  }

  /* Returns the colour of a trial, which shows if it raced to the end, was eliminated as slower, or failed. */
  kind(row) {
    const status = this.view.scenario.column.status[row];
    return status === 'ok' ? 'trial' : ['eliminated', 'unproved', 'proved'].includes(status) ? 'lost' : 'failed';
  }

  drawAxes() {
    const {context, inner: {left, top, width, height}} = this;
    context.font = font;
    context.lineWidth = 1;
    context.fillStyle = colour('faint');
    context.strokeStyle = colour('line');
    context.globalAlpha = 0.8;
    context.beginPath();
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    let end = Infinity;
    for (const [value, label] of this.sy.ticks) {
      const y = top + (1 - this.sy.share(value)) * height;
      context.moveTo(left, y);
      context.lineTo(left + width, y);
      if (y < end - 12) {
        context.fillText(label, left - 6, y);
        end = y;
      }
    }
    context.stroke();
    context.globalAlpha = 1;
    context.textAlign = 'center';
    context.textBaseline = 'top';
    end = 0;
    for (const [value, label] of this.sx.ticks) {
      const x = left + this.sx.share(value) * width, half = context.measureText(label).width / 2;
      if (x - half > end + 4) {
        context.fillText(label, x, top + height + 5);
        end = x + half;
      }
    }
    context.fillText(this.x().name + (this.note ?? ''), left + width / 2, top + height + 19);
  }

  at(row) {
    const i = row < 0 ? -1 : this.shown.indexOf(row);
    return i < 0 ? null : [this.px[i], this.py[i]];
  }

  mark(row, name, radius) {
    const place = this.at(row), context = this.context;
    if (place) {
      context.beginPath();
      context.arc(...place, radius, 0, 2 * Math.PI);
      context.lineWidth = 2.5;
      context.strokeStyle = colour(name);
      context.stroke();
    }
  }

  /* Returns the trial next to a place, or -1 if none is near. */
  nearest(x, y) {
    let found = -1, least = 18 * 18;
    for (let i = 0; i < this.shown.length; i++) {
      const dx = this.px[i] - x, dy = this.py[i] - y, distance = dx * dx + dy * dy;
      if (distance < least) {
        least = distance;
        found = this.shown[i];
      }
    }
    return found;
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const row = this.nearest(event.clientX - box.left, event.clientY - box.top);
    if (row !== this.hovered) {
      this.hovered = row;
      this.decorate();
    }
    if (row >= 0) {
      tip.show(this.view.scenario.lines(row), event.clientX, event.clientY);
    } else {
      tip.hide();
    }
  }

  leave() {
    tip.hide();
    if (this.hovered >= 0) {
      this.hovered = -1;
      this.decorate();
    }
  }

  key(event) {
    const steps = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 20, PageUp: -20};
    const order = this.view.byTime();
    const last = order.length - 1, now = order.indexOf(this.hovered);
    if (event.key === 'Escape') {
      this.view.hold(-1);
    } else if (event.key === 'Enter' && this.hovered >= 0) {
      this.view.hold(this.hovered);
    } else if (event.key in steps || event.key === 'Home' || event.key === 'End') {
      const to = event.key === 'Home' ? 0 : event.key === 'End' ? last : now + steps[event.key];
      this.walk(order[Math.max(0, Math.min(last, to))]);
    } else {
      return;
    }
    event.preventDefault();
  }

  walk(row) {
    if (row === undefined) {
      return;
    }
    this.hovered = row;
    this.decorate();
    const place = this.at(row), box = this.canvas.getBoundingClientRect(), lines = this.view.scenario.lines(row);
    if (place) {
      tip.show(lines, box.left + place[0], box.top + place[1]);
    }
    say(lines.join('. '));
  }
}
