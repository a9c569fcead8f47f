/* The words of the page that a reader may not know. */

const terms = {
  'scenario': 'A kernel with its sizes, on one kind of GPU. Each scenario has its own winner.',
  'GPU': 'The GPU on which the scenario was measured.',
  'objective': 'What is minimised: the time of the kernel, of its launch, the latency or the energy; or maximised: the rate.',
  'default': 'The configuration that the template names. Each speed-up is measured against it.',
  'winner': 'The fastest configuration whose results are correct.',
  'speed-up': "The default's time divided by the winner's, measured in pairs, with the 95% interval.",
  'of limit': 'The higher of two shares: of the bandwidth of a copy, and of the peak of the arithmetic units.',
  'trials': 'The configurations that were tried, with those that failed.',
  'measured': 'When the winner was measured.',
  'flags': 'What to know about the winner before its time is trusted.',
  'tie': 'Another configuration is within 0.5% of the winner.',
  'noisy': 'Other programs used the GPU, or its clocks were held back.',
  'modelled': 'The emulator calculated the times; no GPU measured them.',
  'unfinished': 'The time limit or a cancel ended the search.',
  'unproved': 'The winner was not verified a second time. It is verified before it is launched.',
  'unreferenced': "The template has no reference, so the default's results are taken as correct.",
  'outdated': 'The template has been edited since.',
  'axis': 'Something that varies: a tunable of the template, a vector width, a cluster size, …',
  'worth': 'How much slower the best trial becomes if the axis is held at its worst value. It is an upper bound: more trials with a value could find a faster one.',
  'held at': 'For each value: how much slower the best trial with it is than the best of all, and in brackets the number of its trials.',
  'unknown': 'The default is the only trial with this value, so nothing tells what the value costs by itself.',
  'none works': 'All trials with this value failed.',
  '≤': 'The cost is at most this: the value has one trial, or none was measured to the end, so the time of a first launch counts.',
  'memory': "The bytes of work() in each second, as a share of what a copy within the GPU's memory reaches. Data in the L2 cache may exceed 100%.",
  'arithmetic': 'The operations of work() in each second, as a share of SMs x units x highest clock. This peak is calculated, not measured.',
  'trial': 'The number of the trial, in the order in which the results became final.',
  'seconds': 'When the result of the trial became final, in seconds after the first one.',
  'time': 'The median of the samples.',
  'slower': 'How much slower than the best trial.',
  'samples': 'How often the variant was measured.',
  'registers': 'Registers of each thread. More registers may mean fewer threads at a time.',
  'spills': 'Bytes of each thread that did not fit into registers and are kept in slow local memory.',
  'shared': 'Bytes of shared memory of each block.',
  'occupancy': 'The share of the threads that a multiprocessor could hold and that this variant lets it hold.',
  'compile': 'How long the compiler took for the variant.',
  'outcome': 'What became of the trial.',
  'ok': 'Measured until the race was decided.',
  'eliminated': 'Out of the race, because it surely cannot win.',
  'wrong': 'Computed a wrong result.',
  'crashed': 'Ended with an error of the GPU.',
  'hung': 'Did not end within its time limit.',
  'launch': 'Could not be launched.',
  'slow': 'Was not compiled within the time limit.',
  'proved': 'Verified, but not measured.',
  'failed': 'Not compiled, not launched, or wrong.',
  'roofline': 'The arithmetic of each byte of memory, against the operations in each second. Left of the bend memory is the limit, right of it arithmetic.',
};

/* Shows and explains a word: on hover, when it has the focus, and to a screen reader. */
function explain(element, name = element.textContent) {
  if (Object.hasOwn(terms, name)) {
    element.classList.add('term');
    element.setAttribute('aria-description', terms[name]);
    if (element.tabIndex < 0) {
      element.tabIndex = 0;
    }
  }
  return element;
}

const term = (text, name = text) => explain(create('span', {}, text), name);
