/* The member tables of everything that passes between host and worker. A member of a struct that is
 * missing here does not travel: tests/farm/test_wire.c looks for gaps. */
#include "base/device.h"
#include "base/hash.h"
#include "farm/wire.h"

#include <inttypes.h>
#include <stdio.h>

#define SIZE(type, member)    sizeof(((type *)0)->member)
#define ELEMENT(type, member) sizeof(*((type *)0)->member)
#define LENGTH(type, member)  (SIZE(type, member) / ELEMENT(type, member))

/* The kind of a number follows from its C type. */
#define KIND(expression)                                                                           \
    _Generic((expression), bool                                                                    \
             : GT_MEMBER_BOOL, double                                                              \
             : GT_MEMBER_REAL, uint32_t                                                            \
             : GT_MEMBER_UNSIGNED, uint64_t                                                        \
             : GT_MEMBER_UNSIGNED, int32_t                                                         \
             : GT_MEMBER_SIGNED, int64_t                                                           \
             : GT_MEMBER_SIGNED)

#define ONE(type, member, kind, limit, record)                                                     \
    {                                                                                              \
#member, kind, GT_REPEAT_ONE, offsetof(type, member), SIZE(type, member), limit, 0, 0,     \
            record                                                                                 \
    }
#define NUMBER(type, member)           ONE(type, member, KIND(((type *)0)->member), 0, NULL)
#define ENUMERATOR(type, member, last) ONE(type, member, GT_MEMBER_ENUM, last, NULL)
#define STRING(type, member)           ONE(type, member, GT_MEMBER_STRING, 0, NULL)
#define BYTES(type, member)            ONE(type, member, GT_MEMBER_BYTES, 0, NULL)
#define TEXT(type, member)             ONE(type, member, GT_MEMBER_TEXT, 0, NULL)
#define IMAGE(type, member)            ONE(type, member, GT_MEMBER_IMAGE, 0, NULL)
#define STRUCT(type, member, record)   ONE(type, member, GT_MEMBER_STRUCT, 0, record)

#define FIXED(type, member, kind, record)                                                          \
    {                                                                                              \
#member, kind, GT_REPEAT_FIXED, offsetof(type, member), ELEMENT(type, member),             \
            LENGTH(type, member), 0, 0, record                                                     \
    }
#define NUMBERS(type, member)         FIXED(type, member, KIND(((type *)0)->member[0]), NULL)
#define STRUCTS(type, member, record) FIXED(type, member, GT_MEMBER_STRUCT, record)

#define INLINE(type, member, counter, record)                                                      \
    {                                                                                              \
#member, GT_MEMBER_STRUCT, GT_REPEAT_INLINE, offsetof(type, member),                       \
            ELEMENT(type, member), LENGTH(type, member), offsetof(type, counter),                  \
            SIZE(type, counter), record                                                            \
    }
#define HEAP(type, member, counter, kind, record)                                                  \
    {                                                                                              \
#member, kind, GT_REPEAT_HEAP, offsetof(type, member), ELEMENT(type, member), SIZE_MAX,    \
            offsetof(type, counter), SIZE(type, counter), record                                   \
    }

#define RECORD(symbol, type, members)                                                              \
    const gt_record symbol = {#type, sizeof(type), members, sizeof(members) / sizeof *(members)}

/* ---- Launches -------------------------------------------------------------------------------- */

static const gt_member resources_members[] = {
    NUMBER(gt_resources, registers),           NUMBER(gt_resources, spill_bytes),
    NUMBER(gt_resources, static_shared_bytes), NUMBER(gt_resources, local_bytes),
    NUMBER(gt_resources, constant_bytes),      NUMBER(gt_resources, load_widths),
    NUMBER(gt_resources, store_widths),
};
static RECORD(resources, gt_resources, resources_members);

static const gt_member parameter_members[] = {
    ENUMERATOR(gt_parameter, kind, GT_PARAMETER_TENSORMAP),
    NUMBER(gt_parameter, bytes),
    NUMBER(gt_parameter, argument),
    NUMBER(gt_parameter, scratch_bytes),
    NUMBER(gt_parameter, map),
};
static RECORD(parameter, gt_parameter, parameter_members);

static const gt_member clear_members[] = {
    NUMBER(gt_clear, parameter),
    NUMBER(gt_clear, bytes),
};
static RECORD(clear, gt_clear, clear_members);

static const gt_member l2_members[] = {
    NUMBER(gt_l2_window, used),
    NUMBER(gt_l2_window, parameter),
    NUMBER(gt_l2_window, set_aside_bytes),
    NUMBER(gt_l2_window, window_bytes),
};
static RECORD(l2_window, gt_l2_window, l2_members);

static const gt_member block_members[] = {
    ENUMERATOR(gt_block, pass, GT_PASS_GLOBAL),
    NUMBER(gt_block, bytes),
    NUMBER(gt_block, by_value_bytes),
    STRING(gt_block, symbol),
    NUMBER(gt_block, may_lack),
};
static RECORD(block, gt_block, block_members);

static const gt_member map_members[] = {
    NUMBER(gt_tensormap, rank),         NUMBER(gt_tensormap, type),
    NUMBER(gt_tensormap, interleave),   NUMBER(gt_tensormap, swizzle),
    NUMBER(gt_tensormap, l2_promotion), NUMBER(gt_tensormap, nan_fill),
    NUMBER(gt_tensormap, alignment),    NUMBERS(gt_tensormap, sizes),
    NUMBERS(gt_tensormap, strides),     NUMBERS(gt_tensormap, box),
};
static RECORD(map, gt_tensormap, map_members);
static const gt_member step_members[] = {
    STRING(gt_kernel_step, entry),        NUMBERS(gt_kernel_step, grid),
    NUMBERS(gt_kernel_step, block),       NUMBERS(gt_kernel_step, cluster),
    NUMBER(gt_kernel_step, shared_bytes), NUMBER(gt_kernel_step, preferred_cluster),
    NUMBER(gt_kernel_step, times),        NUMBER(gt_kernel_step, cooperative),
    NUMBER(gt_kernel_step, programmatic), NUMBER(gt_kernel_step, parameter_count),
    NUMBERS(gt_kernel_step, parameters),
};
static RECORD(step, gt_kernel_step, step_members);

static const gt_member item_members[] = {
    ENUMERATOR(gt_sequence_item, kind, GT_SEQUENCE_SWAP),
    NUMBER(gt_sequence_item, index),
    NUMBER(gt_sequence_item, target),
    NUMBER(gt_sequence_item, first),
    NUMBER(gt_sequence_item, count),
};
static RECORD(item, gt_sequence_item, item_members);

static const gt_member instruction_members[] = {
    ENUMERATOR(gt_instruction, operation, GT_DO_LOG2),
    NUMBER(gt_instruction, target),
    NUMBER(gt_instruction, integer),
};
static RECORD(instruction, gt_instruction, instruction_members);

static const gt_member sequence_members[] = {
    INLINE(gt_sequence, items, item_count, &item),
    INLINE(gt_sequence, code, code_count, &instruction),
};
static RECORD(sequence, gt_sequence, sequence_members);

static const gt_member launch_members[] = {
    INLINE(gt_launch, steps, step_count, &step),
    STRUCT(gt_launch, sequence, &sequence),
    NUMBER(gt_launch, carveout_kb),
    INLINE(gt_launch, blocks, block_count, &block),
    NUMBER(gt_launch, argument_count),
    INLINE(gt_launch, parameters, parameter_count, &parameter),
    INLINE(gt_launch, maps, map_count, &map),
    INLINE(gt_launch, clears, clear_count, &clear),
    STRUCT(gt_launch, l2, &l2_window),
};
static RECORD(launch, gt_launch, launch_members);

/* ---- Workloads ------------------------------------------------------------------------------- */

static const gt_member buffer_members[] = {
    STRING(gt_buffer, name),
    ENUMERATOR(gt_buffer, type, GT_TYPE_LAST),
    ENUMERATOR(gt_buffer, direction, GT_INOUT),
    NUMBER(gt_buffer, elements),
    NUMBER(gt_buffer, bytes),
    NUMBER(gt_buffer, per_element),
    NUMBER(gt_buffer, alignment),
    NUMBER(gt_buffer, first_number),
    NUMBER(gt_buffer, number_count),
    ENUMERATOR(gt_buffer, fill, GT_FILL_FILE),
    NUMBER(gt_buffer, low),
    NUMBER(gt_buffer, high),
    NUMBER(gt_buffer, nan_ok),
    NUMBER(gt_buffer, free),
    NUMBER(gt_buffer, finite),
    NUMBER(gt_buffer, variety),
    NUMBER(gt_buffer, in_place),
    ENUMERATOR(gt_buffer, reference_type, GT_TYPE_LAST),
};
static RECORD(buffer, gt_buffer, buffer_members);

static const gt_member number_members[] = {
    STRING(gt_number, name),    ENUMERATOR(gt_number, type, GT_TYPE_LAST),
    NUMBER(gt_number, offset),  ENUMERATOR(gt_number, fill, GT_FILL_CONSTANT),
    NUMBER(gt_number, low),     NUMBER(gt_number, high),
    NUMBER(gt_number, integer), NUMBER(gt_number, problem_value),
};
static RECORD(number, gt_number, number_members);

static const gt_member scalar_members[] = {
    STRING(gt_scalar, name),
    ENUMERATOR(gt_scalar, type, GT_TYPE_LAST),
    NUMBER(gt_scalar, integer),
    NUMBER(gt_scalar, real),
    NUMBER(gt_scalar, problem_value),
    NUMBER(gt_scalar, bytes),
    NUMBER(gt_scalar, first_number),
    NUMBER(gt_scalar, number_count),
    NUMBER(gt_scalar, is_stated),
    NUMBER(gt_scalar, other_count),
    NUMBERS(gt_scalar, other_integers),
    NUMBERS(gt_scalar, other_reals),
};
static RECORD(scalar, gt_scalar, scalar_members);

static const gt_member tolerance_members[] = {
    NUMBER(gt_tolerance, atol),
    NUMBER(gt_tolerance, rtol),
    NUMBER(gt_tolerance, stol),
    NUMBER(gt_tolerance, stated),
};
static RECORD(tolerance, gt_tolerance, tolerance_members);

/* gt_workload.arguments has no type name of its own; offsets are taken within element 0. */
#define ARGUMENT(member)                                                                           \
    {                                                                                              \
#member, KIND(((gt_workload *)0)->arguments[0].member), GT_REPEAT_ONE,                     \
            offsetof(gt_workload, arguments[0].member) - offsetof(gt_workload, arguments[0]),      \
            SIZE(gt_workload, arguments[0].member), 0, 0, 0, NULL                                  \
    }
static const gt_member argument_members[] = {ARGUMENT(is_buffer), ARGUMENT(index)};
static const gt_record argument = {"argument", SIZE(gt_workload, arguments[0]), argument_members,
                                   sizeof argument_members / sizeof *argument_members};

static const gt_member workload_members[] = {
    INLINE(gt_workload, blocks, block_count, &buffer),
    INLINE(gt_workload, arguments, argument_count, &argument),
    INLINE(gt_workload, buffers, buffer_count, &buffer),
    INLINE(gt_workload, scalars, scalar_count, &scalar),
    INLINE(gt_workload, numbers, number_count, &number),
    STRUCT(gt_workload, tolerance, &tolerance),
    NUMBER(gt_workload, has_reference),
    NUMBER(gt_workload, has_scale),
    NUMBER(gt_workload, refers_to_itself),
    NUMBER(gt_workload, has_check),
    NUMBER(gt_workload, has_expected),
    NUMBER(gt_workload, varied),
    NUMBER(gt_workload, has_init),
    STRUCT(gt_workload, init, &launch),
    STRUCT(gt_workload, reference, &launch),
    STRUCT(gt_workload, check, &launch),
    NUMBER(gt_workload, work_bytes),
    NUMBER(gt_workload, work_flops),
    NUMBERS(gt_workload, alignment),
    NUMBERS(gt_workload, innermost),
};
static RECORD(workload, gt_workload, workload_members);

/* ---- Jobs and answers ------------------------------------------------------------------------ */

static const gt_member compile_job_members[] = {
    NUMBER(gt_compile_job, id),
    TEXT(gt_compile_job, text),
    HEAP(gt_compile_job, options, option_count, GT_MEMBER_TEXT, NULL),
    TEXT(gt_compile_job, arch),
    NUMBER(gt_compile_job, ptx),
    NUMBER(gt_compile_job, want_ptx),
    HEAP(gt_compile_job, instances, instance_count, GT_MEMBER_TEXT, NULL),
    NUMBER(gt_compile_job, head_bytes),
};
RECORD(gt_record_compile_job, gt_compile_job, compile_job_members);

static const gt_member compiled_members[] = {
    IMAGE(gt_compiled, image),       IMAGE(gt_compiled, ptx),
    TEXT(gt_compiled, log),          STRUCT(gt_compiled, resources, &resources),
    NUMBER(gt_compiled, compile_ns), NUMBER(gt_compiled, nvrtc_version),
};
RECORD(gt_record_compiled, gt_compiled, compiled_members);

static const gt_member input_members[] = {
    NUMBER(gt_live_input, workload), NUMBER(gt_live_input, buffer), NUMBER(gt_live_input, expected),
    NUMBER(gt_live_input, is_ipc),   BYTES(gt_live_input, handle),  NUMBER(gt_live_input, offset),
    IMAGE(gt_live_input, bytes),
};
static RECORD(input, gt_live_input, input_members);

static const gt_member setup_members[] = {
    ENUMERATOR(gt_measure_setup, objective, GPUTUNE_OBJECTIVE_COUNT - 1),
    ENUMERATOR(gt_measure_setup, cache, GPUTUNE_CACHE_HOT),
    NUMBER(gt_measure_setup, seed),
    INLINE(gt_measure_setup, workloads, workload_count, &workload),
    IMAGE(gt_measure_setup, reference),
    IMAGE(gt_measure_setup, service),
    HEAP(gt_measure_setup, inputs, input_count, GT_MEMBER_STRUCT, &input),
    NUMBER(gt_measure_setup, exhaustive),
    NUMBER(gt_measure_setup, check),
};
RECORD(gt_record_setup, gt_measure_setup, setup_members);

static const gt_member prepared_members[] = {
    NUMBER(gt_prepared, reference_ns),
    NUMBER(gt_prepared, copy_bytes_per_s),
    NUMBER(gt_prepared, prepare_ns),
    NUMBER(gt_prepared, trial_ns),
    ENUMERATOR(gt_prepared, proof, GT_PROOF_DEFAULT),
    STRING(gt_prepared, loose),
    NUMBER(gt_prepared, loose_tolerance),
    NUMBER(gt_prepared, loose_median),
};
RECORD(gt_record_prepared, gt_prepared, prepared_members);

static const gt_member verify_job_members[] = {
    NUMBER(gt_verify_job, id),
    IMAGE(gt_verify_job, image),
    STRUCTS(gt_verify_job, launches, &launch),
    NUMBER(gt_verify_job, standard),
    NUMBER(gt_verify_job, patient),
    NUMBER(gt_verify_job, work),
    NUMBER(gt_verify_job, slower_ns),
    NUMBER(gt_verify_job, look_twice),
};
RECORD(gt_record_verify_job, gt_verify_job, verify_job_members);

static const gt_member verified_members[] = {
    NUMBER(gt_verified, proved),
    NUMBER(gt_verified, max_error),
    STRUCT(gt_verified, tolerance, &tolerance),
    NUMBER(gt_verified, pilot_ns),
    NUMBER(gt_verified, occupancy),
    STRUCT(gt_verified, resources, &resources),
    STRING(gt_verified, writes),
    STRING(gt_verified, trial),
    TEXT(gt_verified, findings),
};
RECORD(gt_record_verified, gt_verified, verified_members);

static const gt_member sample_job_members[] = {
    NUMBER(gt_sample_job, id),
    HEAP(gt_sample_job, variants, count, GT_MEMBER_UNSIGNED, NULL),
    ENUMERATOR(gt_sample_job, objective, GPUTUNE_OBJECTIVE_COUNT - 1),
    ENUMERATOR(gt_sample_job, length, GT_SAMPLE_QUICK),
    ENUMERATOR(gt_sample_job, sharing, GT_SHARING_FELT),
    NUMBER(gt_sample_job, judge),
};
RECORD(gt_record_sample_job, gt_sample_job, sample_job_members);

static const gt_member sampled_members[] = {
    HEAP(gt_sampled, values, count, GT_MEMBER_REAL, NULL),
    NUMBER(gt_sampled, sm_clock_mhz),
    NUMBER(gt_sampled, memory_clock_mhz),
    NUMBER(gt_sampled, throttle),
    NUMBER(gt_sampled, spoiled),
    NUMBER(gt_sampled, noisy),
    STRING(gt_sampled, other),
    ENUMERATOR(gt_sampled, sharing, GT_SHARING_FELT),
    NUMBER(gt_sampled, used_ratio),
};
RECORD(gt_record_sampled, gt_sampled, sampled_members);

static const gt_member recheck_members[] = {
    NUMBER(gt_recheck_job, id),
    NUMBER(gt_recheck_job, seed),
    NUMBER(gt_recheck_job, share),
};
RECORD(gt_record_recheck_job, gt_recheck_job, recheck_members);

static const gt_member drop_members[] = {NUMBER(gt_drop_job, id)};
RECORD(gt_record_drop, gt_drop_job, drop_members);

static const gt_member device_members[] = {
    STRING(gt_device, name),
    STRING(gt_device, uuid),
    STRING(gt_device, arch),
    STRING(gt_device, mig_profile),
    STRING(gt_device, origin),
    STRING(gt_device, environment),
    NUMBER(gt_device, ordinal),
    NUMBER(gt_device, cc),
    NUMBER(gt_device, sm_count),
    NUMBER(gt_device, warp_size),
    NUMBER(gt_device, max_threads_per_block),
    NUMBER(gt_device, max_threads_per_sm),
    NUMBER(gt_device, max_blocks_per_sm),
    NUMBER(gt_device, registers_per_sm),
    NUMBER(gt_device, registers_per_block),
    NUMBER(gt_device, shared_per_block_bytes),
    NUMBER(gt_device, shared_per_block_optin_bytes),
    NUMBER(gt_device, shared_per_sm_bytes),
    NUMBER(gt_device, shared_reserved_per_block_bytes),
    NUMBER(gt_device, constant_bytes),
    NUMBER(gt_device, l2_bytes),
    NUMBER(gt_device, l2_persist_bytes),
    NUMBER(gt_device, l2_window_bytes),
    NUMBER(gt_device, memory_bytes),
    NUMBER(gt_device, bus_width_bits),
    NUMBER(gt_device, memory_clock_khz),
    NUMBER(gt_device, sm_clock_khz),
    NUMBERS(gt_device, max_block),
    NUMBERS(gt_device, max_grid),
    NUMBER(gt_device, cluster_launch),
    NUMBER(gt_device, max_cluster),
    NUMBER(gt_device, max_parameter_bytes),
    NUMBERS(gt_device, carveout_kb),
    NUMBER(gt_device, carveout_count),
    NUMBER(gt_device, driver_version),
    NUMBER(gt_device, nvrtc_version),
    NUMBER(gt_device, emulated),
};
RECORD(gt_record_device, gt_device, device_members);

static const gt_member hello_members[] = {STRING(gt_hello, version)};
RECORD(gt_record_hello, gt_hello, hello_members);

static const gt_member answer_members[] = {
    NUMBER(gt_answer, status),
    NUMBER(gt_answer, culprit),
    STRING(gt_answer, message),
};
RECORD(gt_record_answer, gt_answer, answer_members);

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
    static const gt_record *const all[] = {
        &gt_record_compile_job, &gt_record_compiled, &gt_record_setup,      &gt_record_prepared,
        &gt_record_verify_job,  &gt_record_verified, &gt_record_sample_job, &gt_record_sampled,
        &gt_record_recheck_job, &gt_record_drop,     &gt_record_device,     &gt_record_answer,
    };
    gt_text text = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        describe(&text, all[i]);
    }
    snprintf(out, 64, "%s/%016" PRIx64, GPUTUNE_VERSION_STRING,
             gt_hash64(gt_text_string(&text), text.length));
    gt_text_free(&text);
    return out;
}
