/* Code that must not compile with gputune.h and gputune.hpp, with a message that explains the remedy.
 * Only -DCASE=0 compiles. tests/programs/run contains the last case's number. */
#include <gputune.hpp>

#include <array>
#include <chrono>
#include <complex>
#include <optional>

namespace gt = gputune_cxx;

struct pair {
    int first, second;
};
union either {
    int integer;
    float number;
};

void all(const gt::plan &plan, gputune_plan *handle, float *y, double n);
void all(const gt::plan &plan, gputune_plan *handle, float *y, double n)
{
#if CASE == 0
    const auto arguments = GPUTUNE_ARGS(&y, &n);
    const auto sizes = GPUTUNE_SIZES({"n", 1}, {"m", static_cast<long>(n)});
    gputune_launch(handle, nullptr, arguments);
    gputune_plan *found = nullptr;
    tune_kernel(&found, nullptr, "axpy", sizes, nullptr);
    const int three[3] = {};
    (void)plan.try_launch(nullptr, y, gt::by_value(pair{1, 2}), three, 1.0f);
#elif CASE == 1
    (void)plan.try_launch(nullptr, y, pair{1, 2});
#elif CASE == 2
    (void)plan.try_launch(nullptr, y, std::array<int, 1>{2});
#elif CASE == 3
    (void)plan.try_launch(nullptr, y, "2.0");
#elif CASE == 4
    (void)plan.try_launch(nullptr, y, std::complex<float>(2));
#elif CASE == 5
    (void)plan.try_launch(nullptr, y, std::optional<int>(2));
#elif CASE == 6
    (void)plan.try_launch(nullptr, y, std::chrono::seconds(2));
#elif CASE == 7
    (void)plan.try_launch(nullptr, y, either{2});
#elif CASE == 8
    (void)plan.try_launch(nullptr, y, &pair::first);
#elif CASE == 9
    (void)plan;
    const gputune_args arguments = GPUTUNE_ARGS(&y, &n);
    gputune_launch(handle, nullptr, arguments);
#elif CASE == 10
    (void)plan;
    const gputune_sizes sizes = GPUTUNE_SIZES({"n", 1});
    tune_kernel(&handle, nullptr, "axpy", sizes, nullptr);
#elif CASE == 11
    tune_kernel(&handle, nullptr, "axpy", GPUTUNE_SIZES({"n", n}), nullptr);
#elif CASE == 12
    const gt::sizes sizes = {{"n", n}};
#endif
}
