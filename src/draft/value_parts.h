/* What the files of values share. */
#pragma once

#include "draft/parts.h"

enum { DRAFT_TERMS_MOST = 40, DRAFT_ATOMS_MOST = 6 };

/* A sum that is being added up. */
typedef struct draft_sum {
    draft_term terms[DRAFT_TERMS_MOST + 1];
    unsigned count;
} draft_sum;

draft_amount *draft_sum_value(const draft_sum *s);
/* Whether all of a sum is surely not negative, where all that it is made of is at least 1: for each
 * product that is taken off there is one that is a multiple of it. */
bool draft_is_not_negative(const draft_amount *v);
/* a / b if it has no rest; else NULL. */
draft_amount *draft_exact(draft_amount *a, draft_amount *b);
unsigned draft_terms_of(const draft_amount *v);
int64_t draft_apply(draft_operator kind, int64_t x, int64_t y);
