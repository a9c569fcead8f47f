// Instructions of compute capability 9.0. They are macros, so findings name the line that uses them.
#define SHARED(p) (unsigned int)__cvta_generic_to_shared(p)
#define INIT(bar, count)                                                                           \
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SHARED(&(bar))), "r"(count)       \
                 : "memory")
#define FENCE_INIT() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define FENCE_ASYNC() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define EXPECT(bar, bytes)                                                                         \
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SHARED(&(bar))),   \
                 "r"((unsigned int)(bytes))                                                        \
                 : "memory")
#define ARRIVE(bar)                                                                                \
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(SHARED(&(bar))) \
                 : "memory")
#define WAIT(bar, parity)                                                                          \
    asm volatile("{ .reg .pred p; L%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; "     \
                 "@!p bra L%=; }" ::"r"(SHARED(&(bar))),                                           \
                 "r"((unsigned int)(parity))                                                       \
                 : "memory")
// LOAD copies from global to shared memory and completes at a barrier. STORE copies back.
#define LOAD(to, from, bytes, bar)                                                                 \
    asm volatile(                                                                                  \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"  \
        ::"r"(SHARED(to)),                                                                         \
        "l"(from), "r"((unsigned int)(bytes)), "r"(SHARED(&(bar)))                                 \
        : "memory")
#define STORE(to, from, bytes)                                                                     \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),          \
                 "r"(SHARED(from)), "r"((unsigned int)(bytes))                                     \
                 : "memory")
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT_GROUP(left) asm volatile("cp.async.bulk.wait_group " #left ";" ::: "memory")
#define WAIT_READ(left) asm volatile("cp.async.bulk.wait_group.read " #left ";" ::: "memory")
// COPY copies 4 bytes.
#define COPY(to, from)                                                                             \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SHARED(to)), "l"(from) : "memory")
#define COPY_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define COPY_WAIT(left) asm volatile("cp.async.wait_group " #left ";" ::: "memory")
