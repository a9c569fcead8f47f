/* Finds the members of JSON containers as pieces of text, which jansson reads. */
#include "api/json_scan.h"

#include <string.h>

static void skip_blanks(gt_json_scan *scan)
{
    for (; scan->at < scan->length && strchr(" \t\r\n", scan->text[scan->at]); scan->at++) {
        scan->line += scan->text[scan->at] == '\n';
    }
}

static bool is_at(const gt_json_scan *scan, char c)
{
    return scan->at < scan->length && scan->text[scan->at] == c;
}

/* From behind an opening quote to behind the closing one; false at the end of the text. */
static bool skip_string(gt_json_scan *scan)
{
    for (; scan->at < scan->length; scan->at++) {
        char c = scan->text[scan->at];
        if (c == '"') {
            scan->at++;
            return true;
        }
        scan->line += c == '\n';
        scan->at += c == '\\';
    }
    return false;
}

/* A container to its closing brace or bracket. */
static bool skip_container(gt_json_scan *scan)
{
    int depth = 0;
    while (scan->at < scan->length) {
        char c = scan->text[scan->at++];
        scan->line += c == '\n';
        if (c == '"' && !skip_string(scan)) {
            return false;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (depth == 0) {
            return true;
        }
    }
    return false;
}

static bool skip_value(gt_json_scan *scan)
{
    if (is_at(scan, '{') || is_at(scan, '[')) {
        return skip_container(scan);
    }
    if (is_at(scan, '"')) {
        scan->at++;
        return skip_string(scan);
    }
    while (scan->at < scan->length && !strchr(",}] \t\r\n", scan->text[scan->at])) {
        scan->at++;
    }
    return scan->at < scan->length;
}

bool gt_json_enter(gt_json_scan *scan)
{
    skip_blanks(scan);
    if (!is_at(scan, '{') && !is_at(scan, '[')) {
        return false;
    }
    scan->at++;
    return true;
}

/* A member's name and the colon behind it. */
static gt_json_step read_key(gt_json_scan *scan, gt_json_piece *out)
{
    size_t from = scan->at + 1;
    scan->at++;
    if (!skip_string(scan)) {
        return GT_JSON_CUT;
    }
    out->key = scan->text + from;
    out->key_length = scan->at - 1 - from;
    skip_blanks(scan);
    if (scan->at == scan->length) {
        return GT_JSON_CUT;
    }
    if (!is_at(scan, ':')) {
        return GT_JSON_BAD;
    }
    scan->at++;
    skip_blanks(scan);
    return GT_JSON_MEMBER;
}

gt_json_step gt_json_next(gt_json_scan *scan, gt_json_piece *out)
{
    skip_blanks(scan);
    if (is_at(scan, ',')) {
        scan->at++;
        skip_blanks(scan);
    }
    if (scan->at == scan->length) {
        return GT_JSON_CUT;
    }
    if (is_at(scan, '}') || is_at(scan, ']')) {
        scan->at++;
        return GT_JSON_END;
    }
    *out = (gt_json_piece){.text = scan->text + scan->at, .line = scan->line};
    if (is_at(scan, '"')) {
        gt_json_step step = read_key(scan, out);
        if (step != GT_JSON_MEMBER) {
            return step;
        }
    }
    out->text = scan->text + scan->at;
    out->line = scan->line;
    size_t from = scan->at;
    bool whole = skip_value(scan);
    out->length = scan->at - from;
    return !whole ? GT_JSON_CUT : out->length ? GT_JSON_MEMBER : GT_JSON_BAD;
}

gt_json_scan gt_json_inside(const gt_json_piece *piece)
{
    return (gt_json_scan){piece->text, piece->length, 0, piece->line};
}
