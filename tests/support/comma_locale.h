/* A host whose numbers have a decimal comma. */
#pragma once

/* For a test's setup: makes such a locale in a temporary folder and sets it for this process. The
 * tests of a machine where that cannot be are skipped, by comma_locale_needed(). */
int comma_locale_set(void **state);
/* For a test's teardown: sets back what was and removes the folder. */
int comma_locale_reset(void **state);
/* Skips the test where there is no such locale, saying so; checks that 1.5 is written 1,5. */
void comma_locale_needed(void);
