/* Writes figures as a person reads them. */
#pragma once

#include <gputune.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nanoseconds as ns, µs, ms or s with four significant digits: "198.1 µs". */
char *cli_duration(double ns);
/* "1.203x [1.199, 1.207]": a speed-up with its interval, "1.203x" where that is unknown (0). */
char *cli_speedup(double speedup, double low, double high);
/* Nanojoules as nJ, µJ, mJ or J. */
char *cli_energy(double nj);
/* A value of an objective: a time or an energy. */
char *cli_value(double value, gputune_objective objective);
/* Bytes a second as "4065 GB/s" (powers of 1000). */
char *cli_rate(double bytes_per_s);
/* Bytes as "512 B", "48 KB", "139.7 GB" (powers of 1024). */
char *cli_bytes(double bytes);
/* A sizes text with its round numbers shortened: "n=67108864 T=half" to "n=64M T=half". */
char *cli_short_sizes(const char *sizes);
/* Takes the next word off *text, where blanks part them: "NAME=VALUE", or "NAME", whose value is
 * "". False: there is no word. */
bool cli_next_pair(const char **text, char **name, char **value);
/* Seconds since 1970 of "2026-01-31T12:00:00Z"; 0 for other texts. */
int64_t cli_seconds(const char *created);
/* A bar of up to so many cells, in steps of an eighth, for a share from 0 to 1. */
char *cli_bar(double share, size_t cells);
/* How many columns of a terminal UTF-8 text takes, one for each code point. */
size_t cli_columns(const char *text);
