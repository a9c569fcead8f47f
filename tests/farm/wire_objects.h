/* Fills the structs of the channel between host and worker with random values. */
#pragma once

#include "base/random.h"
#include "farm/wire.h"

#include "support/random_normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const gt_record *const records[] = {
    &gt_record_compile_job, &gt_record_compiled, &gt_record_measure_setup, &gt_record_prepared,
    &gt_record_verify_job,  &gt_record_verified, &gt_record_sample_job,    &gt_record_sampled,
    &gt_record_recheck_job, &gt_record_id_job,   &gt_record_device,        &gt_record_answer,
};
enum { RECORDS = sizeof records / sizeof *records };

static void fill(const gt_record *record, char *object, gt_random *random);

static void fill_element(const gt_member *member, char *at, gt_random *random)
{
    uint64_t number = gt_random_next(random);
    double real = random_normal(random);
    char *text = NULL;
    gt_image image = {NULL, 0};
    switch (member->kind) {
    case GT_MEMBER_BOOL:
        *at = (char)(number & 1);
        return;
    case GT_MEMBER_ENUM:
        number = gt_random_below(random, member->limit + 1);
        memcpy(at, &number, member->size); /* requires a little-endian host */
        return;
    case GT_MEMBER_STRING:
        memset(at, 'a' + (int)(number % 26), member->size - 1);
        return;
    case GT_MEMBER_SIGNED:
    case GT_MEMBER_UNSIGNED:
    case GT_MEMBER_BYTES:
        for (size_t i = 0; i < member->size; i++) {
            at[i] = (char)gt_random_next(random);
        }
        return;
    case GT_MEMBER_REAL:
        real = number % 5 == 0 ? (double)NAN : number % 5 == 1 ? -(double)INFINITY : real;
        memcpy(at, &real, sizeof real);
        return;
    case GT_MEMBER_TEXT:
        text = number % 4 ? strdup("line\n\xff caf\xe9 \"quoted\"") : NULL;
        memcpy(at, &text, sizeof text);
        return;
    case GT_MEMBER_IMAGE:
        image.bytes = number % 4 ? 1 + number % 1000 : 0;
        image.data = image.bytes ? malloc(image.bytes) : NULL;
        if (image.data) {
            memset(image.data, (int)number, image.bytes);
        }
        memcpy(at, &image, sizeof image);
        return;
    case GT_MEMBER_STRUCT:
        fill(member->record, at, random);
    }
}

static void fill(const gt_record *record, char *object, gt_random *random)
{
    for (size_t i = 0; i < record->count; i++) {
        const gt_member *member = &record->members[i];
        char *items = object + member->offset;
        uint64_t count = member->repeat == GT_REPEAT_ONE     ? 1
                         : member->repeat == GT_REPEAT_FIXED ? member->limit
                                                             : gt_random_below(random, 3);
        if (member->repeat == GT_REPEAT_HEAP) {
            items = calloc(count + 1, member->size);
            memcpy(object + member->offset, &items, sizeof items);
        }
        memcpy(object + member->count_offset, &count, member->count_size);
        for (uint64_t k = 0; k < count; k++) {
            fill_element(member, items + k * member->size, random);
        }
    }
}
