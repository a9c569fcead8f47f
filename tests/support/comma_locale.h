/* A locale with a decimal comma. */
#pragma once

/* Setup function: creates the locale in a temporary folder and sets it for this process. If that
 * fails, comma_locale_needed() skips the tests. */
int comma_locale_set(void **state);
/* Teardown function: restores the locale and removes the folder. */
int comma_locale_reset(void **state);
/* Skips the test with a message if the locale is missing. Checks that 1.5 is printed as 1,5. */
void comma_locale_needed(void);
