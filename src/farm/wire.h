/* The channel between host and workers. It carries frames: a header of fixed size and a body.
 * Bodies hold the structs of farm/job.h, written and read by tables of their members. Both ends are
 * of one build, so numbers travel as they are in memory. A peer cannot crash the reader or make it
 * allocate more than about three times the bytes that have arrived. */
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
    GT_REPEAT_INLINE, /* an array of `limit` elements, of which another member counts the used */
    GT_REPEAT_HEAP    /* a pointer to elements, which another member counts; owned */
} gt_member_repeat;

typedef struct gt_member {
    const char *name;
    gt_member_kind kind;
    gt_member_repeat repeat;
    size_t offset, size;             /* the member's place in the struct; bytes of one element */
    size_t limit;                    /* see gt_member_kind and gt_member_repeat */
    size_t count_offset, count_size; /* place and bytes of the member that counts the elements */
    const struct gt_record *record;  /* the table of a GT_MEMBER_STRUCT */
} gt_member;

/* The table of one struct: every member in the order of declaration. tools/wire-tables makes these
 * tables of the headers that declare the structs. */
typedef struct gt_record {
    const char *name;
    size_t size;
    const gt_member *members;
    size_t count;
} gt_record;

extern const gt_record gt_record_compile_job, gt_record_compiled, gt_record_measure_setup,
    gt_record_prepared, gt_record_verify_job, gt_record_verified, gt_record_sample_job,
    gt_record_sampled, gt_record_recheck_job, gt_record_id_job, gt_record_device, gt_record_hello,
    gt_record_answer, gt_record_hand, gt_record_lost;

/* Appends the bytes of `object` to `out`. False when a count exceeds its array. When memory is
 * short, out->failed is set. */
bool gt_record_encode(gt_text *out, const gt_record *record, const void *object);
/* Fills `object` from `data`, which must have no rest. `object` owns copies of its parts, for
 * gt_record_release(). EWORKER, with the member's name, if anything is missing or out of range;
 * ENOMEM. On failure `object` is all zero. */
gputune_status gt_record_decode(void *object, const gt_record *record, const void *data,
                                size_t bytes);
/* Frees what a decoded struct owns and zeroes it. */
void gt_record_release(const gt_record *record, void *object);

/* ---- Frames ---------------------------------------------------------------------------------- */

typedef enum gt_frame_kind {
    GT_FRAME_HELLO = 1, /* the first frame of every worker: its version */
    GT_FRAME_DEVICE,    /* the measure worker's device; comes before its context is made */
    GT_FRAME_READY,     /* the measure worker's context is open, or could not be opened; or the
                           compile worker's compiler is loaded */
    GT_FRAME_COMPILE,
    GT_FRAME_PREPARE,
    GT_FRAME_LOST, /* comes before PREPARE: what its trial leaves out; without an answer */
    GT_FRAME_VERIFY,
    GT_FRAME_VERIFY_AGAIN, /* the same of a variant that an earlier worker has proved */
    GT_FRAME_RECHECK,
    GT_FRAME_SAMPLE,
    GT_FRAME_DROP, /* without an answer */
    GT_FRAME_HAND, /* what a measure worker has in hand now */
    GT_FRAME_KINDS
} gt_frame_kind;

/* One frame as received. An answer has an envelope (gt_answer) before the body. */
typedef struct gt_frame {
    gt_frame_kind kind;
    uint64_t sequence; /* number of the request that this frame is, or answers */
    size_t start;      /* the envelope's, else the body's, in `storage` */
    size_t answer_bytes, body_bytes;
    char *storage; /* owned */
} gt_frame;

/* Frees what the frame owns, and zeroes it. */
void gt_frame_release(gt_frame *frame);

/* The largest frame that a host accepts from a worker, and that a worker accepts from its host: the
 * host's frames may hold staged inputs. */
#define GT_FRAME_HOST_BYTES   (UINT64_C(1) << 30)
#define GT_FRAME_WORKER_BYTES (UINT64_C(256) << 30)

/* Collects frames from a descriptor, blocking or not. A new one is all zero but `limit_bytes`. */
typedef struct gt_frame_reader {
    uint64_t limit_bytes;  /* the largest frame that is accepted */
    char *data;            /* what has arrived of the next frame; owned */
    size_t have, capacity; /* bytes that have arrived; bytes allocated */
} gt_frame_reader;

typedef enum gt_read {
    GT_READ_FRAME,
    GT_READ_AGAIN, /* nothing more now (non-blocking descriptors only) */
    GT_READ_END,   /* the peer closed */
    GT_READ_FAILED /* a malformed frame, or out of memory; the thread's message says which. Nothing
                      more can be read from the channel */
} gt_read;
/* Reads the next frame. On GT_READ_FRAME, the caller releases *out. */
gt_read gt_frame_read(gt_frame *out, gt_frame_reader *reader, int descriptor);
void gt_frame_reader_free(gt_frame_reader *reader);

/* The envelope of an answer. */
typedef struct gt_answer {
    int32_t status;    /* a gputune_status */
    uint64_t culprit;  /* the variant that was sampled when a sample failed, or GT_NO_VARIANT */
    char message[512]; /* of a failure */
} gt_answer;

/* The body of DROP: a variant. */
typedef struct gt_id_job {
    uint64_t id;
} gt_id_job;

/* The body of HAND. */
typedef struct gt_hand {
    uint64_t sequence; /* number of the request; 0: none */
    uint64_t variant;  /* the variant in hand, or GT_NO_VARIANT */
    uint64_t trying;   /* the key of the experiment in hand (gt_lost); 0: none */
} gt_hand;

typedef struct gt_hello {
    char version[64]; /* gt_wire_version() of the worker */
} gt_hello;

/* The structs that frames of one kind carry: the host's request, or a worker's report, and the
 * answer to a request. NULL: nothing. */
typedef struct gt_cargo {
    const gt_record *job, *reply;
} gt_cargo;
extern const gt_cargo gt_carried[GT_FRAME_KINDS];

/* Appends a whole frame to `out`: a request (`answer` is NULL) or an answer. The body is `object`
 * by its table `record`; NULL: there is no body. On failure `out` is as before. */
gputune_status gt_frame_append(gt_text *out, gt_frame_kind kind, uint64_t sequence,
                               const gt_answer *answer, const gt_record *record,
                               const void *object);
/* Sets kind and sequence number of an encoded frame; `data` is its beginning. */
void gt_frame_number(char *data, gt_frame_kind kind, uint64_t sequence);

/* These read a frame's body, or its envelope, into a struct. EWORKER if it is malformed; ENOMEM. */
gputune_status gt_frame_body(void *object, const gt_frame *frame, const gt_record *record);
gputune_status gt_frame_answer(gt_answer *out, const gt_frame *frame);

/* Sends all of `data` on a blocking socket. EIO when the peer is gone. */
gputune_status gt_send_all(int descriptor, const void *data, size_t bytes);

/* Makes a frame as gt_frame_append() does, of what frames of this kind carry, and sends it with
 * gt_send_all(). */
gputune_status gt_frame_send(int descriptor, gt_frame_kind kind, uint64_t sequence,
                             const gt_answer *answer, const void *object);

/* Writes "1.0.0/HASH" to `out`, and returns it: the version and a hash of all member tables. Those
 * of host and worker must be equal. */
const char *gt_wire_version(char out[64]);
