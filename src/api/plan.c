/* Plans: the launches of a winner and its fallback, and the checks before each launch.
 *
 * A plan belongs to the pool of its tuner. It is in one of these states:
 * - Owned: the plan has a reference count, and is freed with the last reference. Every plan begins
 *   as owned. It stays owned if its request has inputs of the caller, if the table is full, or if
 *   the table already has the same result.
 * - Kept: the plan is in the table, so any thread may find it. It lives as long as its tuner. It
 *   has no reference count, because all threads would write to the same cache line at each call.
 * - Ended: gputune_close() has unloaded the code and freed what the plan points to.
 *   `argument_count` is then ENDED. No launch has so many arguments, so a launch that checks its
 *   number of arguments needs no other check for a closed tuner. The struct stays until its last
 *   reference is released or, for a kept plan, until the tuner's handle is freed.
 *
 * A plan that a rule chose is made from a model, which is a plan of the same variant at other
 * sizes. It is a single allocation, and uses the model's code and names of arguments. The results
 * of gputune_plan_info() and similar functions are computed when one of them is first called. */
#include "api/plan.h"

#include "api/background.h"
#include "api/call.h"
#include "base/array.h"
#include "base/condition.h"
#include "base/number.h"
#include "base/signals.h"
#include "base/sized.h"
#include "base/text.h"
#include "gpu/launcher.h"
#include "kernel/bind/problem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Two buffers that must not overlap, identified by the indices of their arguments. */
typedef struct gt_pair {
    uint64_t written_bytes, other_bytes;
    uint8_t written, other;
    bool may_coincide; /* true if in_place() allows equal addresses */
    bool is_out_of_in; /* true for an output and an input, which in_place() could pair */
} gt_pair;

typedef GT_ARRAY(gt_pair) gt_pairs;

gputune_status gt_plan_context(gt_context *out, const gt_driver *driver, int ordinal,
                               const char *kernel)
{
    CUdevice current;
    gputune_status status = gt_context_current(out, driver);
    if (status != GPUTUNE_OK) {
        return gt_fail_prefix(status, "%s", kernel);
    }
    GT_CUDA(driver, CtxGetDevice, &current);
    return current == ordinal
               ? GPUTUNE_OK
               : gt_fail(
                     GPUTUNE_EINVAL,
                     "%s: the current context belongs to device %d, but the plan is for device %d; "
                     "make a context of that device current, or open a tuner for each device",
                     kernel, (int)current, ordinal);
}

static const gt_buffer *buffer_at(const gt_workload *workload, uint32_t argument)
{
    uint32_t index = workload->arguments[argument].index;
    return workload->arguments[argument].is_buffer ? &workload->buffers[index] : NULL;
}

static gputune_status add_pair(gt_pairs *out, const gt_workload *workload, uint32_t written,
                               uint32_t other)
{
    const gt_buffer *a = buffer_at(workload, written), *b = buffer_at(workload, other);
    const gt_pair pair = {.written_bytes = a->bytes,
                          .other_bytes = b->bytes,
                          .written = (uint8_t)(workload->block_count + written),
                          .other = (uint8_t)(workload->block_count + other),
                          .may_coincide = a->in_place == b - workload->buffers + 1,
                          .is_out_of_in = a->direction == GT_OUT && b->direction == GT_IN};
    return gt_array_push(out, pair);
}

static gputune_status list_pairs(gt_pairs *out, const gt_workload *workload)
{
    _Static_assert(GT_BLOCK_MAX + GT_PARAMETER_MAX <= UINT8_MAX, "a place is a byte");
    for (uint32_t i = 0; i < workload->argument_count; i++) {
        const gt_buffer *written = buffer_at(workload, i);
        for (uint32_t k = 0; k < workload->argument_count; k++) {
            const gt_buffer *other = buffer_at(workload, k);
            if (i != k && written && other && written->direction != GT_IN &&
                (other->direction == GT_IN || i < k)) {
                GT_TRY(add_pair(out, workload, i, k));
            }
        }
    }
    return GPUTUNE_OK;
}

static gputune_status pair_judge(const gt_pair *pair, const char *kernel, const char *written,
                                 const char *other, const void *const *items)
{
    uintptr_t a = *(const uintptr_t *)items[pair->written];
    uintptr_t b = *(const uintptr_t *)items[pair->other];
    if (!a || !b || (pair->may_coincide && a == b)) {
        return GPUTUNE_OK;
    }
    char remedy[2 * GT_NAME_MAX + 64] = "";
    if (pair->may_coincide) {
        gt_snprintf(remedy, sizeof remedy, ", or the same address for both");
    } else if (pair->is_out_of_in && pair->written_bytes == pair->other_bytes) {
        gt_snprintf(remedy, sizeof remedy, ", or put in_place(%s : %s) into the template", written,
                    other);
    }
    return gt_fail(GPUTUNE_EINVAL,
                   "%s: the output %s (%llu bytes at %p) overlaps %s (%llu bytes at %p), but the "
                   "plan was verified only with separate buffers; pass separate buffers%s",
                   kernel, written, (unsigned long long)pair->written_bytes, (void *)a, other,
                   (unsigned long long)pair->other_bytes, (void *)b, remedy);
}

typedef enum check_kind { CHECK_NONE, CHECK_BUFFER, CHECK_SIZE } check_kind;

/* How to check an argument before a launch. The struct is kept small, because it is usually not in
 * the L1 cache when the plan is launched. */
typedef struct check {
    uint8_t kind; /* check_kind */
    uint8_t type; /* a gt_type; set only for scalars */
    uint8_t size; /* index of the size in the problem values */
    union {
        int64_t expected; /* a size's value */
        struct {          /* a correct address has 0 in these bits */
            uint32_t aligned_bits;
            uint32_t element_bits;
        };
    };
} check;

/* A member of a struct argument that has the name of a problem size. */
typedef struct member {
    uint32_t argument, offset;
    check check;
    char name[GT_NAME_MAX];
} member;

typedef GT_ARRAY(member) gt_members;

enum { ENDED = UINT32_MAX }; /* value of argument_count after the plan's tuner was closed */

typedef struct plan_facts {
    gputune_info info;
    gt_description description;
    const gt_launch_view *launch; /* the winner's */
    gt_launch_view *own_launch;
    char *configuration, *default_configuration, *stop_reason;
    char *grids, *blocks;
} plan_facts;

struct gputune_plan {
    const gt_driver *driver; /* launches read only the members from here to `checks` */
    uint32_t argument_count;
    uint32_t check_count;
    bool further_checks;
    bool needs_alignment; /* true if the winner needs aligned buffers */
    bool kept;
    gt_pairs pairs;
    gt_plan_code *winner, *fallback; /* `fallback`: code that works at any alignment, or NULL */
    const gt_launch_sizes *sizes;    /* sizes of the winner's launch; NULL: those in `winner` */
    check *checks;
    const gt_plan_model *model; /* the rule's model, or NULL if the plan has its own code */
    const int64_t *numbers;     /* the problem values, if the plan has a model */
    gt_members members;
    atomic_uint references;
    gt_plan_pool *pool;
    gputune_plan *next, **link;
    _Atomic(plan_facts *) facts;
    gt_miss *miss;
    gt_watch *watch;
    char *kernel; /* a name; allocated with the plan if there is a model */
};

static pthread_mutex_t owners = PTHREAD_MUTEX_INITIALIZER;

/* --- making ----------------------------------------------------------------------------------- */

/* Returns true for an integer that has the name of a problem size. */
static bool is_checked(const gt_number *number)
{
    return number->problem_value >= 0 && !gt_type_is_float(number->type);
}

static gputune_status make_member_checks(gputune_plan *plan, const gt_workload *workload,
                                         const gt_scalar *scalar, uint32_t argument)
{
    for (uint32_t i = 0; i < scalar->number_count; i++) {
        const gt_number *number = &workload->numbers[scalar->first_number + i];
        member one = {argument, number->offset, {.kind = CHECK_SIZE}, ""};
        if (is_checked(number)) {
            one.check.type = (uint8_t)number->type;
            one.check.expected = number->integer;
            memcpy(one.name, number->name, sizeof one.name);
            GT_TRY(gt_array_push(&plan->members, one));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status make_checks(gputune_plan *plan, const gt_workload *workload)
{
    uint32_t count = workload->block_count; /* parameter blocks are not checked */
    plan->checks = calloc(count + workload->argument_count + 1, sizeof *plan->checks);
    GT_TRY(gt_allocated(plan->checks));
    for (uint32_t i = 0; i < workload->argument_count; i++) {
        check *c = &plan->checks[count++];
        uint32_t index = workload->arguments[i].index;
        if (workload->arguments[i].is_buffer) {
            *c = (check){CHECK_BUFFER, .aligned_bits = workload->alignment[index] - 1,
                         .element_bits = gt_buffer_alignment(&workload->buffers[index]) - 1};
            continue;
        }
        const gt_scalar *scalar = &workload->scalars[index];
        const gt_number *number = gt_scalar_number(workload, scalar);
        *c = (check){.kind = CHECK_NONE};
        if (!number) {
            GT_TRY(make_member_checks(plan, workload, scalar, count - 1));
        } else if (is_checked(number)) {
            *c = (check){CHECK_SIZE, (uint8_t)number->type, (uint8_t)number->problem_value,
                         .expected = number->integer};
        }
    }
    plan->check_count = count;
    plan->argument_count = count - plan->winner->launch->held_count;
    plan->further_checks = plan->pool->debug || plan->members.count > 0;
    return GPUTUNE_OK;
}

static gputune_status make_code(gt_plan_code **out, gt_launch *launch, gt_plan_pool *pool,
                                const gt_request *request, const gt_config *config, gt_image *image)
{
    GT_FREED gt_launch_view *packed = NULL;
    GT_TRY(gt_launch_bind(launch, request->template, &request->problem, config, request->device));
    GT_TRY(gt_launch_pack(&packed, launch));
    GT_TRY(gt_plan_code_make(out, pool, packed, image));
    packed = NULL;
    return GPUTUNE_OK;
}

static gputune_status make_texts(plan_facts *facts, const gt_request *request,
                                 const gt_choice *choice, const gt_launch *launch)
{
    const gt_config standard = gt_config_default(request->template);
    GT_TRY(gt_config_text(&facts->configuration, request->template, &choice->config));
    GT_TRY(gt_config_text(&facts->default_configuration, request->template, &standard));
    char text[GT_SHAPES_TEXT];
    gt_launch_grids(text, launch);
    GT_TRY(gt_strdup(&facts->grids, text));
    gt_launch_blocks(text, launch);
    GT_TRY(gt_strdup(&facts->blocks, text));
    return gt_strdup(&facts->stop_reason, choice->stop_reason);
}

static void make_info(plan_facts *facts, const gputune_plan *plan, const gt_request *request,
                      const gt_choice *choice)
{
    const gt_kernel_step *g = &facts->launch->steps[0];
    facts->info = (gputune_info){.size = sizeof(gputune_info),
                                 .kernel = plan->kernel,
                                 .configuration = facts->configuration,
                                 .default_configuration = facts->default_configuration,
                                 .source = choice->source,
                                 .objective = request->options.objective,
                                 .time_ns = choice->time_ns,
                                 .default_ns = choice->default_ns,
                                 .speedup = choice->verdict.speedup,
                                 .speedup_low = choice->verdict.speedup_low,
                                 .speedup_high = choice->verdict.speedup_high,
                                 .tie = choice->verdict.tie,
                                 .noisy = choice->verdict.noisy,
                                 .modelled = request->device->emulated && choice->time_ns > 0,
                                 .shared_bytes = g->shared_bytes,
                                 .carveout_kb = facts->launch->carveout_kb,
                                 .registers = choice->resources.registers,
                                 .spill_bytes = choice->resources.spill_bytes,
                                 .variants = choice->variants,
                                 .failed = choice->failed,
                                 .stop_reason = facts->stop_reason,
                                 .sizes = facts->description.sizes,
                                 .outside_only = choice->outside_only,
                                 .arguments = plan->argument_count};
    facts->info.grids = facts->grids;
    facts->info.blocks = facts->blocks;
    memcpy(facts->info.grid, g->grid, sizeof g->grid);
    memcpy(facts->info.block, g->block, sizeof g->block);
    memcpy(facts->info.cluster, g->cluster, sizeof g->cluster);
}

static void free_facts(plan_facts **freed)
{
    plan_facts *facts = *freed;
    if (!facts) {
        return;
    }
    gt_description_free(&facts->description);
    free(facts->own_launch);
    free(facts->grids);
    free(facts->blocks);
    free(facts->configuration);
    free(facts->default_configuration);
    free(facts->stop_reason);
    free(facts);
}

static gputune_status make_facts(plan_facts **out, const gputune_plan *plan,
                                 const gt_request *request, const gt_choice *choice,
                                 const gt_launch *launch, const gt_launch_view *view)
{
    GT_SCOPED(free_facts) plan_facts *facts = calloc(1, sizeof *facts);
    GT_TRY(gt_allocated(facts));
    if (!view) {
        GT_TRY(gt_launch_pack(&facts->own_launch, launch));
    }
    facts->launch = view ? view : facts->own_launch;
    GT_TRY(gt_description_make(&facts->description, request, facts->launch));
    GT_TRY(make_texts(facts, request, choice, launch));
    make_info(facts, plan, request, choice);
    *out = gt_take(&facts);
    return GPUTUNE_OK;
}

static gputune_status load_code(gt_launcher **out, gputune_plan *plan, gt_plan_code *code)
{
    GT_REFUSE(!plan->driver, GPUTUNE_EUNSUPPORTED,
              "%s: the tuner of this plan was opened with tune_only, so it cannot launch",
              plan->kernel);
    *out = gt_plan_code_loaded(code, plan->driver);
    if (*out) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_signal_release) gt_held_signal calm;
    gt_signal_hold(&calm);
    return gt_application_status(gt_plan_code_load(out, code));
}

/* Loads the code if a context of the plan's device is current and not being destroyed. */
static gputune_status load_if_current(gputune_plan *plan)
{
    gt_context before, after;
    gt_launcher *launcher;
    if (!plan->driver || gt_plan_context(&before, plan->driver, plan->pool->device->ordinal,
                                         plan->kernel) != GPUTUNE_OK) {
        return GPUTUNE_OK;
    }
    gputune_status status = load_code(&launcher, plan, plan->winner);
    if (status == GPUTUNE_OK && plan->fallback) {
        status = load_code(&launcher, plan, plan->fallback);
    }
    bool gone = status == GPUTUNE_ECUDA &&
                (gt_context_current(&after, plan->driver) != GPUTUNE_OK || after.id != before.id);
    return gone ? GPUTUNE_OK : status;
}

static gputune_status fill_plan(gputune_plan *plan, const gt_request *request, gt_choice *choice)
{
    GT_FREED gt_launch *launch = calloc(1, sizeof *launch);
    GT_TRY(gt_allocated(launch));
    if (choice->has_fallback) {
        GT_TRY(make_code(&plan->fallback, launch, plan->pool, request, &choice->fallback,
                         &choice->fallback_image));
    }
    GT_TRY(make_code(&plan->winner, launch, plan->pool, request, &choice->config, &choice->image));
    plan->needs_alignment = choice->needs_alignment;
    GT_TRY(make_checks(plan, &request->workload));
    GT_TRY(list_pairs(&plan->pairs, &request->workload));
    GT_TRY(gt_strdup(&plan->kernel, request->template->name));
    plan_facts *facts = NULL;
    GT_TRY(make_facts(&facts, plan, request, choice, launch, plan->winner->launch));
    atomic_init(&plan->facts, facts);
    return load_if_current(plan);
}

static const plan_facts *facts_with_names(const gputune_plan *plan)
{
    return atomic_load(&(plan->model ? plan->model->plan : plan)->facts);
}

static gt_problem problem_of(const gputune_plan *plan)
{
    gt_problem problem = plan->model->problem;
    for (uint32_t i = 0; i < plan->model->template->problem_count; i++) {
        problem.values[i].number = plan->numbers[i];
    }
    return problem;
}

static gputune_status make_facts_of_model(plan_facts **out, const gputune_plan *plan)
{
    const gt_plan_model *model = plan->model;
    GT_FREED gt_request *request = calloc(1, sizeof *request);
    GT_FREED gt_launch *launch = calloc(1, sizeof *launch);
    GT_FREED char *sizes = NULL;
    GT_TRY(gt_allocated(request));
    GT_TRY(gt_allocated(launch));
    request->template = model->template;
    request->device = plan->pool->device;
    request->options.objective = model->objective;
    request->problem = problem_of(plan);
    GT_TRY(gt_problem_text(&sizes, model->template, &request->problem));
    request->problem_text = sizes;
    GT_TRY(gt_workload_bind(&request->workload, model->template, &request->problem, request->device,
                            0, NULL, 0));
    memcpy(request->workload.alignment, model->alignment, sizeof model->alignment);
    GT_TRY(gt_launch_bind(launch, model->template, &request->problem, &model->config,
                          request->device));
    const gt_choice choice = {.source = GPUTUNE_SOURCE_RULE,
                              .config = model->config,
                              .resources = model->resources,
                              .stop_reason = facts_with_names(plan)->stop_reason};
    return make_facts(out, plan, request, &choice, launch, NULL);
}

static gputune_status facts_of(const plan_facts **out, const gputune_plan *plan)
{
    plan_facts *made, *known = atomic_load(&plan->facts);
    if (!known) {
        GT_TRY(make_facts_of_model(&made, plan));
        if (atomic_compare_exchange_strong(&((gputune_plan *)plan)->facts, &known, made)) {
            known = made;
        } else {
            free_facts(&made); /* another thread has already computed the facts */
        }
    }
    *out = known;
    return GPUTUNE_OK;
}

/* Moves a plan to another list of its pool, or only removes it from its list if `list` is NULL. */
static void move_plan(gputune_plan *plan, gputune_plan **list)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&owners);
    if (plan->link) {
        *plan->link = plan->next;
        if (plan->next) {
            plan->next->link = plan->link;
        }
    }
    plan->link = list;
    if (list) {
        plan->next = *list;
        if (plan->next) {
            plan->next->link = &plan->next;
        }
        *list = plan;
    }
}

gputune_status gt_plan_make(gputune_plan **out, const gt_request *request, gt_choice *choice,
                            gt_plan_pool *pool)
{
    GT_SCOPED(gt_plan_release_at) gputune_plan *plan = calloc(1, sizeof *plan);
    GT_TRY(gt_allocated(plan));
    plan->pool = pool;
    plan->driver = pool->driver;
    atomic_init(&plan->references, 1);
    plan->watch = gt_catalog_watch(request->services->catalog, request->template, request->by_path);
    move_plan(plan, &pool->owned);
    GT_TRY(fill_plan(plan, request, choice));
    *out = gt_take(&plan);
    return GPUTUNE_OK;
}

/* --- plans of rules --------------------------------------------------------------------------- */

/* Makes the prototypes, from which launches at other sizes are computed. Leaves *out unchanged if
 * that is impossible. */
static gputune_status make_prototypes(gt_plan_model *out, const gt_request *request)
{
    const gputune_plan *plan = out->plan;
    GT_FREED gt_prototype *winner = NULL, *other = NULL;
    gputune_status status = plan->members.count ? GPUTUNE_EUNSUPPORTED : GPUTUNE_OK;
    GT_THEN(status, gt_prototype_make(&winner, request->template, &request->problem, &out->config,
                                      request->device));
    if (plan->fallback) {
        GT_THEN(status, gt_prototype_make(&other, request->template, &request->problem,
                                          &out->fallback, request->device));
    }
    if (status == GPUTUNE_OK) {
        out->prototypes[0] = gt_take(&winner);
        out->prototypes[1] = gt_take(&other);
    }
    return status == GPUTUNE_ENOMEM ? status : GPUTUNE_OK;
}

gputune_status gt_plan_model_make(gt_plan_model *out, const gt_request *request, gt_choice *choice,
                                  gt_plan_pool *pool)
{
    gt_plan_model model = {.template = request->template,
                           .problem = request->problem,
                           .config = choice->config,
                           .fallback = choice->fallback,
                           .resources = choice->resources,
                           .objective = request->options.objective};
    memcpy(model.alignment, request->workload.alignment, sizeof model.alignment);
    GT_TRY(gt_plan_make(&model.plan, request, choice, pool));
    gputune_status status = make_prototypes(&model, request);
    if (status != GPUTUNE_OK) {
        gputune_plan_release(model.plan);
        return status;
    }
    gt_plan_keep(model.plan);
    const gt_launch_view *launch = model.plan->winner->launch;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        model.has_bytes |= launch->parameters[i].kind == GT_PARAMETER_SCRATCH ||
                           launch->parameters[i].clear_bytes > 0;
    }
    *out = model;
    return GPUTUNE_OK;
}

gputune_status gt_plan_model_choice(gt_choice *out, const gt_plan_model *model)
{
    const gputune_plan *plan = model->plan;
    GT_SCOPED(gt_choice_free)
    gt_choice choice = {.source = GPUTUNE_SOURCE_RULE,
                        .config = model->config,
                        .resources = model->resources,
                        .needs_alignment = plan->needs_alignment,
                        .has_fallback = plan->fallback != NULL,
                        .fallback = model->fallback};
    const gt_image *image = &plan->winner->code->image;
    GT_TRY(gt_image_copy(&choice.image, image->data, image->bytes));
    if (choice.has_fallback) {
        image = &plan->fallback->code->image;
        GT_TRY(gt_image_copy(&choice.fallback_image, image->data, image->bytes));
    }
    GT_TRY(gt_strdup(&choice.stop_reason, atomic_load(&plan->facts)->stop_reason));
    *out = gt_take(&choice);
    return GPUTUNE_OK;
}

void gt_plan_model_free(gt_plan_model *model)
{
    free(model->prototypes[0]);
    free(model->prototypes[1]);
}

/* Returns a number, not 0, that identifies the sizes of a problem. */
static uint64_t sizes_id(const gt_problem *problem, uint32_t count)
{
    static const uint64_t factor = 0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio */
    uint64_t id = 1;
    for (uint32_t i = 0; i < count; i++) {
        id = ((id ^ id >> 32) * factor) ^ (uint64_t)problem->values[i].number;
    }
    return id ? id : 1;
}

static void *take_block(char **room, size_t bytes)
{
    void *part = *room;
    *room += bytes;
    return part;
}

/* Copies an array to *room, and moves *room after the copy. Returns NULL if the array is empty. */
static void *keep_array(char **room, const void *items, size_t bytes)
{
    return bytes ? memcpy(take_block(room, bytes), items, bytes) : NULL;
}

/* Copies the model's checks, with the sizes of `problem`. Returns false if a size does not fit its
 * argument's type. */
static bool set_checks(check *out, const gputune_plan *model, const gt_problem *problem)
{
    bool fits = true;
    memcpy(out, model->checks, model->check_count * sizeof *out);
    for (uint32_t i = 0; i < model->check_count; i++) {
        if (out[i].kind == CHECK_SIZE) {
            out[i].expected = problem->values[out[i].size].number;
            fits &= gt_type_holds((gt_type)out[i].type, out[i].expected);
        }
    }
    return fits;
}

/* Copies the pairs of buffers that must not overlap, with new sizes. Returns false if two buffers
 * of an in_place() differ in size. */
static bool set_pairs(gt_pair *out, const gt_pairs *model, const uint64_t *bytes)
{
    bool possible = true;
    for (size_t i = 0; i < model->count; i++) {
        out[i] = model->items[i];
        out[i].written_bytes = bytes[out[i].written];
        out[i].other_bytes = bytes[out[i].other];
        possible &= !out[i].may_coincide || out[i].written_bytes == out[i].other_bytes;
    }
    return possible;
}

gputune_status gt_plan_resize(gputune_plan **out, const gt_plan_model *model,
                              const gt_problem *problem)
{
    gt_prototype_sizes sizes;
    const gputune_plan *from = model->plan;
    const gt_template *template = model->template;
    if (!gt_prototype_launch(&sizes, model->prototypes[0], problem)) {
        return GPUTUNE_ENOTFOUND;
    }
    const size_t pair_bytes = from->pairs.count * sizeof(gt_pair),
                 check_bytes = from->check_count * sizeof(check),
                 number_bytes = template->problem_count * sizeof(int64_t),
                 byte_bytes = model->has_bytes ? template->parameter_count * sizeof(uint64_t) : 0,
                 map_bytes = template->parts->map_count * sizeof *sizes.maps,
                 value_bytes = template->parts->computed_count * sizeof *sizes.values,
                 grid_bytes = from->winner->launch->step_count * sizeof *sizes.grids,
                 name_bytes = strlen(from->kernel) + 1;
    GT_FREED char *memory =
        malloc(sizeof(gputune_plan) + sizeof(gt_launch_sizes) + pair_bytes + check_bytes +
               number_bytes + byte_bytes + map_bytes + value_bytes + grid_bytes + name_bytes);
    GT_TRY(gt_allocated(memory));
    char *room = memory + sizeof(gputune_plan);
    gt_launch_sizes *launch = take_block(&room, sizeof *launch);
    gt_pair *pairs = take_block(&room, pair_bytes);
    check *checks = take_block(&room, check_bytes);
    int64_t *numbers = take_block(&room, number_bytes);
    launch->id = sizes_id(problem, template->problem_count);
    launch->bytes = keep_array(&room, sizes.bytes, byte_bytes);
    launch->maps = keep_array(&room, sizes.maps, map_bytes);
    launch->values = keep_array(&room, sizes.values, value_bytes);
    launch->grids = keep_array(&room, sizes.grids, grid_bytes);
    for (uint32_t i = 0; i < template->problem_count; i++) {
        numbers[i] = problem->values[i].number;
    }
    if (!set_checks(checks, from, problem) || !set_pairs(pairs, &from->pairs, sizes.bytes)) {
        return GPUTUNE_ENOTFOUND;
    }
    gputune_plan *plan = (gputune_plan *)(void *)gt_take(&memory);
    *plan = (gputune_plan){.driver = from->driver,
                           .argument_count = from->argument_count,
                           .check_count = from->check_count,
                           .further_checks = from->further_checks,
                           .needs_alignment = from->needs_alignment,
                           .pairs = {.items = pairs, .count = from->pairs.count},
                           .winner = from->winner,
                           .fallback = from->fallback,
                           .sizes = launch,
                           .checks = checks,
                           .model = model,
                           .numbers = numbers,
                           .references = 1,
                           .pool = from->pool,
                           .watch = from->watch,
                           .kernel = memcpy(room, from->kernel, name_bytes)};
    move_plan(plan, &plan->pool->owned);
    *out = plan;
    return GPUTUNE_OK;
}

void gt_plan_set_miss(gputune_plan *plan, gt_miss *miss)
{
    plan->miss = miss;
}

gt_watch *gt_plan_watch(const gputune_plan *plan)
{
    return plan->watch;
}

gt_miss *gt_plan_miss(const gputune_plan *plan)
{
    return plan->miss;
}

bool gt_plan_is_same(const gputune_plan *a, const gputune_plan *b)
{
    if (a->model || b->model) {
        return a->model == b->model;
    }
    const gputune_info *x = &atomic_load(&a->facts)->info, *y = &atomic_load(&b->facts)->info;
    return strcmp(x->configuration, y->configuration) == 0 && x->source == y->source &&
           x->time_ns == y->time_ns;
}

bool gt_plan_is_of(const gputune_plan *plan, const char *kernel)
{
    return strcmp(plan->kernel, kernel) == 0;
}

/* --- ending ----------------------------------------------------------------------------------- */

gputune_plan *gputune_plan_retain(gputune_plan *plan)
{
    if (plan && !plan->kept) {
        atomic_fetch_add_explicit(&plan->references, 1, memory_order_relaxed);
    }
    return plan;
}

static void end_plan(gputune_plan *plan)
{
    plan->argument_count = ENDED;
    if (!plan->model) {
        gt_plan_code_free(plan->winner);
        gt_plan_code_free(plan->fallback);
        free(gt_take(&plan->checks));
        gt_array_free(&plan->members);
        gt_array_free(&plan->pairs);
    }
    plan->winner = plan->fallback = NULL;
    plan_facts *facts = atomic_exchange(&plan->facts, NULL);
    free_facts(&facts);
}

static void free_plan(gputune_plan *plan)
{
    end_plan(plan);
    if (!plan->model) {
        free(plan->kernel);
    }
    free(plan);
}

void gputune_plan_release(gputune_plan *plan)
{
    if (!plan || plan->kept ||
        atomic_fetch_sub_explicit(&plan->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    move_plan(plan, NULL);
    free_plan(plan);
}

void gt_plan_keep(gputune_plan *plan)
{
    if (!plan->kept) {
        move_plan(plan, &plan->pool->kept);
        plan->kept = true;
    }
}

void gt_plan_pool_open(gt_plan_pool *out, const gt_driver *driver, const gt_device *device,
                       bool debug)
{
    *out = (gt_plan_pool){.driver = driver, .device = device, .debug = debug};
    pthread_mutex_init(&out->mutex, NULL);
}

/* Adds a reference to an owned plan. Returns NULL if there is none. */
static gputune_plan *retain_owned(gt_plan_pool *pool)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&owners);
    for (gputune_plan *plan = pool->owned; plan; plan = plan->next) {
        unsigned count = atomic_load(&plan->references); /* 0: being freed by another thread */
        while (count && !atomic_compare_exchange_weak(&plan->references, &count, count + 1)) {
        }
        if (count) {
            return plan;
        }
    }
    return NULL;
}

void gt_plan_pool_end(gt_plan_pool *pool)
{
    gputune_plan *plan;
    while ((plan = retain_owned(pool)) != NULL) {
        move_plan(plan, NULL);
        end_plan(plan);
        gputune_plan_release(plan);
    }
    for (plan = pool->kept; plan; plan = plan->next) {
        end_plan(plan);
    }
}

void gt_plan_pool_free(gt_plan_pool *pool)
{
    gputune_plan *next;
    for (gputune_plan *plan = pool->kept; plan; plan = next) {
        next = plan->next;
        free_plan(plan);
    }
    pthread_mutex_destroy(&pool->mutex);
}

/* --- launching -------------------------------------------------------------------------------- */

static int64_t scalar_value(gt_type type, const void *at)
{
    int64_t wide = 0;
    if (type == GT_TYPE_I64 || type == GT_TYPE_U64) {
        return *(const int64_t *)at;
    }
    if (type == GT_TYPE_I32) {
        return *(const int32_t *)at;
    }
    memcpy(&wide, at, gt_type_bytes(type)); /* little-endian */
    return type == GT_TYPE_I8 ? (int8_t)wide : type == GT_TYPE_I16 ? (int16_t)wide : wide;
}

static gputune_status refuse_size(const gputune_plan *plan, const char *name, int64_t expected,
                                  int64_t got)
{
    return gt_fail(GPUTUNE_EINVAL,
                   "%s: this plan is for %s = %lld, but was launched with %lld; call tune_kernel() "
                   "for a plan at that size",
                   plan->kernel, name, (long long)expected, (long long)got);
}

static gputune_status check_further(const gputune_plan *plan, const void *const *items)
{
    for (size_t i = 0; i < plan->members.count; i++) {
        const member *m = &plan->members.items[i];
        int64_t value =
            scalar_value((gt_type)m->check.type, (const char *)items[m->argument] + m->offset);
        if (value != m->check.expected) {
            return refuse_size(plan, m->name, m->check.expected, value);
        }
    }
    if (!plan->pool->debug || !plan->driver) {
        return GPUTUNE_OK;
    }
    const plan_facts *facts;
    GT_TRY(facts_of(&facts, plan));
    return gt_debug_launch(plan->driver, plan->pool->device->ordinal, plan->kernel,
                           &facts->description, items);
}

static const char *name_of(const gputune_plan *plan, uint32_t argument)
{
    return facts_with_names(plan)->description.arguments[argument].parameter.name;
}

static gputune_status check_pairs(const gputune_plan *plan, const void *const *items)
{
    for (uint32_t i = 0; i < plan->pairs.count; i++) {
        const gt_pair *pair = &plan->pairs.items[i];
        uintptr_t written = *(const uintptr_t *)items[pair->written];
        uintptr_t other = *(const uintptr_t *)items[pair->other];
        if (other - written < pair->written_bytes || written - other < pair->other_bytes) {
            GT_TRY(pair_judge(pair, plan->kernel, name_of(plan, pair->written),
                              name_of(plan, pair->other), items));
        }
    }
    return GPUTUNE_OK;
}

/* Sets *aligned to true if every buffer has the alignment that the plan assumes. */
static gputune_status check_arguments(const gputune_plan *plan, const void *const *items,
                                      bool *aligned)
{
    *aligned = true;
    for (uint32_t i = 0; i < plan->check_count; i++) {
        const check *c = &plan->checks[i];
        GT_REFUSE(!items[i], GPUTUNE_EINVAL, "%s: argument %u is a NULL pointer; pass its address",
                  plan->kernel, i + 1);
        if (c->kind == CHECK_BUFFER) {
            uintptr_t address = (uintptr_t) * (void *const *)items[i];
            GT_REFUSE(address & c->element_bits, GPUTUNE_EINVAL,
                      "%s: %s = %p is not aligned to its elements; expected a multiple of %u",
                      plan->kernel, name_of(plan, i), (void *)address,
                      (unsigned)c->element_bits + 1);
            *aligned = *aligned && !(address & c->aligned_bits);
        } else if (c->kind == CHECK_SIZE &&
                   scalar_value((gt_type)c->type, items[i]) != c->expected) {
            return refuse_size(plan, name_of(plan, i), c->expected,
                               scalar_value((gt_type)c->type, items[i]));
        }
    }
    if (plan->further_checks) {
        GT_TRY(check_further(plan, items));
    }
    return check_pairs(plan, items);
}

/* Copies the arguments to `out`, and appends pointers to the buffer addresses inside structs. */
static const void *const *with_held(const void *out[GT_BLOCK_MAX + GT_PARAMETER_MAX],
                                    const gputune_plan *plan, const void *const *items)
{
    const gt_launch_view *launch = plan->winner->launch;
    memcpy(out, items, plan->argument_count * sizeof *out);
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        const gt_parameter *one = &launch->parameters[i];
        if (one->holder) {
            const char *holder = items[launch->parameters[one->holder - 1].argument];
            out[one->argument] = holder ? holder + one->offset : NULL;
        }
    }
    return out;
}

static gputune_status check_open(const gputune_plan *plan)
{
    GT_REFUSE(
        plan->argument_count == ENDED, GPUTUNE_EINVAL,
        "%s: the tuner of this plan was closed, which ended the plan; close a tuner after the "
        "last launch",
        plan->kernel);
    return GPUTUNE_OK;
}

/* Launches the fallback. If the plan has a model, computes the fallback's sizes at each launch,
 * because fallbacks are rarely launched. */
static gputune_status launch_fallback(gputune_plan *plan, CUstream stream, const void *const *items)
{
    gt_prototype_sizes sizes;
    gt_launcher *launcher;
    gt_launch_sizes launch = {.grids = (const uint32_t(*)[3])sizes.grids,
                              .bytes = sizes.bytes,
                              .maps = sizes.maps,
                              .values = sizes.values};
    if (plan->model) {
        const gt_problem problem = problem_of(plan);
        const gt_prototype *prototype = plan->model->prototypes[1];
        GT_REFUSE(!prototype || !gt_prototype_launch(&sizes, prototype, &problem), GPUTUNE_EINVAL,
                  "%s: a buffer has less alignment than %s needs, and the fallback is not possible "
                  "at these sizes; align the buffers",
                  plan->kernel, facts_with_names(plan)->configuration);
        launch.id = plan->sizes->id;
    }
    GT_TRY(load_code(&launcher, plan, plan->fallback));
    return gt_launcher_launch_at(launcher, plan->model ? &launch : NULL, stream, items);
}

int gputune_launch(gputune_plan *plan, void *stream, gputune_args args)
{
    GT_TRY(gt_need(__func__, "plan", plan));
    if (args.count != plan->argument_count) {
        GT_TRY(check_open(plan));
        return gt_fail(GPUTUNE_EINVAL, "%s takes %u arguments, but got %zu", plan->kernel,
                       plan->argument_count, args.count);
    }
    GT_REFUSE(args.count && !args.items, GPUTUNE_EINVAL, "%s: args.items is NULL", plan->kernel);
    bool aligned, holds = plan->check_count > plan->argument_count;
    const void *all[GT_BLOCK_MAX + GT_PARAMETER_MAX];
    const void *const *items = holds ? with_held(all, plan, args.items) : args.items;
    GT_TRY(check_arguments(plan, items, &aligned));
    GT_REFUSE(!aligned && plan->needs_alignment && !plan->fallback, GPUTUNE_EINVAL,
              "%s: a buffer has less alignment than %s needs, and there is no verified fallback; "
              "align the buffers, or tune for the alignment that they have",
              plan->kernel, facts_with_names(plan)->configuration);
    gt_launcher *launcher;
    gt_note_launch();
    if (!aligned && plan->fallback) {
        return gt_application_status(launch_fallback(plan, (CUstream)stream, items));
    }
    GT_TRY(load_code(&launcher, plan, plan->winner));
    return gt_application_status(
        gt_launcher_launch_at(launcher, plan->sizes, (CUstream)stream, items));
}

/* Begins a call that describes a plan. */
static gputune_status find_facts(const plan_facts **facts, const char *call, const void *out,
                                 const gputune_plan *plan)
{
    GT_TRY(gt_need(call, "plan", plan));
    GT_TRY(gt_need(call, "out", out));
    GT_TRY(check_open(plan));
    return facts_of(facts, plan);
}

int gputune_plan_info(gputune_info *out, const gputune_plan *plan)
{
    const plan_facts *facts;
    GT_TRY(find_facts(&facts, __func__, out, plan));
    return GT_SIZED_WRITE(gputune_info, out, &facts->info);
}

static gputune_status check_index(const char *call, const gt_launch_view *launch, uint32_t index)
{
    uint32_t count = launch->step_count;
    GT_REFUSE(launch->sequence, GPUTUNE_EUNSUPPORTED,
              "%s: this plan launches its kernels in loops, under conditions or with computed "
              "addresses; expected gputune_launch()",
              call);
    return index >= count
               ? gt_fail(GPUTUNE_ENOTFOUND, "%s: the plan has %u kernel%s, but none with index %u",
                         call, count, gt_plural(count), index)
               : GPUTUNE_OK;
}

static void fill_shape(gputune_function *out, const gt_kernel_step *kernel)
{
    memcpy(out->grid, kernel->grid, sizeof out->grid);
    memcpy(out->block, kernel->block, sizeof out->block);
    memcpy(out->cluster, kernel->cluster, sizeof out->cluster);
    out->shared_bytes = kernel->shared_bytes;
    out->cooperative = kernel->cooperative != 0;
    out->programmatic = kernel->programmatic != 0;
    out->times = kernel->times;
}

int gputune_plan_function(gputune_function *out, gputune_plan *plan, uint32_t index)
{
    gt_launcher *launcher;
    gt_function_facts loaded;
    const plan_facts *facts;
    GT_TRY(find_facts(&facts, __func__, out, plan));
    GT_TRY(check_index(__func__, facts->launch, index));
    GT_TRY(load_code(&launcher, plan, plan->winner));
    GT_TRY(gt_launcher_function(&loaded, launcher, index));
    const gt_kernel_step *kernel = &facts->launch->steps[index];
    gputune_function function = {.size = sizeof(gputune_function),
                                 .function = loaded.function,
                                 .name = loaded.symbol,
                                 .sizes = facts->description.sizes,
                                 .carveout_percent = loaded.carveout_percent,
                                 .parameter_count = kernel->parameter_count,
                                 .constants = facts->description.constants,
                                 .constant_count = facts->description.constant_count,
                                 .image = plan->winner->code->image.data,
                                 .image_bytes = plan->winner->code->image.bytes};
    fill_shape(&function, kernel);
    return GT_SIZED_WRITE(gputune_function, out, &function);
}

int gputune_plan_parameter(gputune_parameter *out, const gputune_plan *plan, uint32_t index,
                           uint32_t parameter)
{
    const plan_facts *facts;
    GT_TRY(find_facts(&facts, __func__, out, plan));
    GT_TRY(check_index(__func__, facts->launch, index));
    const gt_kernel_step *kernel = &facts->launch->steps[index];
    const uint32_t count = kernel->parameter_count;
    GT_REFUSE(parameter >= count, GPUTUNE_ENOTFOUND,
              "gputune_plan_parameter: the kernel has %u parameters, but none with index %u", count,
              parameter);
    const uint32_t at = kernel->parameters[parameter];
    return GT_SIZED_WRITE(gputune_parameter, out, &facts->description.parameters[at]);
}

int gputune_plan_argument(gputune_parameter *out, const gputune_plan *plan, uint32_t argument)
{
    const plan_facts *facts;
    GT_TRY(find_facts(&facts, __func__, out, plan));
    GT_REFUSE(argument >= plan->argument_count, GPUTUNE_ENOTFOUND,
              "gputune_plan_argument: the plan has no argument with index %u", argument);
    return GT_SIZED_WRITE(gputune_parameter, out,
                          &facts->description.arguments[argument].parameter);
}

int gputune_plan_check_argument(const gputune_plan *plan, uint32_t argument, size_t bytes)
{
    const plan_facts *facts;
    GT_TRY(find_facts(&facts, __func__, plan, plan));
    GT_REFUSE(argument >= plan->argument_count, GPUTUNE_EINVAL,
              "gputune_plan_check_argument: there is no argument %u; expected an index into the "
              "plan's gputune_args",
              argument);
    const gt_described *found = &facts->description.arguments[argument];
    if (bytes == found->element_bytes || bytes == found->whole_bytes) {
        return GPUTUNE_OK;
    }
    return gt_fail(GPUTUNE_EINVAL,
                   "%s: '%s' has %u bytes in the compiled kernel, but %zu in this program%s%s%s; "
                   "declare the same members",
                   found->parameter.name, found->parameter.type, found->element_bytes, bytes,
                   found->members[0] ? " (the kernel's has " : "", found->members,
                   found->members[0] ? ")" : "");
}
