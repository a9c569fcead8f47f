/* The channel between host and workers: frames of a fixed header and bytes, and the job structs of
 * farm/job.h in and out of them by member tables. Both ends are of one build, so that numbers
 * travel as they are in memory. Nothing that a peer sends can crash the
 * reader or make it allocate more than about three times what has arrived. */
#pragma once

#include "base/text.h"
#include "farm/job.h"

/* ---- Structs by table ------------------------------------------------------------------------ */

typedef enum gt_member_kind {
    GT_MEMBER_BOOL,
    GT_MEMBER_SIGNED,
    GT_MEMBER_UNSIGNED,
    GT_MEMBER_ENUM, /* unsigned, at most `limit` */
    GT_MEMBER_REAL,
    GT_MEMBER_STRING, /* char array of `size` bytes, always NUL-terminated, UTF-8 when read */
    GT_MEMBER_BYTES,  /* byte array of `size` bytes */
    GT_MEMBER_TEXT,   /* char *, owned, any bytes but NUL; may be NULL */
    GT_MEMBER_IMAGE,  /* gt_image, owned */
    GT_MEMBER_STRUCT
} gt_member_kind;

typedef enum gt_member_repeat {
    GT_REPEAT_ONE,
    GT_REPEAT_FIXED,  /* an array of `limit` elements, all used */
    GT_REPEAT_INLINE, /* an array of `limit` elements, as many used as the count says */
    GT_REPEAT_HEAP    /* a pointer to as many elements as the count says, owned */
} gt_member_repeat;

typedef struct gt_member {
    const char *name;
    gt_member_kind kind;
    gt_member_repeat repeat;
    size_t offset, size; /* within the struct; of one element */
    size_t limit;
    size_t count_offset, count_size;
    const struct gt_record *record; /* of a struct */
} gt_member;

/* One struct: every member in the order of declaration. */
typedef struct gt_record {
    const char *name;
    size_t size;
    const gt_member *members;
    size_t count;
} gt_record;

extern const gt_record gt_record_compile_job, gt_record_compiled, gt_record_setup,
    gt_record_prepared, gt_record_verify_job, gt_record_verified, gt_record_sample_job,
    gt_record_sampled, gt_record_recheck_job, gt_record_id_job, gt_record_device, gt_record_ready,
    gt_record_hello, gt_record_answer, gt_record_hand;

/* Appends the bytes of `object` to `out`. False when a count exceeds its array; memory that is
 * short shows in out->failed. */
bool gt_record_encode(gt_text *out, const gt_record *record, const void *object);
/* Fills `object` (need not be initialised) from all of these bytes; owned parts are copied. EWORKER
 * naming the member for anything missing or out of range, or ENOMEM; `object` is then all zero.
 * gt_record_release() frees. */
gputune_status gt_record_decode(void *object, const gt_record *record, const void *data,
                                size_t bytes);
/* Frees what a decoded struct owns and zeroes it. */
void gt_record_release(const gt_record *record, void *object);

/* ---- Frames ---------------------------------------------------------------------------------- */

typedef enum gt_frame_kind {
    GT_FRAME_HELLO = 1, /* first word of every worker */
    GT_FRAME_DEVICE,    /* what the measure worker's device is, before it makes a context there */
    GT_FRAME_READY, /* the measure worker's context is open, or why not; the compiler is loaded */
    GT_FRAME_COMPILE,
    GT_FRAME_PREPARE,
    GT_FRAME_VERIFY,
    GT_FRAME_RECHECK,
    GT_FRAME_SAMPLE,
    GT_FRAME_PACE, /* answered like a sample */
    GT_FRAME_DROP, /* the only request without an answer */
    GT_FRAME_HAND, /* what a measure worker that a command has started is at */
    GT_FRAME_KINDS
} gt_frame_kind;

/* One frame as received: an answer's envelope, which a request lacks, and behind it the body. */
typedef struct gt_frame {
    gt_frame_kind kind;
    uint64_t sequence;                      /* of the request that this is, or answers */
    size_t start, answer_bytes, body_bytes; /* in `storage` */
    char *storage;
} gt_frame;

void gt_frame_release(gt_frame *frame);

/* What a host accepts from a worker at most in one frame, and a worker, with staged inputs. */
#define GT_FRAME_HOST_BYTES   (UINT64_C(1) << 30)
#define GT_FRAME_WORKER_BYTES (UINT64_C(256) << 30)

/* Collects frames from a descriptor, blocking or not. All zero but `limit_bytes` to begin with. */
typedef struct gt_frame_reader {
    uint64_t limit_bytes;
    char *data;
    size_t have, capacity;
} gt_frame_reader;

typedef enum gt_read {
    GT_READ_FRAME,
    GT_READ_AGAIN, /* nothing more now (non-blocking descriptors only) */
    GT_READ_END,   /* the peer closed */
    GT_READ_FAILED /* malformed or out of memory; the message says what; the channel is useless */
} gt_read;
/* Reads the next frame; *out is the caller's, for gt_frame_release(), with GT_READ_FRAME. */
gt_read gt_frame_read(gt_frame *out, gt_frame_reader *reader, int descriptor);
void gt_frame_reader_free(gt_frame_reader *reader);

/* The envelope of an answer. */
typedef struct gt_answer {
    int32_t status;    /* a gputune_status */
    uint64_t culprit;  /* the variant that was sampled when a sample failed, or GT_NO_VARIANT */
    char message[512]; /* of a failure */
} gt_answer;

/* What to drop, or to answer. */
typedef struct gt_id_job {
    uint64_t id;
} gt_id_job;

/* Of gt_page (farm/worker.h). */
typedef struct gt_hand {
    uint64_t sequence, current;
    bool trying;
} gt_hand;

typedef struct gt_ready {
    int32_t nvrtc_version; /* of a compile worker: 13000 for 13.0, 0: it has none */
} gt_ready;

typedef struct gt_hello {
    char version[64]; /* gt_wire_version() of the worker */
} gt_hello;

/* Appends a whole frame to `out`: a request (`answer` NULL) or an answer, whose body may be absent
 * (`object` NULL). On failure `out` is as before. */
gputune_status gt_frame_append(gt_text *out, gt_frame_kind kind, uint64_t sequence,
                               const gt_answer *answer, const gt_record *record,
                               const void *object);
/* Sets the sequence number of the one frame that `data` is. */
void gt_frame_number(char *data, uint64_t sequence);

/* Reads a frame's body, or its envelope, into a struct. EWORKER when malformed, or ENOMEM. */
gputune_status gt_frame_body(void *object, const gt_frame *frame, const gt_record *record);
gputune_status gt_frame_answer(gt_answer *out, const gt_frame *frame);

/* Where in `data` the frame begins by which a worker says hello; `bytes`: nowhere yet. */
size_t gt_frame_find_hello(const char *data, size_t bytes);

/* Sends all of `data` on a blocking socket, without SIGPIPE, or on a pipe. EIO when the peer is
 * gone. */
gputune_status gt_send_all(int descriptor, const void *data, size_t bytes);

/* Makes a frame as gt_frame_append() and sends it. */
gputune_status gt_frame_send(int descriptor, gt_frame_kind kind, uint64_t sequence,
                             const gt_answer *answer, const gt_record *record, const void *object);

/* "0.1.0/HASH": version and a hash of all member tables; host and worker must agree. */
const char *gt_wire_version(char out[64]);
