/* Bytes as text by RFC 4648's base64, with padding and without line breaks. */
#pragma once

#include "base/text.h"

void gt_base64_append(gt_text *out, const void *bytes, size_t count);
/* The bytes of `length` characters go to *out, which is malloc'd, and their number to *count. False
 * for what is no base64, and without memory; *out is NULL then. */
bool gt_base64_read(void **out, size_t *count, const char *text, size_t length);
