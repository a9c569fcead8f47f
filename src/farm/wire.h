/* The channel between host and workers. It carries frames. Frames contain structs of farm/job.h,
 * with numbers as they are in memory. A malicious peer can neither crash the reader nor make it
 * allocate more than about three times the bytes that the peer sent. */
#pragma once

#include "base/text.h"
#include "farm/job.h"

/* ---- Structs by table ------------------------------------------------------------------------ */

typedef enum gt_member_kind {
    GT_MEMBER_BOOL,
    GT_MEMBER_SIGNED,
    GT_MEMBER_UNSIGNED,
    GT_MEMBER_ENUM,
    GT_MEMBER_REAL,
    GT_MEMBER_STRING, /* char array of `size` bytes; after reading, valid UTF-8 with a final NUL */
    GT_MEMBER_BYTES,  /* byte array of `size` bytes */
    GT_MEMBER_TEXT,   /* char *, owned; may be NULL */
    GT_MEMBER_IMAGE,
    GT_MEMBER_STRUCT
} gt_member_kind;

typedef enum gt_member_repeat {
    GT_REPEAT_ONE,
    GT_REPEAT_FIXED,  /* an array of `limit` elements, all in use */
    GT_REPEAT_INLINE, /* an array of `limit` elements; another member counts the elements in use */
    GT_REPEAT_HEAP    /* an owned pointer to elements, which another member counts */
} gt_member_repeat;

typedef struct gt_member {
    const char *name;
    gt_member_kind kind;
    gt_member_repeat repeat;
    size_t offset, size;             /* offset of the member in the struct; bytes of one element */
    size_t limit;                    /* number of elements; for an enum, its largest value */
    size_t count_offset, count_size; /* offset and size of the member that counts */
    const struct gt_record *record;
} gt_member;

/* The members of one struct, in the order of declaration. tools/wire-tables generates these tables
 * from the headers. */
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

/* Appends the bytes of `object` to `out`. Returns false if a count exceeds its array. Sets
 * out->failed if out of memory. */
bool gt_record_encode(gt_text *out, const gt_record *record, const void *object);
/* Fills `object` from `data`, all of which must be used. gt_record_release() frees the object.
 * EWORKER if a member, which the message names, is missing or out of range; ENOMEM. On failure
 * `object` is all zero. */
gputune_status gt_record_decode(void *object, const gt_record *record, const void *data,
                                size_t bytes);
/* Frees what a decoded struct owns, and sets it to zeros. */
void gt_record_release(const gt_record *record, void *object);

/* ---- Frames ---------------------------------------------------------------------------------- */

typedef enum gt_frame_kind {
    GT_FRAME_HELLO = 1, /* first frame of every worker: contains its version */
    GT_FRAME_DEVICE,    /* the measure worker's device, before its context is made */
    GT_FRAME_READY, /* the compiler is loaded, or the measure worker's context is open or could not
                       be opened */
    GT_FRAME_COMPILE,
    GT_FRAME_PREPARE,
    GT_FRAME_LOST, /* experiments that data proofs skip; sent before PREPARE, without an answer */
    GT_FRAME_VERIFY,
    GT_FRAME_VERIFY_AGAIN, /* VERIFY for a variant that an earlier worker has already proved */
    GT_FRAME_RECHECK,
    GT_FRAME_SAMPLE,
    GT_FRAME_DROP, /* drops a variant; not answered */
    GT_FRAME_HAND, /* reports what the measure worker is doing */
    GT_FRAME_KINDS
} gt_frame_kind;

/* A received frame. In an answer, a gt_answer comes before the body. */
typedef struct gt_frame {
    gt_frame_kind kind;
    uint64_t sequence; /* number of the request */
    size_t start;      /* offset in `storage` of the gt_answer, or of the body in a request */
    size_t answer_bytes, body_bytes;
    char *storage; /* owned */
} gt_frame;

void gt_frame_release(gt_frame *frame);

/* The largest frames that the host and a worker accept. Frames to a worker contain staged
 * inputs. */
#define GT_FRAME_HOST_BYTES   (UINT64_C(1) << 30)
#define GT_FRAME_WORKER_BYTES (UINT64_C(256) << 30)

/* Collects frames from a socket, which may be non-blocking. All members except `limit_bytes` must
 * be 0 at first. */
typedef struct gt_frame_reader {
    uint64_t limit_bytes;
    char *data;            /* received part of the next frame; owned */
    size_t have, capacity; /* bytes received, and bytes allocated */
} gt_frame_reader;

typedef enum gt_read {
    GT_READ_FRAME,
    GT_READ_AGAIN, /* no more data now, on a non-blocking socket */
    GT_READ_END,   /* the peer closed the channel */
    /* malformed frame, or out of memory; the thread's message has the reason, and the channel is
     * unusable */
    GT_READ_FAILED
} gt_read;
/* Reads the next frame, which the caller releases. */
gt_read gt_frame_read(gt_frame *out, gt_frame_reader *reader, int descriptor);
void gt_frame_reader_free(gt_frame_reader *reader);

typedef struct gt_answer {
    int32_t status;
    uint64_t
        culprit; /* the variant that was being sampled when a sample job failed, or GT_NO_VARIANT */
    char message[512];
} gt_answer;

typedef struct gt_id_job {
    uint64_t id;
} gt_id_job;

typedef struct gt_hand {
    uint64_t sequence; /* number of the request; 0: none */
    uint64_t variant;  /* the current variant, or GT_NO_VARIANT */
    uint64_t trying;   /* key of the current experiment (gt_lost); 0: none */
} gt_hand;

typedef struct gt_hello {
    char version[64];
} gt_hello;

/* The structs that frames of one kind carry: `job` in a request or a worker's report, `reply` in an
 * answer. NULL: none. */
typedef struct gt_cargo {
    const gt_record *job, *reply;
} gt_cargo;
extern const gt_cargo gt_carried[GT_FRAME_KINDS];

/* Appends a frame: an answer if `answer` is not NULL, otherwise a request. The body is `object`,
 * which may be NULL. On failure `out` is not changed. */
gputune_status gt_frame_append(gt_text *out, gt_frame_kind kind, uint64_t sequence,
                               const gt_answer *answer, const gt_record *record,
                               const void *object);
/* Sets the kind and number of the encoded frame at `data`. */
void gt_frame_number(char *data, gt_frame_kind kind, uint64_t sequence);

/* Decode a frame's body, and the gt_answer before the body. EWORKER if it is malformed; ENOMEM. */
gputune_status gt_frame_body(void *object, const gt_frame *frame, const gt_record *record);
gputune_status gt_frame_answer(gt_answer *out, const gt_frame *frame);

/* Sends all of `data` on a blocking socket. EIO if the peer has closed it. */
gputune_status gt_send_all(int descriptor, const void *data, size_t bytes);

/* Makes a frame with the struct that frames of this kind carry, and sends it. */
gputune_status gt_frame_send(int descriptor, gt_frame_kind kind, uint64_t sequence,
                             const gt_answer *answer, const void *object);

/* gputune's version and a checksum of all headers that declare the structs, as "1.0.0/CHECKSUM".
 * Host and worker must have the same text. tools/wire-tables generates it. */
extern const char gt_wire_version[];
