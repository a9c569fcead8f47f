/* gputune for C++17 and later: plans and tuners that release themselves, arguments that are checked
 * against the template's types, failures as results or as exceptions. Header-only, over gputune.h,
 * which says what each call does; link the same library.
 *
 *   namespace gt = gputune_cxx;
 *   gt::tuner tuner;                                         // the current context's GPU
 *   gt::plan axpy = tuner.tune("axpy", {{"n", n}});          // throws gt::error
 *   axpy.launch(stream, y, x, 2.0f, n);                      // device pointers, spans and values
 *
 *   if (gt::result<gt::plan> axpy = tuner.try_tune("axpy", {{"n", n}})) // the same without
 * exceptions axpy->try_launch(stream, y, x, 2.0f, n);
 *
 * Each try_ function returns a result and throws nothing of its own; the others throw gt::error,
 * and are left out where the compiler has no exceptions. Memory that runs out is the standard
 * library's std::bad_alloc. Objects are as thread-safe as what they hold: tuner and plan, for all
 * calls but assignment and destruction. */
#ifndef GPUTUNE_HPP
#define GPUTUNE_HPP

#include "gputune.h"

#include <cassert>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#if defined(__cpp_exceptions)
#include <exception>
#include <stdexcept>
#endif
#if defined(__cpp_lib_span)
#include <span>
#elif __cplusplus >= 202002L
#if __has_include(<span>)
#include <span>
#endif
#endif

namespace gputune_cxx
{

/* ---- Failures -------------------------------------------------------------------------------- */

/* What a call failed with: a gputune_status and the line of text. */
struct failure {
    int status;
    std::string message;
};

/* The calling thread's last failure. */
inline failure last_failure(int status)
{
    return {status, gputune_error()};
}

#if defined(__cpp_exceptions)
class error : public std::runtime_error
{
  public:
    explicit error(const failure &why) : std::runtime_error(why.message), status_(why.status)
    {
    }
    int status() const noexcept
    {
        return status_;
    }

  private:
    int status_;
};
#endif

/* A value, or why there is none. */
template <typename T> class [[nodiscard]] result
{
  public:
    result(T value) : content_(std::in_place_index<0>, std::move(value))
    {
    }
    result(failure why) : content_(std::in_place_index<1>, std::move(why))
    {
    }

    explicit operator bool() const noexcept
    {
        return content_.index() == 0;
    }
    /* Only where there is one. */
    T &operator*() noexcept
    {
        return *std::get_if<0>(&content_);
    }
    const T &operator*() const noexcept
    {
        return *std::get_if<0>(&content_);
    }
    T *operator->() noexcept
    {
        return std::get_if<0>(&content_);
    }
    const T *operator->() const noexcept
    {
        return std::get_if<0>(&content_);
    }
    /* Only where there is no value. */
    const failure &why() const noexcept
    {
        return *std::get_if<1>(&content_);
    }

#if defined(__cpp_exceptions)
    /* The value, or an exception. */
    T take() &&
    {
        if (!*this) {
            throw error(why());
        }
        return std::move(**this);
    }
#endif

  private:
    std::variant<T, failure> content_;
};

template <> class [[nodiscard]] result<void>
{
  public:
    result() = default;
    result(failure why) : why_(std::move(why)), failed_(true)
    {
    }

    explicit operator bool() const noexcept
    {
        return !failed_;
    }
    const failure &why() const noexcept
    {
        return why_;
    }

#if defined(__cpp_exceptions)
    void take() &&
    {
        if (failed_) {
            throw error(why_);
        }
    }
#endif

  private:
    failure why_{GPUTUNE_OK, {}};
    bool failed_ = false;
};

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* {"n", n}, or {"T=half"} for a word. */
struct size : gputune_size {
    template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
    size(const char *name_, T value_) : gputune_size{name_, static_cast<std::int64_t>(value_)}
    {
    }
    size(const char *word) : gputune_size{word, 0}
    {
    }
};

/* ---- Arguments ------------------------------------------------------------------------------- */

/* `count` elements on the device. */
template <typename T> class span
{
  public:
    span(T *data, std::size_t count) : data_(data), count_(count)
    {
    }
    /* At a CUdeviceptr. */
    span(unsigned long long address, std::size_t count)
        : data_(reinterpret_cast<T *>(static_cast<std::uintptr_t>(address))), count_(count)
    {
    }
    T *data() const noexcept
    {
        return data_;
    }
    std::size_t size() const noexcept
    {
        return count_;
    }

  private:
    T *data_;
    std::size_t count_;
};

namespace detail
{

enum class code { i8, u8, i16, u16, i32, u32, i64, u64, boolean, f32, f64, other };

template <typename T> constexpr code code_of()
{
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_enum_v<U>) {
        return code_of<std::underlying_type_t<U>>();
    } else if constexpr (std::is_same_v<U, bool>) {
        return code::boolean;
    } else if constexpr (std::is_same_v<U, float>) {
        return code::f32;
    } else if constexpr (std::is_same_v<U, double>) {
        return code::f64;
    } else if constexpr (std::is_integral_v<U>) {
        constexpr code codes[2][4] = {{code::i8, code::i16, code::i32, code::i64},
                                      {code::u8, code::u16, code::u32, code::u64}};
        return codes[std::is_unsigned_v<U>][sizeof(U) == 1   ? 0
                                            : sizeof(U) == 2 ? 1
                                            : sizeof(U) == 4 ? 2
                                                             : 3];
    } else {
        return code::other;
    }
}

inline code code_named(const char *type)
{
    constexpr struct {
        const char *name;
        code value;
    } names[] = {{"signed char", code::i8}, {"unsigned char", code::u8},
                 {"short", code::i16},      {"unsigned short", code::u16},
                 {"int", code::i32},        {"unsigned int", code::u32},
                 {"long long", code::i64},  {"unsigned long long", code::u64},
                 {"bool", code::boolean},   {"float", code::f32},
                 {"double", code::f64}};
    for (const auto &one : names) {
        if (std::strcmp(one.name, type) == 0) {
            return one.value;
        }
    }
    return code::other;
}

/* An argument as the template has it; `known` is false of one that the kernel gets in another way
 * than by its parameter list (a block in constant memory). */
struct expected {
    bool known = false;
    gputune_parameter_kind kind = GPUTUNE_PARAMETER_BUFFER;
    code type = code::other;
    std::uint32_t bytes = 0;
    std::uint64_t buffer_bytes = 0;
    std::string name, type_name;
};

/* An argument in the form that a launch wants: `item` points to the value. */
struct slot {
    union {
        std::uint64_t bits;
        const void *pointer;
        double f64;
        float f32;
    };
    const void *item = nullptr;
    const char *mistake = nullptr; /* what is wrong with it */
    slot() : bits(0)
    {
    }
};

template <typename T> struct is_span : std::false_type {
};
template <typename T> struct is_span<span<T>> : std::true_type {
};
#if defined(__cpp_lib_span)
template <typename T, std::size_t N> struct is_span<std::span<T, N>> : std::true_type {
};
#endif

template <typename T> bool set_integer(slot &out, code wanted, T value)
{
    const auto fits = [&](auto limit) {
        using W = decltype(limit);
        if constexpr (std::is_signed_v<T>) {
            if (value < 0) {
                return std::is_signed_v<W> &&
                       static_cast<long long>(value) >=
                           static_cast<long long>(std::numeric_limits<W>::min());
            }
        }
        return static_cast<unsigned long long>(value) <=
               static_cast<unsigned long long>(std::numeric_limits<W>::max());
    };
    out.bits = static_cast<std::uint64_t>(value); /* little-endian: low bytes come first */
    switch (wanted) {
    case code::i8:
        return fits(std::int8_t{});
    case code::u8:
        return fits(std::uint8_t{});
    case code::i16:
        return fits(std::int16_t{});
    case code::u16:
        return fits(std::uint16_t{});
    case code::i32:
        return fits(std::int32_t{});
    case code::u32:
        return fits(std::uint32_t{});
    case code::i64:
        return fits(std::int64_t{});
    case code::u64:
        return fits(std::uint64_t{});
    case code::boolean:
        return value == T(0) || value == T(1);
    default:
        return false;
    }
}

template <typename T> void set_number(slot &out, code wanted, T value)
{
    out.item = &out.bits;
    if (wanted == code::f64) {
        out.f64 = static_cast<double>(value);
    } else if (wanted == code::f32) {
        out.bits = 0;
        out.f32 = static_cast<float>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
        out.mistake = "is a floating-point number; the template has an integer";
    } else if (!set_integer(out, wanted, value)) {
        out.mistake = "is out of the range of the template's type";
    }
}

template <typename T> void set_pointer(slot &out, const expected &want, T *pointer)
{
    out.pointer = pointer;
    out.item = &out.pointer;
    if (want.known && want.kind == GPUTUNE_PARAMETER_BLOCK) {
        out.item = pointer; /* the block itself, in host memory */
    } else if (want.known && want.kind == GPUTUNE_PARAMETER_SCALAR) {
        out.mistake = "is a pointer; the template has a value";
    } else if (want.known && code_of<T>() != code::other && want.type != code::other &&
               code_of<T>() != want.type) {
        out.mistake = "points to another type than the template's";
    } else if (!want.known) {
        out.item = pointer; /* a block that goes through constant memory */
    }
}

/* Converts one argument, or says what is wrong with it. */
template <typename T> void set(slot &out, const expected &want, const T &value)
{
    using U = std::decay_t<T>;
    if constexpr (is_span<U>::value) {
        set_pointer(out, want, value.data());
        if (want.known && want.kind != GPUTUNE_PARAMETER_SCALAR &&
            value.size() * sizeof(*value.data()) < want.buffer_bytes) {
            out.mistake = "is smaller than the plan's buffer";
        }
    } else if constexpr (std::is_pointer_v<U>) {
        set_pointer(out, want, static_cast<U>(value));
    } else if constexpr (std::is_enum_v<U>) {
        set(out, want, static_cast<std::underlying_type_t<U>>(value));
    } else if constexpr (std::is_arithmetic_v<U>) {
        if (want.known && want.kind == GPUTUNE_PARAMETER_SCALAR && want.type != code::other) {
            set_number(out, want.type, value);
        } else if (want.known && want.kind == GPUTUNE_PARAMETER_BUFFER && sizeof(U) == 8 &&
                   std::is_unsigned_v<U>) {
            out.bits = static_cast<std::uint64_t>(value); /* a CUdeviceptr */
            out.item = &out.bits;
        } else {
            out.item = &value;
            out.mistake =
                !want.known || sizeof(U) != want.bytes || want.kind != GPUTUNE_PARAMETER_SCALAR
                    ? "is a number; the template has a buffer or another type"
                    : nullptr;
        }
    } else {
        static_assert(std::is_trivially_copyable_v<U>,
                      "an argument is a device pointer, a span of device memory, a number, or a "
                      "struct that can be copied byte by byte");
        out.item = &value;
        if (want.known && want.kind == GPUTUNE_PARAMETER_BUFFER) {
            out.mistake = "is a value; the template has a buffer";
        } else if (want.known && want.kind == GPUTUNE_PARAMETER_SCALAR && sizeof(U) != want.bytes) {
            out.mistake = "has another size than the template's type";
        } else if (want.known && want.kind == GPUTUNE_PARAMETER_BLOCK &&
                   sizeof(U) != want.buffer_bytes) {
            out.mistake = "has another size than the template's block";
        }
    }
}

} // namespace detail

/* ---- Plans ----------------------------------------------------------------------------------- */

/* A reference to a plan, to be held and launched many times. Copies share the plan. */
class plan
{
  public:
    plan() = default; /* none; only good to be assigned to */

    /* Takes over a reference of the C interface. */
    static plan adopt(gputune_plan *handle)
    {
        return plan(handle);
    }

    explicit operator bool() const noexcept
    {
        return state_ != nullptr;
    }
    gputune_plan *get() const noexcept
    {
        return state_ ? state_->handle : nullptr;
    }

    /* Which configuration it is, and where it came from. Strings live as long as the plan. */
    gputune_info info() const
    {
        gputune_info out = {};
        out.version = GPUTUNE_INFO_VERSION;
        gputune_plan_info(&out, get());
        return out;
    }

    /* Launches on a stream (CUstream or cudaStream_t; nullptr: the legacy default stream). Numbers
     * are converted to the template's types, where they fit; of pointers and spans, the type of
     * elements is checked, of spans the size. EINVAL names the argument that does not fit. */
    template <typename... Arguments>
    result<void> try_launch(void *stream, const Arguments &...arguments) const
    {
        constexpr std::size_t count = sizeof...(Arguments);
        if (!state_) {
            return failure{GPUTUNE_EINVAL, "launch: this plan is empty"};
        }
        detail::slot slots[count ? count : 1];
        const void *items[count ? count : 1];
        std::size_t at = 0;
        ((detail::set(slots[at], wanted(at), arguments), items[at] = slots[at].item, at++), ...);
        for (std::size_t i = 0; i < count; i++) {
            if (slots[i].mistake) {
                return mistake(i, slots[i].mistake);
            }
        }
        const int status = gputune_launch(state_->handle, stream, gputune_args{count, items});
        return status < 0 ? result<void>(last_failure(status)) : result<void>();
    }

#if defined(__cpp_exceptions)
    template <typename... Arguments> void launch(void *stream, const Arguments &...arguments) const
    {
        try_launch(stream, arguments...).take();
    }
#endif

  private:
    struct state {
        gputune_plan *handle;
        std::vector<detail::expected> arguments;
        explicit state(gputune_plan *h) : handle(h)
        {
        }
        state(const state &) = delete;
        state &operator=(const state &) = delete;
        ~state()
        {
            gputune_plan_release(handle);
        }
    };
    std::shared_ptr<const state> state_;

    explicit plan(gputune_plan *handle)
    {
        auto made = std::make_shared<state>(handle);
        gputune_parameter one = {};
        one.version = GPUTUNE_PARAMETER_VERSION;
        for (std::uint32_t i = 0; gputune_plan_parameter(&one, handle, 0, i) == GPUTUNE_OK; i++) {
            if (one.argument < 0) {
                continue;
            }
            const auto place = static_cast<std::size_t>(one.argument);
            if (made->arguments.size() <= place) {
                made->arguments.resize(place + 1);
            }
            made->arguments[place] = {true,      one.kind,         detail::code_named(one.type),
                                      one.bytes, one.buffer_bytes, one.name,
                                      one.type};
        }
        state_ = std::move(made);
    }

    const detail::expected &wanted(std::size_t index) const
    {
        static const detail::expected unknown;
        return index < state_->arguments.size() ? state_->arguments[index] : unknown;
    }

    failure mistake(std::size_t index, const char *what) const
    {
        const detail::expected &want = wanted(index);
        const char *star = want.kind == GPUTUNE_PARAMETER_BUFFER ? " *" : " ";
        std::string text = std::string(info().kernel) + ": argument " + std::to_string(index + 1);
        if (want.known) {
            text += " (" + want.type_name + star + want.name + ")";
        }
        return {GPUTUNE_EINVAL, text + " " + what};
    }
};

/* ---- Tuners ---------------------------------------------------------------------------------- */

inline gputune_options default_options()
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    return options;
}

inline gputune_open_options default_open_options()
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    return options;
}

class tuner
{
  public:
    static result<tuner> try_open(const gputune_open_options &options = default_open_options())
    {
        gputune *handle = nullptr;
        const int status = gputune_open(&handle, &options);
        return status < 0 ? result<tuner>(last_failure(status)) : result<tuner>(tuner(handle));
    }

#if defined(__cpp_exceptions)
    explicit tuner(const gputune_open_options &options = default_open_options())
        : tuner(try_open(options).take())
    {
    }
#endif

    gputune *get() const noexcept
    {
        return handle_.get();
    }

    result<void> try_add_template(const char *path) const
    {
        const int status = gputune_add_template(get(), path);
        return status < 0 ? result<void>(last_failure(status)) : result<void>();
    }

    /* A plan for a kernel (a name or a template's path). Hold it: launching a held plan looks
     * nothing up. */
    result<plan> try_tune(const char *kernel, std::initializer_list<size> sizes = {},
                          const gputune_options &options = default_options()) const
    {
        const std::vector<gputune_size> list(sizes.begin(), sizes.end());
        gputune_plan *handle = nullptr;
        const int status =
            tune_kernel(&handle, get(), kernel, gputune_sizes{list.size(), list.data()}, &options);
        return status < 0 ? result<plan>(last_failure(status)) : result<plan>(plan::adopt(handle));
    }

    /* Calls `each`, which takes a const gputune_record &, for the stored records. */
    template <typename Each>
    result<void> try_records(Each each, const gputune_record_filter *filter = nullptr) const
    {
        visit<Each> state{each};
        const int status = gputune_records(get(), filter, visit<Each>::call, &state);
#if defined(__cpp_exceptions)
        if (state.thrown) {
            std::rethrow_exception(state.thrown);
        }
#endif
        return status < 0 ? result<void>(last_failure(status)) : result<void>();
    }

#if defined(__cpp_exceptions)
    void add_template(const char *path) const
    {
        try_add_template(path).take();
    }
    plan tune(const char *kernel, std::initializer_list<size> sizes = {},
              const gputune_options &options = default_options()) const
    {
        return try_tune(kernel, sizes, options).take();
    }
    template <typename Each>
    void records(Each each, const gputune_record_filter *filter = nullptr) const
    {
        try_records(each, filter).take();
    }
#endif

  private:
    struct close {
        void operator()(gputune *handle) const
        {
            gputune_close(handle);
        }
    };
    std::unique_ptr<gputune, close> handle_;

    explicit tuner(gputune *handle) : handle_(handle)
    {
    }

    /* What the C callback gets; no exception passes through the library. */
    template <typename Each> struct visit {
        Each &each;
#if defined(__cpp_exceptions)
        std::exception_ptr thrown = nullptr;
        static int call(void *user, const gputune_record *record)
        {
            auto *self = static_cast<visit *>(user);
            try {
                self->each(*record);
            } catch (...) {
                self->thrown = std::current_exception();
                return 1;
            }
            return 0;
        }
#else
        static int call(void *user, const gputune_record *record)
        {
            static_cast<visit *>(user)->each(*record);
            return 0;
        }
#endif
    };
};

} // namespace gputune_cxx
#endif
