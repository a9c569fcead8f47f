/* Fuzzes wisdom files. Reads each input unchanged, and again with corrected hashes, to test the
 * code after the hash check. Writing an entry and reading it again must give an equal entry. If a
 * store imports entries, their export must also be importable. */
#include "fuzz/fuzz.h"

#include "store/wisdom.h"

#include <string.h>

const char *const fuzz_seeds[] = {
    "place g.environment=\"00\" k.name=\"axpy\" s.problem=\"n=1\" s.sizes=\"1\"\n"
    "winner effort=3 final=1 proved=1 trial=f1dffe7a483c163b24c695dd20005127 config=\"B=1\"\n"
    "trial hash=f1dffe7a483c163b24c695dd20005127 config=\"B=1\" status=0 median=1.5\n",
    NULL};
const char *const fuzz_words[] = {"place",   "winner ",   "trial ",     "default ",   "entry ",
                                  "g.name=", "k.name=",   "s.problem=", "s.sizes=",   "status=",
                                  "config=", "median=",   "samples=",   "objective=", "\"",
                                  "\\",      "=",         "-1",         "4294967295", "1e308",
                                  "nan",     "0x1p-1074", "\n",         NULL};

/* Removes the lines that contain hashes, and splits the rest into entries, which begin with a
 * "place" line. */
static void make_entries(gt_text *out, const char *from)
{
    gt_text body = {0};
    gt_text_printf(out, "%s\n", gt_wisdom_heading);
    while (*from) {
        size_t length = strcspn(from, "\n");
        if (strncmp(from, "entry ", 6) != 0 && *from != '#') {
            gt_text_append_bytes(&body, from, length);
            gt_text_append(&body, "\n");
        }
        from += length + (from[length] == '\n');
        if (body.length && (!*from || strncmp(from, "place", 5) == 0)) {
            char hex[GT_HASH_HEX];
            const gt_hash sum = gt_hash_bytes(gt_text_string(&body), body.length);
            gt_text_printf(out, "entry %s\n%s", gt_hash_hex(hex, sum), gt_text_string(&body));
            gt_text_free(&body);
            body = (gt_text){0};
        }
    }
    gt_text_free(&body);
}

/* Returns true if an entry can be read. Writing and reading it again must give an equal entry. */
static unsigned read_again(const char *text)
{
    gt_wisdom_entry entry, again;
    unsigned count = 0;
    gputune_status status;
    while ((status = gt_wisdom_read(&entry, &text)) != GPUTUNE_ENOTFOUND) {
        if (status != GPUTUNE_OK) {
            FUZZ_REQUIRE(status == GPUTUNE_ERECORDED && gt_message()[0]);
            continue;
        }
        gt_text first = {0}, second = {0};
        gt_wisdom_write(&first, &entry);
        const char *at = gt_text_string(&first);
        FUZZ_REQUIRE(gt_wisdom_read(&again, &at) == GPUTUNE_OK);
        gt_wisdom_write(&second, &again);
        FUZZ_REQUIRE(strcmp(gt_text_string(&first), gt_text_string(&second)) == 0);
        gt_text_free(&first);
        gt_text_free(&second);
        gt_wisdom_entry_free(&entry);
        gt_wisdom_entry_free(&again);
        count++;
    }
    return count;
}

static int take_record(void *user, const gputune_record *record)
{
    FUZZ_REQUIRE(record->kernel && record->configuration && record->status && record->sizes);
    return 0;
}

/* Called for only a few of the readable inputs, because opening a store is slow. */
static void import(const char *text)
{
    gt_store *store, *target;
    gt_text out = {0};
    uint32_t count = 0;
    const gt_log log = {0};
    const gt_records_filter filter = {.all_trials = true};
    gt_wisdom_import wanted = {.keep = true, .trusted = true, .log = &log, .from = "the text"};
    FUZZ_REQUIRE(gt_store_open(&store, ":memory:", NULL, NULL, false) == GPUTUNE_OK);
    if (gt_store_import(&wanted, store, text, NULL) == GPUTUNE_OK && wanted.taken) {
        FUZZ_REQUIRE(gt_store_records(store, &filter, take_record, NULL) == GPUTUNE_OK);
        const gt_wanted all = {0};
        FUZZ_REQUIRE(gt_store_export(&out, &count, store, &all, false) == GPUTUNE_OK);
        gt_wisdom_import again = {.log = &log, .from = "the text"};
        FUZZ_REQUIRE(gt_store_open(&target, ":memory:", NULL, NULL, false) == GPUTUNE_OK);
        FUZZ_REQUIRE(gt_store_import(&again, target, gt_text_string(&out), NULL) == GPUTUNE_OK);
        FUZZ_REQUIRE(again.left_out == 0);
        gt_store_close(target);
    }
    gt_text_free(&out);
    gt_store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static unsigned readable;
    gt_text right = {0};
    char *text = strndup((const char *)data, bytes);
    FUZZ_REQUIRE(text);
    (void)read_again(text);
    make_entries(&right, text);
    if (read_again(gt_text_string(&right)) && readable++ % 16 == 0) {
        import(gt_text_string(&right));
    }
    gt_text_free(&right);
    free(text);
    return 0;
}
