/* Numbers and strings of JSON. */
#include "cli/json.h"

#include "base/number.h"

#include <jansson.h>
#include <stdlib.h>

void cli_json_number(double value, FILE *file)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        gt_snprintf(text, sizeof text, "%.*g", digits, value);
        if (gt_strtod(text, NULL) == value) {
            break;
        }
    }
    fputs(text, file);
}

void cli_json_text(const char *text, FILE *file)
{
    json_t *string = json_string(text);
    char *encoded = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    fputs(encoded ? encoded : "\"\"", file);
    free(encoded);
    json_decref(string);
}
