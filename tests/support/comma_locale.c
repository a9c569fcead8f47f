/* Creates the locale with a script that runs localedef, from the top of the tree. */
#include "support/comma_locale.h"

#include "support/folder.h"
#include "support/test.h"

#include <locale.h>
#include <spawn.h>

static char *folder;
static bool is_set;

int comma_locale_set(void **state)
{
    char script[] = "tests/support/comma-locale";
    pid_t child;
    int status = 1;
    folder = folder_make();
    char *const arguments[] = {script, folder, NULL};
    assert_int_equal(posix_spawn(&child, script, NULL, NULL, arguments, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status == 0) {
        setenv("LOCPATH", folder, 1);
        assert_non_null(setlocale(LC_NUMERIC, "comma"));
        is_set = true;
    }
    return 0;
}

int comma_locale_reset(void **state)
{
    setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
    is_set = false;
    folder_remove(folder);
    return 0;
}

void comma_locale_needed(void)
{
    char text[8];
    if (!is_set) {
        print_message("skipped: localedef is missing\n");
        skip();
    }
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5");
}
