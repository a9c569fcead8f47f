/* The filter: words separated by blanks. A trial is shown if all of them fit. */

const conditionForm = /^([A-Za-z_]\w*)(<=|>=|!=|=|<|>)(.*)$/;
const comparisons = {
  '<': (x, y) => x < y, '<=': (x, y) => x <= y, '>': (x, y) => x > y, '>=': (x, y) => x >= y,
};
const amounts = {'': 1, 'ns': 1, 'us': 1e3, 'µs': 1e3, 'ms': 1e6, 's': 1e9, 'K': 1024, 'M': 1024 ** 2, '%': 0.01};

/* Reads "64", "48K", "20us" or "50%". NaN: the text is not a number. */
function amount(text) {
  const [, number, unit] = /^([\d.]+)(\D*)$/.exec(text) ?? [];
  return Number(number) * (amounts[unit] ?? NaN);
}

/* Returns the test of a condition: "VEC=1,2", "BLOCK>=128", "slower<1.1", "status=ok"; or {unknown: why}. */
function condition(scenario, name, operator, wanted) {
  const axis = scenario.axes.find(one => one.name === name), field = scenario.field(name);
  const read = axis ? row => axis.values[axis.of[row]] : name === 'status' ? row => scenario.column.status[row] : null;
  if (!read && !field) {
    const known = [...scenario.axes, ...scenario.fields, {name: 'status'}].map(one => one.name);
    return {unknown: `'${name}' is not known; known: ${[...new Set(known)].join(', ')}`};
  }
  const values = wanted.split(','), compare = comparisons[operator];
  if (compare) {
    const limit = amount(wanted), number = axis ? row => Number(read(row)) : field?.value;
    return number && !Number.isNaN(limit) ? row => compare(number(row), limit)
      : {unknown: `'${name}${operator}${wanted}': expected a number`};
  }
  const has = read ? row => values.includes(read(row)) : row => values.some(value => amount(value) === field.value(row));
  const missing = values.filter(value => axis ? !axis.values.includes(value)
    : read ? !Object.hasOwn(terms, value) && !scenario.column.status.includes(value) : Number.isNaN(amount(value)));
  return missing.length ? {unknown: `${name} is never '${missing.join("' or '")}'` +
    (axis ? `; it is ${axis.values.join(', ')}` : '')} : row => has(row) === (operator === '=');
}

function word(scenario, text) {
  const small = text.toLowerCase(), {configuration, status, message} = scenario.column;
  return row => `${configuration[row]} ${status[row]} ${message[row] ?? ''}`.toLowerCase().includes(small);
}

/* Returns {rows: the trials that fit, unknown: why conditions are ignored}. */
function filtered(scenario, text) {
  const tests = text.split(/\s+/).filter(Boolean).map(part => {
    const found = conditionForm.exec(part);
    return found ? condition(scenario, found[1], found[2], found[3]) : word(scenario, part);
  });
  const known = tests.filter(test => !test.unknown);
  return {rows: known.length ? scenario.rows.filter(row => known.every(test => test(row))) : scenario.rows,
    unknown: tests.filter(test => test.unknown).map(test => test.unknown)};
}
