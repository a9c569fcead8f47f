/* What the field "Show only" says: words parted by blanks, of which a trial has all. */

const conditionForm = /^([A-Za-z_]\w*)(<=|>=|!=|=|<|>)(.+)$/;
const comparisons = {
  '=': (x, y) => x === y, '!=': (x, y) => x !== y, '<': (x, y) => x < y,
  '<=': (x, y) => x <= y, '>': (x, y) => x > y, '>=': (x, y) => x >= y,
};

/* A figure of a trial under the name that a condition has for it; undefined: there is none. */
function figureOf(scenario, name) {
  const column = scenario.column[{spills: 'spill_bytes', shared: 'shared_bytes'}[name] ?? name];
  if (name === 'slower') {
    return row => scenario.time[row] / scenario.best;
  }
  if (name === 'trial') {
    return row => scenario.place[row];
  }
  return column && (row => column[row]);
}

/* "VEC=1,2", "BLOCK>=128", "slower<1.1", "status=ok". */
function condition(scenario, name, operator, wanted) {
  const axis = scenario.axes.find(one => one.name === name);
  const figure = axis ? row => axis.of[row] < 0 ? undefined : axis.values[axis.of[row]] : figureOf(scenario, name);
  if (!figure) {
    return null;
  }
  if (operator === '=' || operator === '!=') {
    const values = wanted.split(',');
    return row => values.includes(String(figure(row))) === (operator === '=');
  }
  const limit = Number(wanted), compare = comparisons[operator];
  return row => compare(Number(figure(row)), limit);
}

function word(scenario, text) {
  const small = text.toLowerCase(), {configuration, status, message} = scenario.column;
  return row => `${configuration[row]} ${status[row]} ${message[row] ?? ''}`.toLowerCase().includes(small);
}

/* The rows of a scenario that the text asks for. */
function filtered(scenario, text) {
  const tests = text.split(/\s+/).filter(Boolean).map(part => {
    const found = conditionForm.exec(part);
    return found && condition(scenario, found[1], found[2], found[3]) || word(scenario, part);
  });
  return tests.length ? scenario.rows.filter(row => tests.every(test => test(row))) : scenario.rows;
}
