/* Points on a canvas: 10^5 of them in a few milliseconds, each told under the pointer or by the keys. */

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

/* A colour of the style sheet, as the theme has it. */
function colour(name) {
  if (!colours.has(name)) {
    const probe = document.getElementById('tip');
    probe.style.borderColor = `var(--${name})`;
    colours.set(name, getComputedStyle(probe).borderTopColor);
    probe.style.borderColor = '';
  }
  return colours.get(name);
}

/* ---- what is pointed at ---- */

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

/* ---- scales: from a value to a share of the way, and where to write what ---- */

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

/* One place for each value, in whose middle it is written. */
function categories(values) {
  const every = Math.ceil(values.length / 16);
  return {
    share: index => (index + 0.5) / values.length,
    ticks: values.map((value, index) => [index, value]).filter(([index]) => index % every === 0),
    width: 1 / values.length,
  };
}

/* ---- a figure ---- */

const margin = {left: 72, right: 26, top: 22, bottom: 34};

/* Has a canvas with a caption, keys, and a button that saves it. A figure of trials says in `options`:
 * name, label (of the canvas), height, rows(), x(row), y(row) (NaN: at the top), scaleX(), scaleY(),
 * xTitle, and over(figure), which draws on top of it. */
class Figure {
  constructor(parent, view, options) {
    this.view = view;
    Object.assign(this, options);
    this.canvas = create('canvas', {tabIndex: 0, role: 'img', 'aria-label': options.label});
    const save = create('button', {type: 'button', onclick: () => this.save(), title: 'Save this figure as PNG'}, 'PNG');
    save.setAttribute('aria-label', `Save ${options.name} as PNG`);
    parent.append(create('figure', {}, create('figcaption', {}, create('span', {}, options.name), save), this.canvas));
    this.canvas.addEventListener('pointermove', event => this.point(event));
    this.canvas.addEventListener('pointerleave', () => this.leave());
    this.canvas.addEventListener('click', () => this.hovered >= 0 && view.hold(this.hovered));
    this.canvas.addEventListener('keydown', event => this.key(event));
    this.canvas.addEventListener('blur', () => this.leave());
    this.hovered = -1;
  }

  /* Draws it when it is seen. */
  refresh() {
    this.stale = true;
    this.view.watch(this);
  }

  measure() {
    const dpr = Math.min(devicePixelRatio || 1, 2);
    this.width = this.canvas.clientWidth || 480;
    this.canvas.width = Math.round(this.width * dpr);
    this.canvas.height = Math.round(this.height * dpr);
    this.canvas.style.height = `${this.height}px`;
    this.dpr = dpr;
    this.context = this.canvas.getContext('2d', {willReadFrequently: true});
    this.inner = {
      left: margin.left, top: margin.top, width: this.width - margin.left - margin.right,
      height: this.height - margin.top - margin.bottom,
    };
  }

  draw() {
    this.stale = false;
    this.measure();
    this.place();
    this.image = this.paint();
    this.decorate();
  }

  /* The whole figure without painting its points again. */
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

  /* Where the points are, in CSS pixels. */
  place() {
    const rows = this.rows(), {left, top, width, height} = this.inner;
    const sx = this.scaleX(), sy = this.scaleY();
    this.sx = sx;
    this.sy = sy;
    this.shown = rows;
    this.px = new Float32Array(rows.length);
    this.py = new Float32Array(rows.length);
    rows.forEach((row, i) => {
      const wobble = sx.width ? ((row * 0.618034) % 1 - 0.5) * 0.7 * sx.width : 0;
      const y = this.y(row);
      this.px[i] = left + (sx.share(this.x(row)) + wobble) * width;
      this.py[i] = Number.isFinite(y) ? top + (1 - sy.share(y)) * height : top - 9 + (row * 0.754878) % 1 * 6;
    });
  }

  /* Counts how many trials each pixel has, once for each colour, and lays on as much of it. */
  paint() {
    const {width, height} = this.canvas, image = this.context.createImageData(width, height);
    const many = this.shown.length > 3000, size = Math.max(2, Math.round((many ? 2 : 4) * this.dpr));
    const strength = many ? 0.4 : 0.75;
    for (const [name, wanted] of [['failed', 2], ['lost', 0], ['trial', 1]]) {
      const counts = new Uint8Array(width * height);
      for (let i = 0; i < this.shown.length; i++) {
        if (this.kind(this.shown[i]) !== wanted) {
          continue;
        }
        const x0 = Math.round(this.px[i] * this.dpr - size / 2), y0 = Math.round(this.py[i] * this.dpr - size / 2);
        for (let y = Math.max(0, y0); y < Math.min(height, y0 + size); y++) {
          for (let x = Math.max(0, x0); x < Math.min(width, x0 + size); x++) {
            counts[y * width + x] += counts[y * width + x] < 255;
          }
        }
      }
      this.blend(image.data, counts, colour(name).match(/[\d.]+/g).map(Number), strength);
    }
    return image;
  }

  blend(pixels, counts, rgb, strength) {
    for (let i = 0; i < counts.length; i++) {
      if (counts[i]) {
        const over = 1 - (1 - strength) ** counts[i], under = pixels[4 * i + 3] / 255 * (1 - over);
        for (let c = 0; c < 3; c++) {
          pixels[4 * i + c] = (rgb[c] * over + pixels[4 * i + c] * under) / (over + under);
        }
        pixels[4 * i + 3] = 255 * (over + under);
      }
    }
  }

  /* 1: raced to the end; 0: eliminated, or left out as slower; 2: failed. */
  kind(row) {
    const {isOk, column: {status}} = this.view.scenario;
    return isOk[row] || (['eliminated', 'unproved', 'proved'].includes(status[row]) ? 0 : 2);
  }

  drawAxes() {
    const {context, inner: {left, top, width, height}} = this;
    context.font = '11px system-ui, sans-serif';
    context.lineWidth = 1;
    context.fillStyle = colour('faint');
    context.strokeStyle = colour('line');
    context.globalAlpha = 0.8;
    context.beginPath();
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const [value, label] of this.sy.ticks) {
      const y = top + (1 - this.sy.share(value)) * height;
      context.moveTo(left, y);
      context.lineTo(left + width, y);
      context.fillText(label, left - 6, y);
    }
    context.stroke();
    context.globalAlpha = 1;
    context.textAlign = 'center';
    context.textBaseline = 'top';
    for (const [value, label] of this.sx.ticks) {
      context.fillText(label, left + this.sx.share(value) * width, top + height + 5);
    }
    context.fillText(this.xTitle, left + width / 2, top + height + 19);
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

  /* The trial next to a place, -1 where none is near. */
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

  /* On the colour of the paper: a canvas has none of its own. */
  save() {
    const copy = create('canvas', {width: this.canvas.width, height: this.canvas.height});
    const context = copy.getContext('2d');
    context.fillStyle = colour('paper');
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(this.canvas, 0, 0);
    copy.toBlob(blob => {
      const link = create('a', {href: URL.createObjectURL(blob), download: `${this.name.replace(/\W+/g, '-')}.png`});
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }
}
