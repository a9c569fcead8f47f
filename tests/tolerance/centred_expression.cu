// Sums the rows of an input. The host computes the input's elements from an expression.
#pragma gputune kernel(centred)
#pragma gputune problem(rows = 256, columns = 1024)
#pragma gputune args(out float y[rows], \
                     in float x[rows][columns] = (index % columns < columns / 2 ? 1 : -1) * \
                         (min(index % columns, columns - 1 - index % columns) * 7919 % 2003 + 0.5) * \
                         1.2345 + (index % columns ? 0 : index * 0.0002), \
                     int rows, int columns)
#pragma gputune tune(ORDER = forwards, backwards, fours)
#pragma gputune tune(FAULT = none, off_by_one, half)
#pragma gputune default(ORDER = forwards, FAULT = none)
#pragma gputune require(FAULT == none || ORDER == forwards)
#pragma gputune block(64)
#pragma gputune grid(ceil_div(rows, 64))
#pragma gputune reference(centred_reference, block = 64, grid = ceil_div(rows, 64))
#include "centred.cuh"
