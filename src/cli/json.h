/* Values of JSON as text, alike in every locale. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

/* The shortest decimal text that reads back as the same double, which must be finite. */
void cli_json_number(double value, FILE *file);
/* A string in quotes; "" where it is not UTF-8. */
void cli_json_text(const char *text, FILE *file);

#endif
