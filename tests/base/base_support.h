/* What every test of src/base includes. */
#ifndef GT_TESTS_BASE_SUPPORT_H
#define GT_TESTS_BASE_SUPPORT_H

#include "support/test.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
