/* Writes and reads base64. */
#include "base/base64.h"

#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void gt_base64_append(gt_text *out, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i += 3) {
        size_t group = count - i < 3 ? count - i : 3;
        uint32_t bits = 0;
        char text[4];
        for (size_t b = 0; b < 3; b++) {
            bits = bits << 8 | (b < group ? at[i + b] : 0);
        }
        for (size_t d = 0; d < 4; d++) {
            text[d] = (char)(d <= group ? digits[bits >> (18 - 6 * d) & 63] : '=');
        }
        gt_text_append_bytes(out, text, sizeof text);
    }
}

/* The bytes of four characters; 0: they are no base64. */
static size_t read_group(unsigned char out[3], const char *text)
{
    size_t padding = text[3] != '=' ? 0 : text[2] != '=' ? 1 : 2;
    uint32_t bits = 0;
    for (size_t d = 0; d < 4; d++) {
        const char *found = d < 4 - padding && text[d] ? strchr(digits, text[d]) : NULL;
        if (!found && d < 4 - padding) {
            return 0;
        }
        bits = bits << 6 | (found ? (uint32_t)(found - digits) : 0);
    }
    for (size_t b = 0; b < 3; b++) {
        out[b] = (unsigned char)(bits >> (16 - 8 * b));
    }
    return 3 - padding;
}

bool gt_base64_read(void **out, size_t *count, const char *text, size_t length)
{
    unsigned char *bytes = malloc(length / 4 * 3 + 1);
    size_t read = 0;
    bool right = bytes && length % 4 == 0;
    for (size_t i = 0; right && i < length; i += 4) {
        size_t group = read_group(bytes + read, text + i);
        read += group;
        right = group == 3 || (group > 0 && i + 4 == length);
    }
    if (!right) {
        free(bytes);
        bytes = NULL;
    }
    *out = bytes;
    *count = right ? read : 0;
    return right;
}
