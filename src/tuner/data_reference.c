/* The caller's own reference: a function on the host that gets the inputs which the measure worker
 * will make, and whose results are sent as the expected ones. */
#include "tuner/data.h"

#include "farm/measure_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of one call. */
typedef struct call {
    const gt_request *request;
    const gt_workload *workload;
    uint32_t index; /* of the workload */
    gputune_host_argument arguments[GT_PARAMETER_MAX];
    size_t count;
} call;

static void free_call(call *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->arguments[i].data);
    }
}

static gputune_status add_argument(call *c, const char *name, uint64_t bytes, bool is_output)
{
    gputune_host_argument *argument = &c->arguments[c->count];
    *argument = (gputune_host_argument){name, calloc(1, bytes + 1), bytes, is_output};
    GT_TRY(gt_allocated(argument->data));
    c->count++;
    return GPUTUNE_OK;
}

static gputune_status add_input(call *c, const gt_measure_setup *setup, uint32_t index)
{
    const gt_buffer *buffer = gt_workload_input(c->workload, index);
    const gt_live_input *sent = gt_data_find(setup, c->index, index);
    GT_TRY(add_argument(c, buffer->name, buffer->bytes, buffer->direction != GT_IN));
    void *data = c->arguments[c->count - 1].data;
    if (sent && sent->is_ipc) {
        return gt_fail(GPUTUNE_EUNSUPPORTED,
                       "the reference function needs '%s' on the host; expected an input with "
                       "on_host, or a file",
                       buffer->name);
    }
    if (sent) {
        memcpy(data, sent->bytes.data, sent->bytes.bytes);
    } else if (buffer->direction != GT_OUT) {
        gt_fill_host(data, c->workload, buffer, gt_fill_seed(setup->seed, index));
    }
    return GPUTUNE_OK;
}

static gputune_status add_arguments(call *c, const gt_measure_setup *setup)
{
    const gt_workload *workload = c->workload;
    for (uint32_t i = 0; i < workload->block_count; i++) {
        GT_TRY(add_input(c, setup, GT_PARAMETER_MAX + i));
    }
    for (uint32_t i = 0; i < workload->argument_count; i++) {
        uint32_t index = workload->arguments[i].index;
        if (workload->arguments[i].is_buffer) {
            GT_TRY(add_input(c, setup, index));
        } else {
            const gt_scalar *scalar = &workload->scalars[index];
            GT_TRY(add_argument(c, scalar->name, gt_scalar_bytes(scalar), false));
            gt_scalar_write(c->arguments[c->count - 1].data, workload, scalar);
        }
    }
    return GPUTUNE_OK;
}

/* The problem as the caller names it: "T=half" where a value is a word. */
static gputune_status ask(const call *c, const gt_problem *problem)
{
    const gt_template *template = c->request->template;
    const gputune_options *o = &c->request->options;
    gputune_size items[GT_PROBLEM_MAX];
    char words[GT_PROBLEM_MAX][2 * GT_NAME_MAX];
    for (uint32_t i = 0; i < template->problem_count; i++) {
        const gt_problem_value *value = &template->problem[i];
        bool is_word = problem->values[i].word != NULL;
        (void)snprintf(words[i], sizeof words[i], "%s%s%s", value->name, is_word ? "=" : "",
                       is_word ? problem->values[i].word : "");
        items[i] = (gputune_size){words[i], is_word ? 0 : problem->values[i].number};
    }
    int answer = o->reference(o->user, (gputune_sizes){template->problem_count, items},
                              c->arguments, c->count);
    return answer == 0 ? GPUTUNE_OK
                       : gt_fail(GPUTUNE_EINVAL, "%s: the call's reference function failed with %d",
                                 template->name, answer);
}

static gputune_status send_results(gt_measure_setup *setup, call *c)
{
    const gt_workload *workload = c->workload;
    for (uint32_t i = 0; i < workload->argument_count; i++) {
        gputune_host_argument *argument = &c->arguments[i + workload->block_count];
        gt_live_input *input;
        if (!argument->is_output) {
            continue;
        }
        GT_TRY(gt_data_add(&input, setup, c->index, gt_data_buffer(workload, i)));
        input->expected = true;
        input->bytes = (gt_image){argument->data, argument->bytes};
        argument->data = NULL;
    }
    return GPUTUNE_OK;
}

gputune_status gt_data_refer(gt_measure_setup *setup, const gt_request *request,
                             const gt_problem *problem, const gt_workload *workload, uint32_t index)
{
    call c = {.request = request, .workload = workload, .index = index};
    if (!request->options.reference) {
        return GPUTUNE_OK;
    }
    if (workload->has_init) {
        return gt_fail(GPUTUNE_EUNSUPPORTED,
                       "%s makes its inputs on the GPU, by init(), where a reference function of "
                       "the host does not see them; expected a reference() in the template",
                       request->template->name);
    }
    gputune_status status = add_arguments(&c, setup);
    GT_THEN(status, ask(&c, problem));
    if (status == GPUTUNE_OK) {
        status = send_results(setup, &c);
    }
    free_call(&c);
    return status;
}
