/* The member tables of everything that passes between host and worker. A member of a struct that is
 * missing here does not travel: tests/farm/test_wire.c looks for gaps. */
#include "base/device.h"
#include "base/hash.h"
#include "farm/wire.h"

#include <inttypes.h>
#include <stdio.h>

/* Each table is of the struct T. */
#define SIZE(member)    sizeof(((T *)0)->member)
#define ELEMENT(member) sizeof(*((T *)0)->member)
#define LENGTH(member)  (SIZE(member) / ELEMENT(member))

/* The kind of a number follows from its C type. */
#define KIND(expression)                                                                           \
    _Generic((expression), bool                                                                    \
             : GT_MEMBER_BOOL, double                                                              \
             : GT_MEMBER_REAL, uint32_t                                                            \
             : GT_MEMBER_UNSIGNED, uint64_t                                                        \
             : GT_MEMBER_UNSIGNED, int32_t                                                         \
             : GT_MEMBER_SIGNED, int64_t                                                           \
             : GT_MEMBER_SIGNED)

#define ONE(member, kind, limit, record)                                                           \
    {                                                                                              \
#member, kind, GT_REPEAT_ONE, offsetof(T, member), SIZE(member), limit, 0, 0, record       \
    }
#define NUMBER(member)           ONE(member, KIND(((T *)0)->member), 0, NULL)
#define ENUMERATOR(member, last) ONE(member, GT_MEMBER_ENUM, last, NULL)
#define STRING(member)           ONE(member, GT_MEMBER_STRING, 0, NULL)
#define BYTES(member)            ONE(member, GT_MEMBER_BYTES, 0, NULL)
#define TEXT(member)             ONE(member, GT_MEMBER_TEXT, 0, NULL)
#define IMAGE(member)            ONE(member, GT_MEMBER_IMAGE, 0, NULL)
#define STRUCT(member, record)   ONE(member, GT_MEMBER_STRUCT, 0, record)

#define FIXED(member, kind, record)                                                                \
    {                                                                                              \
#member, kind, GT_REPEAT_FIXED, offsetof(T, member), ELEMENT(member), LENGTH(member), 0,   \
            0, record                                                                              \
    }
#define NUMBERS(member)         FIXED(member, KIND(((T *)0)->member[0]), NULL)
#define STRUCTS(member, record) FIXED(member, GT_MEMBER_STRUCT, record)
/* All members from one to another, which are numbers of one type. */
#define SPAN(first, last)                                                                          \
    {                                                                                              \
#first, KIND(((T *)0)->first[0]), GT_REPEAT_FIXED, offsetof(T, first), ELEMENT(first),     \
            (offsetof(T, last) + SIZE(last) - offsetof(T, first)) / ELEMENT(first), 0, 0, NULL     \
    }

#define COUNTED(member, counter, kind, repeat, limit, record)                                      \
    {                                                                                              \
#member, kind, repeat, offsetof(T, member), ELEMENT(member), limit, offsetof(T, counter),  \
            SIZE(counter), record                                                                  \
    }
#define INLINE(member, counter, record)                                                            \
    COUNTED(member, counter, GT_MEMBER_STRUCT, GT_REPEAT_INLINE, LENGTH(member), record)
#define HEAP(member, counter, kind, record)                                                        \
    COUNTED(member, counter, kind, GT_REPEAT_HEAP, SIZE_MAX, record)

#define TEXT_OF(tokens) #tokens
#define NAME_OF(type)   TEXT_OF(type)
#define RECORD(symbol, ...)                                                                        \
    const gt_record symbol = {NAME_OF(T), sizeof(T), (const gt_member[]){__VA_ARGS__},             \
                              sizeof((const gt_member[]){__VA_ARGS__}) / sizeof(gt_member)}

/* ---- Launches -------------------------------------------------------------------------------- */

#define T gt_resources
static RECORD(resources, NUMBER(registers), NUMBER(spill_bytes), NUMBER(static_shared_bytes),
              NUMBER(local_bytes), NUMBER(constant_bytes), NUMBER(load_widths),
              NUMBER(store_widths));
#undef T

#define T gt_parameter
static RECORD(parameter, ENUMERATOR(kind, GT_PARAMETER_TEXTURE), NUMBER(bytes), NUMBER(argument),
              NUMBER(scratch_bytes), NUMBER(map), NUMBER(zero_first), NUMBER(holder),
              NUMBER(offset), NUMBER(base));
#undef T

#define T gt_clear
static RECORD(clear, NUMBER(parameter), NUMBER(bytes));
#undef T

#define T gt_l2_window
static RECORD(l2_window, NUMBER(used), NUMBER(parameter), NUMBER(set_aside_bytes),
              NUMBER(window_bytes));
#undef T

#define T gt_block
static RECORD(block, ENUMERATOR(pass, GT_PASS_GLOBAL), NUMBER(bytes), NUMBER(by_value_bytes),
              STRING(symbol), NUMBER(may_lack));
#undef T

#define T gt_tensormap
static RECORD(map, NUMBER(rank), NUMBER(type), NUMBER(interleave), NUMBER(swizzle),
              NUMBER(l2_promotion), NUMBER(nan_fill), NUMBER(alignment), NUMBERS(sizes),
              NUMBERS(strides), NUMBERS(box));
#undef T

#define T gt_texture
static RECORD(texture, NUMBER(format), NUMBER(channels), NUMBER(filter), NUMBER(address),
              NUMBER(flags), NUMBER(memory), NUMBER(height), NUMBER(depth), NUMBER(width),
              NUMBER(row_bytes), NUMBER(pitch_bytes));
#undef T

#define T gt_kernel_step
static RECORD(step, STRING(entry), SPAN(grid, parameters));
#undef T

#define T gt_sequence_item
static RECORD(item, ENUMERATOR(kind, GT_SEQUENCE_SWAP), NUMBER(index), NUMBER(target),
              NUMBER(first), NUMBER(count));
#undef T

#define T gt_instruction
static RECORD(instruction, ENUMERATOR(operation, GT_DO_LOG2), NUMBER(target), NUMBER(integer));
#undef T

#define T gt_sequence
static RECORD(sequence, INLINE(items, item_count, &item), INLINE(code, code_count, &instruction));
#undef T

#define T gt_launch
static RECORD(launch, INLINE(steps, step_count, &step), STRUCT(sequence, &sequence),
              NUMBER(carveout_kb), INLINE(blocks, block_count, &block), NUMBER(argument_count),
              INLINE(parameters, parameter_count, &parameter), NUMBER(held_count),
              INLINE(maps, map_count, &map), INLINE(textures, texture_count, &texture),
              INLINE(clears, clear_count, &clear), STRUCT(l2, &l2_window));
#undef T

/* ---- Workloads ------------------------------------------------------------------------------- */

#define T gt_buffer
static RECORD(buffer, STRING(name), ENUMERATOR(type, GT_TYPE_LAST), ENUMERATOR(direction, GT_INOUT),
              NUMBER(elements), NUMBER(bytes), NUMBER(per_element), NUMBER(alignment),
              NUMBER(first_number), NUMBER(number_count), ENUMERATOR(fill, GT_FILL_FILE),
              NUMBER(low), NUMBER(high), NUMBER(nan_ok), NUMBER(free), NUMBER(finite),
              NUMBER(variety), NUMBER(in_place), ENUMERATOR(reference_type, GT_TYPE_LAST));
#undef T

#define T gt_number
static RECORD(number, STRING(name), ENUMERATOR(type, GT_TYPE_LAST), NUMBER(offset),
              ENUMERATOR(fill, GT_FILL_CONSTANT), NUMBER(low), NUMBER(high), NUMBER(integer),
              NUMBER(problem_value));
#undef T

#define T gt_scalar
static RECORD(scalar, STRING(name), ENUMERATOR(type, GT_TYPE_LAST), NUMBER(integer), NUMBER(real),
              NUMBER(problem_value), NUMBER(bytes), NUMBER(first_number), NUMBER(number_count),
              NUMBER(is_stated), NUMBER(other_count), NUMBERS(other_integers),
              NUMBERS(other_reals));
#undef T

#define T gt_tolerance
static RECORD(tolerance, NUMBER(atol), NUMBER(rtol), NUMBER(stol), NUMBER(stated));
#undef T

#define T struct gt_workload_argument
static RECORD(argument, NUMBER(is_buffer), NUMBER(index));
#undef T

#define T gt_workload
static RECORD(workload, INLINE(blocks, block_count, &buffer),
              INLINE(arguments, argument_count, &argument), INLINE(buffers, buffer_count, &buffer),
              INLINE(scalars, scalar_count, &scalar), INLINE(numbers, number_count, &number),
              STRUCT(tolerance, &tolerance), NUMBER(has_reference), NUMBER(has_scale),
              NUMBER(refers_to_itself), NUMBER(has_check), NUMBER(has_expected), NUMBER(varied),
              NUMBER(has_init), STRUCT(init, &launch), STRUCT(reference, &launch),
              STRUCT(check, &launch), NUMBER(work_bytes), NUMBER(work_flops), NUMBERS(alignment),
              NUMBERS(innermost));
#undef T

/* ---- Jobs and answers ------------------------------------------------------------------------ */

#define T gt_nvrtc_request
static RECORD(source, TEXT(text), TEXT(arch), HEAP(options, option_count, GT_MEMBER_TEXT, NULL),
              HEAP(instances, instance_count, GT_MEMBER_TEXT, NULL), NUMBER(ptx),
              NUMBER(head_bytes));
#undef T

#define T gt_compile_job
RECORD(gt_record_compile_job, NUMBER(id), STRUCT(source, &source));
#undef T

#define T gt_compiled
RECORD(gt_record_compiled, IMAGE(image), TEXT(log), STRUCT(resources, &resources),
       NUMBER(compile_ns), NUMBER(nvrtc_version));
#undef T

#define T gt_live_input
static RECORD(input, NUMBER(workload), NUMBER(buffer), NUMBER(expected), NUMBER(is_ipc),
              BYTES(handle), NUMBER(offset), IMAGE(bytes));
#undef T

#define T gt_measure_setup
RECORD(gt_record_setup, ENUMERATOR(objective, GPUTUNE_OBJECTIVE_COUNT - 1),
       ENUMERATOR(cache, GPUTUNE_CACHE_HOT), NUMBER(seed),
       INLINE(workloads, workload_count, &workload), STRING(awkward), IMAGE(reference),
       IMAGE(service), HEAP(inputs, input_count, GT_MEMBER_STRUCT, &input), NUMBER(check));
#undef T

#define T gt_prepared
RECORD(gt_record_prepared, NUMBER(reference_ns), NUMBER(copy_bytes_per_s), NUMBER(prepare_ns),
       NUMBER(try_ns), NUMBER(trial_ns), NUMBER(further_ns), STRING(loose), NUMBER(loose_tolerance),
       NUMBER(loose_median));
#undef T

#define T gt_saved_output
static RECORD(save, NUMBER(buffer), TEXT(path), BYTES(head));
#undef T

#define T gt_verify_job
RECORD(gt_record_verify_job, NUMBER(id), IMAGE(image), STRUCTS(launches, &launch), NUMBER(standard),
       NUMBER(patient), NUMBER(work), NUMBER(slower_ns), NUMBER(proved), NUMBER(look_twice),
       HEAP(saves, save_count, GT_MEMBER_STRUCT, &save));
#undef T

#define T gt_verified
RECORD(gt_record_verified, NUMBER(proved), NUMBER(max_error), NUMBER(pilot_ns), NUMBER(occupancy),
       STRING(writes), STRING(trial), TEXT(findings));
#undef T

#define T gt_sample_job
RECORD(gt_record_sample_job, NUMBER(id), HEAP(variants, count, GT_MEMBER_UNSIGNED, NULL),
       ENUMERATOR(objective, GPUTUNE_OBJECTIVE_COUNT - 1), ENUMERATOR(length, GT_SAMPLE_QUICK),
       ENUMERATOR(sharing, GT_SHARING_FELT), NUMBER(judge));
#undef T

#define T gt_sampled
RECORD(gt_record_sampled, HEAP(values, count, GT_MEMBER_REAL, NULL), NUMBER(sm_clock_mhz),
       NUMBER(spoiled), NUMBER(noisy), STRING(other), ENUMERATOR(sharing, GT_SHARING_FELT),
       NUMBER(used_ratio));
#undef T

#define T gt_recheck_job
RECORD(gt_record_recheck_job, NUMBER(id), NUMBER(seed), NUMBER(share));
#undef T

#define T gt_id_job
RECORD(gt_record_id_job, NUMBER(id));
#undef T

#define T gt_device
RECORD(gt_record_device, STRING(name), STRING(uuid), STRING(arch), STRING(mig_profile),
       STRING(origin), STRING(environment), STRING(processor), NUMBER(ordinal), NUMBER(cc),
       NUMBER(sm_count), NUMBER(warp_size), NUMBER(max_threads_per_block),
       NUMBER(max_threads_per_sm), NUMBER(max_blocks_per_sm), NUMBER(registers_per_sm),
       NUMBER(registers_per_block), NUMBER(shared_per_block_bytes),
       NUMBER(shared_per_block_optin_bytes), NUMBER(shared_per_sm_bytes),
       NUMBER(shared_reserved_per_block_bytes), NUMBER(constant_bytes), NUMBER(l2_bytes),
       NUMBER(l2_persist_bytes), NUMBER(l2_window_bytes), NUMBER(memory_bytes),
       NUMBER(bus_width_bits), NUMBER(memory_clock_khz), NUMBER(sm_clock_khz), NUMBERS(max_block),
       NUMBERS(max_grid), NUMBER(cluster_launch), NUMBER(max_cluster), NUMBER(max_parameter_bytes),
       NUMBERS(carveout_kb), NUMBER(carveout_count), NUMBER(driver_version), NUMBER(nvrtc_version),
       NUMBER(emulated));
#undef T

#define T gt_ready
RECORD(gt_record_ready, NUMBER(nvrtc_version));
#undef T

#define T gt_hello
RECORD(gt_record_hello, STRING(version));
#undef T

#define T gt_hand
RECORD(gt_record_hand, NUMBER(sequence), NUMBER(current), NUMBER(trying));
#undef T

#define T gt_answer
RECORD(gt_record_answer, NUMBER(status), NUMBER(culprit), STRING(message));
#undef T

const gt_cargo gt_carried[GT_FRAME_KINDS] = {
    [GT_FRAME_HELLO] = {&gt_record_hello, NULL},
    [GT_FRAME_DEVICE] = {&gt_record_device, NULL},
    [GT_FRAME_READY] = {&gt_record_ready, NULL},
    [GT_FRAME_COMPILE] = {&gt_record_compile_job, &gt_record_compiled},
    [GT_FRAME_PREPARE] = {&gt_record_setup, &gt_record_prepared},
    [GT_FRAME_PREPARE_PLAIN] = {&gt_record_setup, &gt_record_prepared},
    [GT_FRAME_VERIFY] = {&gt_record_verify_job, &gt_record_verified},
    [GT_FRAME_RECHECK] = {&gt_record_recheck_job, &gt_record_verified},
    [GT_FRAME_SAMPLE] = {&gt_record_sample_job, &gt_record_sampled},
    [GT_FRAME_PACE] = {&gt_record_id_job, &gt_record_sampled},
    [GT_FRAME_DROP] = {&gt_record_id_job, NULL},
    [GT_FRAME_HAND] = {&gt_record_hand, NULL},
};

/* ---- Version --------------------------------------------------------------------------------- */

static void describe(gt_text *text, const gt_record *record)
{
    gt_text_printf(text, "%s %zu {", record->name, record->size);
    for (size_t i = 0; i < record->count; i++) {
        const gt_member *member = &record->members[i];
        gt_text_printf(text, "%s %d %d %zu %zu;", member->name, (int)member->kind,
                       (int)member->repeat, member->size, member->limit);
        if (member->record) {
            describe(text, member->record);
        }
    }
    gt_text_append(text, "}");
}

const char *gt_wire_version(char out[64])
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    describe(&text, &gt_record_answer);
    for (size_t i = 1; i < GT_FRAME_KINDS; i++) {
        describe(&text, gt_carried[i].job);
        if (gt_carried[i].reply) {
            describe(&text, gt_carried[i].reply);
        }
    }
    snprintf(out, 64, "%s/%016" PRIx64, GPUTUNE_VERSION_STRING,
             gt_hash64(gt_text_string(&text), text.length));
    return out;
}
