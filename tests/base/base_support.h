/* Headers that every test of src/base includes. */
#pragma once

#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
