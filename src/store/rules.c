/* Stores, finds and lists rules. A rule chooses a variant for any sizes of a region. */
#include "base/hash_index.h"
#include "base/text.h"
#include "store/keys.h"
#include "store/layers.h"

#include <string.h>

void gt_stored_rule_free(gt_stored_rule *rule)
{
    gt_columns_free(rule, &gt_rule_columns);
}

/* Returns the scenario under which a rule is stored. Its key has "rule" in place of the problem. */
static gt_scenario scenario_of_rule(const gt_scenario *scenario, const char *region)
{
    gt_scenario of_rule = *scenario;
    of_rule.problem = region;
    of_rule.bucket = "rule";
    return of_rule;
}

gt_hash gt_rule_hash(const gt_scenario *scenario)
{
    const gt_scenario of_rule = scenario_of_rule(scenario, "");
    return gt_scenario_hash(&of_rule);
}

typedef struct rule_search {
    const gt_scenario *scenario;
    gt_stored_rule found;
} rule_search;

static gputune_status take_rule(void *context, gt_rows *rows)
{
    rule_search *search = context;
    gt_rows_integer(rows); /* skip the constant that comes before the rule's columns */
    return gt_columns_take(&search->found, rows, &gt_rule_columns);
}

static gputune_status find_rule(gt_database *database, void *context)
{
    rule_search *search = context;
    gt_stored_rule_free(&search->found); /* there may be a rule from an earlier attempt */
    search->found = (gt_stored_rule){0};
    return database->distrust
               ? GPUTUNE_ENOTFOUND
               : gt_query_one(database, take_rule, search, GT_SQL_RULE, "th",
                              search->scenario->environment, gt_rule_hash(search->scenario));
}

gputune_status gt_store_find_rule(gt_stored_rule *out, gt_store *store, const gt_scenario *scenario,
                                  const gt_patience *patience)
{
    rule_search search = {.scenario = scenario};
    gputune_status status = gt_store_read(store, find_rule, &search, patience);
    if (status == GPUTUNE_OK) {
        *out = gt_take(&search.found);
    }
    gt_stored_rule_free(&search.found);
    return status;
}

gputune_status gt_rule_put(gt_database *database, void *context)
{
    static const char word[] = "region ";
    const gt_rule_outcome *outcome = context;
    const char *text = outcome->rule->text;
    gt_stored_rule rule = *outcome->rule;
    gt_site site = *outcome->site;
    GT_FREED char *region = NULL;
    rule_search stored = {.scenario = &outcome->site->scenario};
    int64_t gpu, scenario;
    text += strncmp(text, word, strlen(word)) == 0 ? strlen(word) : 0;
    GT_TRY(gt_strndup(&region, text, strcspn(text, "\n")));
    site.scenario = scenario_of_rule(&outcome->site->scenario, region);
    if (outcome->offered) {
        gputune_status status = find_rule(database, &stored);
        bool is_better =
            status == GPUTUNE_OK && (stored.found.proved > rule.proved ||
                                     (stored.found.proved == rule.proved &&
                                      strcmp(stored.found.created, rule.created) >= 0));
        gt_stored_rule_free(&stored.found);
        if (is_better || (status != GPUTUNE_OK && status != GPUTUNE_ENOTFOUND)) {
            return is_better ? GPUTUNE_OK : status;
        }
    }
    if (!rule.created[0]) {
        gt_timestamp(rule.created, 0);
    }
    GT_TRY(gt_site_rows(&gpu, &scenario, database, &site, outcome->offered));
    GT_TRY(gt_codes_put(database, outcome->codes, outcome->code_count));
    return gt_execute(database, GT_SQL_RULE_SET, "iic", gpu, scenario, &gt_rule_columns, &rule);
}

gputune_status gt_store_put_rule(gt_store *store, const gt_rule_outcome *outcome,
                                 const gt_patience *patience)
{
    return gt_store_write(store, gt_rule_put, (void *)outcome, patience);
}

/* --- listing ---------------------------------------------------------------------------------- */

typedef struct rule_listing {
    const gt_wanted *wanted;
    gt_listed_rules *out;
    gt_hash_index above; /* rules that were found so far, for hiding those of lower layers */
} rule_listing;

void gt_listed_rules_free(gt_listed_rules *list)
{
    for (size_t i = 0; i < list->count; i++) {
        gt_columns_free(&list->items[i].site, &gt_site_columns);
        gt_stored_rule_free(&list->items[i].rule);
    }
    gt_array_free(list);
}

gputune_status gt_listed_rule_take(gt_listed_rule *out, gt_rows *rows)
{
    GT_TRY(gt_columns_take(&out->site, rows, &gt_site_columns));
    gt_rows_integer(rows); /* skip the constant that comes before the rule's columns */
    GT_TRY(gt_columns_take(&out->rule, rows, &gt_rule_columns));
    out->rule.proved &= !rows->database->distrust;
    return GPUTUNE_OK;
}

static gputune_status list_rule(void *context, gt_rows *rows)
{
    rule_listing *listing = context;
    gt_listed_rules *list = listing->out;
    uint32_t first;
    GT_TRY(gt_array_reserve(list));
    gt_listed_rule *one = &list->items[list->count];
    *one = (gt_listed_rule){.rule = {0}};
    list->count++; /* the texts now belong to the list */
    GT_TRY(gt_listed_rule_take(one, rows));
    const gt_hash key = gt_site_key(one->site.scenario.environment, one->site.hash);
    GT_TRY(gt_hash_index_intern(&listing->above, key, (uint32_t)list->count, &first));
    if (first != list->count || !gt_is_wanted(listing->wanted, &one->site)) {
        gt_columns_free(&one->site, &gt_site_columns);
        gt_stored_rule_free(&one->rule);
        list->count--;
    }
    return GPUTUNE_OK;
}

static gputune_status list_rules(gt_database *database, void *context)
{
    return gt_query_each(database, list_rule, context, GT_SQL_RULES, "");
}

gputune_status gt_store_rules(gt_listed_rules *out, gt_store *store, const gt_wanted *wanted)
{
    GT_SCOPED(gt_listed_rules_free) gt_listed_rules list = {0};
    rule_listing listing = {.wanted = wanted, .out = &list};
    gputune_status status = gt_store_read_all(store, list_rules, &listing, NULL);
    gt_hash_index_free(&listing.above);
    /* ignore that the file is locked, because gt_store_check() reports it */
    GT_TRY(status == GPUTUNE_EBUSY ? GPUTUNE_OK : status);
    *out = gt_take(&list);
    return GPUTUNE_OK;
}
