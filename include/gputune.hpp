/* gputune for C++17 and later: plans and tuners that release themselves, arguments that are checked
 * against the template's types, and failures as results or exceptions. The header uses gputune.h,
 * which describes each call in detail; link the same library.
 *
 *   namespace gt = gputune_cxx;
 *   gt::tuner tuner;                                         // the current context's GPU
 *   gt::plan axpy = tuner.tune("axpy", {{"n", n}});          // throws gt::error
 *   axpy.launch(stream, y, x, 2.0f, n);                      // device pointers, spans and values
 *   tuner.tune("axpy", {{"n", n}}, gt::options().time_limit(30s).only("BLOCK=128,256"));
 *
 *   if (gt::result<gt::plan> axpy = tuner.try_tune("axpy", {{"n", n}})) // without exceptions
 *       axpy->try_launch(stream, y, x, 2.0f, n);
 *
 * Functions whose names begin with try_ return failures in a result. The same functions without
 * try_ throw gt::error, and exist only if exceptions are enabled. All may throw std::bad_alloc. Any
 * thread may call any function of a tuner or plan at any time, but not while another thread assigns
 * or destroys the object. */
#ifndef GPUTUNE_HPP
#define GPUTUNE_HPP

#include "gputune_tools.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
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

/* The types of cuda_fp16.h and cuda_bf16.h. */
struct __half;
struct __nv_bfloat16;

namespace gputune_cxx
{

/* ---- Failures -------------------------------------------------------------------------------- */

/* A failure: a gputune_status, and a line of text that explains it. */
struct failure {
    int status;
    std::string message;
};

inline failure last_failure(int status)
{
    return {status, gputune_error()};
}

/* name() returns an enumerator's name. */
#define GPUTUNE_CXX_NAME(type, function)                                                           \
    inline const char *name(type value)                                                            \
    {                                                                                              \
        return function(value);                                                                    \
    }
GPUTUNE_CXX_NAME(gputune_strategy, gputune_strategy_name)
GPUTUNE_CXX_NAME(gputune_source, gputune_source_name)
GPUTUNE_CXX_NAME(gputune_objective, gputune_objective_name)
GPUTUNE_CXX_NAME(gputune_effort, gputune_effort_name)
GPUTUNE_CXX_NAME(gputune_cache, gputune_cache_name)
GPUTUNE_CXX_NAME(gputune_log_level, gputune_log_level_name)
GPUTUNE_CXX_NAME(gputune_verdict, gputune_verdict_name)
GPUTUNE_CXX_NAME(gputune_certainty, gputune_certainty_name)
GPUTUNE_CXX_NAME(gputune_form, gputune_form_name)
GPUTUNE_CXX_NAME(gputune_parameter_kind, gputune_parameter_kind_name)
#undef GPUTUNE_CXX_NAME
inline const char *status_text(int status)
{
    return gputune_status_text(status);
}
inline const char *version()
{
    return gputune_version();
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

/* A value, or the failure that prevented it. */
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
    /* May be called only if there is a value. */
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
    /* May be called only if there is no value. */
    const failure &why() const noexcept
    {
        return *std::get_if<1>(&content_);
    }

#if defined(__cpp_exceptions)
    /* Returns the value, or throws the failure. */
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

namespace detail
{

/* Exceptions must not pass through C code. caught() calls a function and returns the exception that
 * the function throws. */
#if defined(__cpp_exceptions)
using exception = std::exception_ptr;
template <typename Function> exception caught(Function function)
{
    try {
        function();
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}
inline void rethrow(const exception &thrown)
{
    if (thrown) {
        std::rethrow_exception(thrown);
    }
}
#else
using exception = std::nullptr_t;
template <typename Function> exception caught(Function function)
{
    function();
    return nullptr;
}
inline void rethrow(exception)
{
}
#endif

/* A callback for C code. If the function throws, call() sets `thrown` and returns 1, which ends the
 * library's call. The caller then rethrows `thrown`. */
template <typename Function> struct guarded {
    Function &function;
    exception thrown = nullptr;
    template <typename... Given> int call(Given &&...given)
    {
        int answer = 1;
        thrown = caught([&] {
            if constexpr (std::is_void_v<decltype(function(std::forward<Given>(given)...))>) {
                function(std::forward<Given>(given)...);
                answer = 0;
            } else {
                answer = static_cast<int>(function(std::forward<Given>(given)...));
            }
        });
        return answer;
    }
};

/* Converts a call's status to a result; on success, the result of filled() contains `out`. */
inline result<void> done(int status)
{
    return status < 0 ? result<void>(last_failure(status)) : result<void>();
}
template <typename T> result<T> filled(int status, const T &out)
{
    return status < 0 ? result<T>(last_failure(status)) : result<T>(out);
}
/* Copies a text that the library returned, and frees the original. */
inline result<std::string> taken(int status, char *out, std::size_t bytes)
{
    if (status < 0) {
        return last_failure(status);
    }
    std::string copy(out, bytes);
    gputune_free(out);
    return copy;
}

/* Calls a C function with a callback that passes items to `each`. */
template <typename Item, typename Each, typename Call> result<void> visited(Each &each, Call call)
{
    const auto show = [&](const Item &item) { each(item); };
    guarded<decltype(show)> guard{show};
    const int status = call(
        [](void *user, const Item *item) {
            return static_cast<guarded<decltype(show)> *>(user)->call(*item);
        },
        static_cast<void *>(&guard));
    rethrow(guard.thrown);
    return done(status);
}

} // namespace detail

/* A text parameter: accepts a C string, or a std::string without copying it. */
struct text {
    const char *c_str;
    text(const char *name) : c_str(name)
    {
    }
    text(const std::string &name) : c_str(name.c_str())
    {
    }
};

/* Define NAME(), which calls try_NAME() and throws its failure. */
#if defined(__cpp_exceptions)
#define GPUTUNE_CXX_THROWS_AS(name, constant)                                                      \
    template <typename... Given> auto name(Given &&...given) constant                              \
    {                                                                                              \
        return try_##name(std::forward<Given>(given)...).take();                                   \
    }
#define GPUTUNE_CXX_THROWS_SIZED(name)                                                             \
    template <typename... Given>                                                                   \
    auto name(text kernel, const sizes &problem, Given &&...given) const                           \
    {                                                                                              \
        return try_##name(kernel, problem, std::forward<Given>(given)...).take();                  \
    }
#else
#define GPUTUNE_CXX_THROWS_AS(name, constant)
#define GPUTUNE_CXX_THROWS_SIZED(name)
#endif
#define GPUTUNE_CXX_THROWS_FREE(name) GPUTUNE_CXX_THROWS_AS(name, )
#define GPUTUNE_CXX_THROWS(name)      GPUTUNE_CXX_THROWS_AS(name, const)

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* A problem value: {"n", n} for a number, and {"T=half"} or {"T", "half"} for a word. Sizes are
 * whole numbers; a floating-point size does not compile. */
struct size {
    std::string name;
    std::int64_t value = 0;

    template <typename T, typename = std::enable_if_t<std::is_integral_v<T> ||
                                                      (std::is_enum_v<T> &&
                                                       std::is_convertible_v<T, std::int64_t>)>>
    size(std::string name_, T value_)
        : name(std::move(name_)), value(static_cast<std::int64_t>(value_))
    {
    }
    size(std::string name_, const std::string &word) : name(std::move(name_) + "=" + word)
    {
    }
    size(const char *word) : name(word)
    {
    }
    size(std::string word) : name(std::move(word))
    {
    }
};

/* Problem values: {{"n", n}, {"T=half"}}, or a container of gt::size objects or of pairs, such as a
 * std::map<std::string, int> or a std::vector<std::pair<const char *, std::size_t>>. */
class sizes
{
  public:
    sizes() = default;
    sizes(std::initializer_list<size> list) : items_(list)
    {
    }
    template <typename Container, typename = std::enable_if_t<!std::is_same_v<Container, sizes>>,
              typename = decltype(std::begin(std::declval<const Container &>()))>
    sizes(const Container &container)
    {
        for (const auto &item : container) {
            add(item);
        }
    }
    void add(size item)
    {
        items_.push_back(std::move(item));
    }
    template <typename Name, typename Value> void add(const std::pair<Name, Value> &item)
    {
        items_.emplace_back(item.first, item.second);
    }
    /* Returns the values for the C interface. The names live until this object is changed. */
    std::vector<gputune_size> view() const
    {
        std::vector<gputune_size> out;
        out.reserve(items_.size());
        for (const size &item : items_) {
            out.push_back({item.name.c_str(), item.value});
        }
        return out;
    }

  private:
    std::vector<size> items_;
};

/* ---- Arguments ------------------------------------------------------------------------------- */

/* A span of `count` elements on the device. */
template <typename T> class span
{
  public:
    span(T *data, std::size_t count) : data_(data), count_(count)
    {
    }
    /* Makes a span of memory at a CUdeviceptr. */
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

enum class code { i8, u8, i16, u16, i32, u32, i64, u64, boolean, f16, bf16, f32, f64, other };

constexpr bool is_floating(code type)
{
    return type == code::f16 || type == code::bf16 || type == code::f32 || type == code::f64;
}

template <typename T> constexpr code code_of()
{
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_enum_v<U>) {
        return code_of<std::underlying_type_t<U>>();
    } else if constexpr (std::is_same_v<U, bool>) {
        return code::boolean;
    } else if constexpr (std::is_same_v<U, __half>) {
        return code::f16;
    } else if constexpr (std::is_same_v<U, __nv_bfloat16>) {
        return code::bf16;
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

/* The name of each type in `code`, as in gputune_parameter. */
constexpr const char *names_of_codes[] = {
    "signed char", "unsigned char",      "short", "unsigned short", "int",           "unsigned int",
    "long long",   "unsigned long long", "bool",  "half",           "__nv_bfloat16", "float",
    "double"};

inline code code_named(const char *type)
{
    int i = 0;
    while (i < static_cast<int>(code::other) && std::strcmp(names_of_codes[i], type) != 0) {
        i++;
    }
    return static_cast<code>(i);
}

/* Returns the name of a type, or nullptr for code::other. */
inline const char *name_of(code type)
{
    return type == code::other ? nullptr : names_of_codes[static_cast<int>(type)];
}

/* An argument as the template declares it. */
struct expected {
    gputune_parameter_kind kind = GPUTUNE_PARAMETER_BUFFER;
    code type = code::other;
    std::uint32_t bytes = 0;
    std::uint64_t buffer_bytes = 0;
    const char *name = "", *type_name = ""; /* both texts live as long as the plan */
};

/* An argument of a launch; `item` points to its value. */
struct slot {
    union {
        std::uint64_t bits;
        const void *pointer;
        double f64;
        float f32;
    };
    const void *item = nullptr;
    const char *mistake = nullptr; /* why the argument does not fit */
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

/* Containers of contiguous elements: std::array, std::vector, spans. */
template <typename T, typename = void> struct is_list : std::false_type {
};
template <typename T>
struct is_list<T, std::void_t<decltype(*std::declval<const T &>().data()),
                              decltype(std::declval<const T &>().size())>> : std::true_type {
};

template <typename T> bool is_other_type(const expected &want)
{
    return code_of<T>() != code::other && want.type != code::other && code_of<T>() != want.type;
}

template <typename T> bool set_integer(slot &out, code wanted, T value)
{
    if constexpr (sizeof(T) > 8) {
        if (value != static_cast<T>(static_cast<long long>(value)) &&
            value != static_cast<T>(static_cast<unsigned long long>(value))) {
            return false;
        }
    }
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
    out.bits = static_cast<std::uint64_t>(value); /* little-endian: the low bytes come first */
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

/* Returns true if the value is finite but outside the range of float. */
template <typename T> bool exceeds_float(T value)
{
    if constexpr (std::is_floating_point_v<T> && (sizeof(T) > sizeof(float))) {
        return std::isfinite(value) &&
               std::abs(value) > static_cast<T>(std::numeric_limits<float>::max());
    } else {
        return false;
    }
}

/* Rounds to the nearest number of a 16-bit floating-point type whose significand has `digits` bits,
 * including the hidden bit. Returns false if the result is outside the range of the type. */
inline bool set_narrow(slot &out, double value, int digits)
{
    const int least = digits == 11 ? -14 : -126; /* exponent of the smallest normal number */
    const unsigned infinity = static_cast<unsigned>(3 - 2 * least) << (digits - 1);
    unsigned bits = infinity | static_cast<unsigned>(std::isnan(value));
    if (std::isfinite(value)) {
        const int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
        if (exponent > 1 - least) {
            return false;
        }
        bits = (static_cast<unsigned>(exponent - least) << (digits - 1)) +
               static_cast<unsigned>(
                   std::nearbyint(std::ldexp(std::abs(value), digits - 1 - exponent)));
        if (bits >= infinity) {
            return false;
        }
    }
    out.bits = bits | (std::signbit(value) ? 0x8000u : 0u);
    return true;
}

template <typename T> void set_number(slot &out, code wanted, T value)
{
    bool fits = true;
    out.item = &out.bits;
    if (wanted == code::f64) {
        out.f64 = static_cast<double>(value);
    } else if (wanted == code::f32) {
        fits = !exceeds_float(value);
        out.bits = 0;
        out.f32 = fits ? static_cast<float>(value) : 0;
    } else if (is_floating(wanted)) {
        fits = set_narrow(out, static_cast<double>(value), wanted == code::f16 ? 11 : 8);
    } else if constexpr (std::is_floating_point_v<T>) {
        out.mistake = "is a floating-point number; the template has an integer";
    } else {
        fits = set_integer(out, wanted, value);
    }
    if (!fits) {
        out.mistake = "is out of the range of the template's type";
    }
}

template <typename T> void set_pointer(slot &out, const expected &want, T *pointer)
{
    out.pointer = pointer;
    out.item = want.kind == GPUTUNE_PARAMETER_BLOCK ? static_cast<const void *>(pointer)
                                                    : static_cast<const void *>(&out.pointer);
    if (want.kind == GPUTUNE_PARAMETER_SCALAR) {
        const bool is_null =
            want.type_name[0] && want.type_name[std::strlen(want.type_name) - 1] == '*';
        out.mistake = !is_null  ? "is a pointer; the template has a value"
                      : pointer ? "is a pointer; the template has null there"
                                : nullptr;
    } else if (!pointer && want.buffer_bytes) {
        out.mistake = "is a null pointer";
    } else if (is_other_type<T>(want)) {
        out.mistake = "points to another type than the template's";
    }
}

/* Passes a block of parameters in host memory. */
template <typename T>
void set_block(slot &out, const expected &want, const T *elements, std::size_t bytes)
{
    out.item = elements;
    if (is_other_type<T>(want)) {
        out.mistake = "has elements of another type than the template's block";
    } else if (bytes != want.buffer_bytes) {
        out.mistake = "has another size than the template's block";
    }
}

template <typename T> void set_span(slot &out, const expected &want, const T &value)
{
    set_pointer(out, want, value.data());
    if (!out.mistake && value.size() * sizeof(*value.data()) < want.buffer_bytes) {
        out.mistake = "is smaller than the plan's buffer";
    }
}

/* Passes a struct or another value that is copied byte by byte. */
template <typename T> void set_value(slot &out, const expected &want, const T &value)
{
    out.item = &value;
    if (want.kind == GPUTUNE_PARAMETER_BUFFER) {
        out.mistake = "is a value; the template has a buffer";
    } else if (want.kind == GPUTUNE_PARAMETER_SCALAR && want.type != code::other &&
               want.type != code_of<T>()) {
        out.mistake = "is a struct or an array; the template has a number";
    } else if (want.kind == GPUTUNE_PARAMETER_SCALAR && sizeof(T) != want.bytes) {
        out.mistake = "has another size than the template's type";
    } else if (want.kind == GPUTUNE_PARAMETER_BLOCK && sizeof(T) != want.buffer_bytes) {
        out.mistake = "has another size than the template's block";
    }
}

template <typename T> void set_arithmetic(slot &out, const expected &want, const T &value)
{
    const bool is_scalar = want.kind == GPUTUNE_PARAMETER_SCALAR;
    if (is_scalar && std::is_same_v<T, bool> && is_floating(want.type)) {
        out.mistake = "is a bool; the template has a floating-point number";
    } else if (is_scalar && want.type != code::other) {
        set_number(out, want.type, value);
    } else if (want.kind == GPUTUNE_PARAMETER_BUFFER && sizeof(T) == 8 && std::is_unsigned_v<T>) {
        out.bits = static_cast<std::uint64_t>(value); /* a CUdeviceptr */
        out.item = &out.bits;
        out.mistake = !out.bits && want.buffer_bytes ? "is a null pointer" : nullptr;
    } else { /* code::other: the template's type may be an enumeration, so accept a number */
        out.item = &value;
        out.mistake = !is_scalar || std::is_floating_point_v<T> || sizeof(T) != want.bytes
                          ? "is a number; the template has a buffer or another type"
                          : nullptr;
    }
}

/* Enumerators are passed as integers. */
template <typename T> void set_enumerator(slot &out, const expected &want, const T &value)
{
    if (want.kind == GPUTUNE_PARAMETER_SCALAR && is_floating(want.type)) {
        out.mistake = "is an enumerator; the template has a floating-point number";
    } else if (want.kind == GPUTUNE_PARAMETER_SCALAR && want.type != code::other) {
        set_number(out, want.type, static_cast<std::underlying_type_t<T>>(value));
    } else {
        set_value(out, want, value);
    }
}

/* Returns true if T is a class that converts to a number, such as __half. */
template <typename T> constexpr bool is_convertible_number()
{
    return !std::is_arithmetic_v<T> && !std::is_enum_v<T> && !std::is_pointer_v<T> &&
           !std::is_array_v<T> &&
           (std::is_constructible_v<double, T> || std::is_constructible_v<float, T>);
}

template <typename T> void set_convertible_number(slot &out, const expected &want, const T &value)
{
    if (want.kind != GPUTUNE_PARAMETER_SCALAR || want.type == code::other ||
        want.type == code_of<T>()) {
        set_value(out, want, value);
    } else if constexpr (std::is_constructible_v<double, T>) {
        set_number(out, want.type, static_cast<double>(value));
    } else {
        set_number(out, want.type, static_cast<float>(value));
    }
}

/* See by_value(). */
template <typename T> struct wrapped {
    const T &value;
};
template <typename T> struct is_wrapped : std::false_type {
};
template <typename T> struct is_wrapped<wrapped<T>> : std::true_type {
};

/* Returns true if a struct or array has at most 8 bytes, so it could be mistaken for a number. */
template <typename T> constexpr bool is_ambiguous()
{
    return (std::is_class_v<T> || std::is_union_v<T> || std::is_array_v<T>)&&sizeof(T) <= 8 &&
           !is_span<T>::value && !is_wrapped<T>::value && !is_convertible_number<T>();
}

/* Converts an argument, or sets the reason why it does not fit. */
template <typename T> void set_any(slot &out, const expected &want, const T &value)
{
    const bool is_block = want.kind == GPUTUNE_PARAMETER_BLOCK;
    if constexpr (is_wrapped<T>::value) {
        set_any(out, want, value.value);
    } else if constexpr (std::is_array_v<T>) {
        if (is_block) {
            set_block(out, want, reinterpret_cast<const std::remove_all_extents_t<T> *>(&value),
                      sizeof value);
        } else {
            set_value(out, want, value);
        }
    } else if constexpr (is_list<T>::value) {
        if (is_block) {
            set_block(out, want, value.data(), value.size() * sizeof(*value.data()));
        } else if constexpr (is_span<T>::value) { // NOLINT(bugprone-branch-clone)
            set_span(out, want, value);
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            set_value(out, want, value);
        } else {
            out.mistake = "is a container in host memory; the template has a buffer or a value";
        }
    } else if constexpr (std::is_pointer_v<T>) {
        set_pointer(out, want, value);
    } else if constexpr (std::is_null_pointer_v<T>) {
        set_pointer(out, want, static_cast<const void *>(nullptr));
    } else if constexpr (std::is_enum_v<T>) {
        set_enumerator(out, want, value);
    } else if constexpr (std::is_arithmetic_v<T>) {
        set_arithmetic(out, want, value);
    } else {
        static_assert(
            std::is_trivially_copyable_v<T> && !std::is_member_pointer_v<T>,
            "an argument is a device pointer, a span of device memory, a number, a "
            "container of a block's elements, or a struct that can be copied byte by byte");
        if constexpr (is_convertible_number<T>()) {
            set_convertible_number(out, want, value);
        } else {
            set_value(out, want, value);
        }
    }
}

template <typename T> void set(slot &out, const expected &want, const T &value)
{
    static_assert(!is_ambiguous<T>(),
                  "a struct, an array or a string of at most 8 bytes could be taken for a number; "
                  "pass the number that it stands for, or gputune_cxx::by_value() of it where the "
                  "template has a struct or a block");
    set_any(out, want, value);
}

} // namespace detail

/* Marks a struct or array of at most 8 bytes as a value: a float2, or a block of two ints. Larger
 * values do not need it. The result refers to `value`, which must live until the launch returns. */
template <typename T> detail::wrapped<T> by_value(const T &value)
{
    return {value};
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Receives a line of text, without a newline. */
using log_fn = std::function<void(gputune_log_level, const char *)>;

namespace detail
{

/* An open tuner. A gt::tuner and its plans share it; destroying the last of them closes it. */
struct opened {
    std::unique_ptr<log_fn> log;
    gputune *handle;
    opened(gputune *h, std::unique_ptr<log_fn> l) : log(std::move(l)), handle(h)
    {
    }
    opened(const opened &) = delete;
    opened &operator=(const opened &) = delete;
    ~opened()
    {
        gputune_close(handle);
    }
};

} // namespace detail

/* A reference to a plan. Keep it, and launch it many times. Copies refer to the same plan. A plan
 * keeps its tuner open. */
class plan
{
  public:
    plan() = default; /* makes an empty object, to which a plan can be assigned */

    /* Takes over a reference from the C interface. The plan's tuner must stay open. */
    static plan adopt(gputune_plan *handle)
    {
        return plan(handle, nullptr);
    }
    /* Adds a reference. The caller still has to release its own reference. */
    static plan retain(gputune_plan *handle)
    {
        return plan(gputune_plan_retain(handle), nullptr);
    }

    explicit operator bool() const noexcept
    {
        return state_ != nullptr;
    }
    gputune_plan *get() const noexcept
    {
        return state_ ? state_->handle : nullptr;
    }

    /* Describes the plan's configuration, source and times. Strings live as long as the plan. */
    gputune_info info() const
    {
        gputune_info out = GPUTUNE_INFO_INIT;
        gputune_plan_info(&out, get());
        return out;
    }

    /* Launches on a stream (CUstream or cudaStream_t; nullptr: the legacy default stream).
     *
     * Numbers are converted to the template's types if they fit. Enumerators and bool are treated
     * as integers, and classes that convert to a number, such as __half, as numbers. Pass a struct
     * of at most 8 bytes with by_value(). The element types of pointers and spans are checked, and
     * so are the sizes of spans. A block of parameters is passed as an array, std::array,
     * std::vector or span in host memory, whose type and size are checked; as a pointer to its
     * elements; or as a struct of its size. On EINVAL, the message names the wrong argument. */
    template <typename... Arguments>
    result<void> try_launch(void *stream, const Arguments &...arguments) const
    {
        constexpr std::size_t count = sizeof...(Arguments);
        if (!state_) {
            return failure{GPUTUNE_EINVAL, "launch: this plan is empty"};
        }
        if (count != state_->arguments.size()) {
            return failure{GPUTUNE_EINVAL, std::string(info().kernel) + " takes " + names() +
                                               " after the stream; got " + std::to_string(count)};
        }
        detail::slot slots[count ? count : 1];
        const void *items[count ? count : 1];
        std::size_t at = 0;
        ((detail::set(slots[at], state_->arguments[at], arguments), items[at] = slots[at].item,
          at++),
         ...);
        for (std::size_t i = 0; i < count; i++) {
            if (slots[i].mistake) {
                return mistake(i, slots[i].mistake);
            }
        }
        return detail::done(gputune_launch(state_->handle, stream, gputune_args{count, items}));
    }
    GPUTUNE_CXX_THROWS(launch)

    /* Describe kernel number `index` of a pipeline and its parameters, for programs that launch the
     * kernels themselves. Pointers in the result live as long as the plan. */
    result<gputune_function> try_function(std::uint32_t index = 0) const
    {
        gputune_function out = GPUTUNE_FUNCTION_INIT;
        return detail::filled(gputune_plan_function(&out, get(), index), out);
    }
    result<gputune_parameter> try_parameter(std::uint32_t parameter, std::uint32_t index = 0) const
    {
        gputune_parameter out = GPUTUNE_PARAMETER_INIT;
        return detail::filled(gputune_plan_parameter(&out, get(), index, parameter), out);
    }
    /* Describes an argument, for programs that check or convert arguments themselves. */
    result<gputune_parameter> try_argument(std::uint32_t argument) const
    {
        gputune_parameter out = GPUTUNE_PARAMETER_INIT;
        return detail::filled(gputune_plan_argument(&out, get(), argument), out);
    }
    /* Checks that T has the size of an argument or of its elements. On failure, the message shows
     * the layout of the kernel's struct. */
    template <typename T> result<void> try_check_argument(std::uint32_t argument) const
    {
        return detail::done(gputune_plan_check_argument(get(), argument, sizeof(T)));
    }
    GPUTUNE_CXX_THROWS(function)
    GPUTUNE_CXX_THROWS(parameter)
    GPUTUNE_CXX_THROWS(argument)
#if defined(__cpp_exceptions)
    template <typename T> void check_argument(std::uint32_t argument) const
    {
        try_check_argument<T>(argument).take();
    }
#endif

  private:
    struct state {
        std::shared_ptr<detail::opened> tuner; /* the tuner that the plan keeps open, or empty */
        gputune_plan *handle;
        std::vector<detail::expected> arguments;
        state(gputune_plan *h, std::shared_ptr<detail::opened> t) : tuner(std::move(t)), handle(h)
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
    friend class tuner;

    plan(gputune_plan *handle, std::shared_ptr<detail::opened> tuner)
    {
        auto made = std::make_shared<state>(handle, std::move(tuner));
        gputune_info info = GPUTUNE_INFO_INIT;
        gputune_plan_info(&info, handle);
        made->arguments.reserve(info.arguments);
        gputune_parameter one = GPUTUNE_PARAMETER_INIT;
        for (std::uint32_t i = 0; i < info.arguments; i++) {
            gputune_plan_argument(&one, handle, i);
            made->arguments.push_back({one.kind, detail::code_named(one.type), one.bytes,
                                       one.buffer_bytes, one.name, one.type});
        }
        state_ = std::move(made);
    }

    /* Returns, for example, "2 arguments (y, x)". */
    std::string names() const
    {
        const std::size_t count = state_->arguments.size();
        std::string out = std::to_string(count) + (count == 1 ? " argument (" : " arguments (");
        const char *between = "";
        for (const detail::expected &one : state_->arguments) {
            out.append(between).append(one.name);
            between = ", ";
        }
        return out + ")";
    }

    failure mistake(std::size_t index, const char *what) const
    {
        const detail::expected &want = state_->arguments[index];
        const char *star = want.kind == GPUTUNE_PARAMETER_BUFFER ? " *" : " ";
        return {GPUTUNE_EINVAL, std::string(info().kernel) + ": argument " +
                                    std::to_string(index + 1) + " (" + want.type_name + star +
                                    want.name + ") " + what};
    }
};

/* ---- Options --------------------------------------------------------------------------------- */

inline gputune_options default_options()
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    return options;
}

/* Cancels calls whose options refer to it. Any thread may use a canceler. Finished results stay. */
class canceler
{
  public:
    void set() noexcept
    {
        __atomic_store_n(&is_set_, 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&flag_, 1, __ATOMIC_SEQ_CST);
    }
    bool is_set() const noexcept
    {
        return __atomic_load_n(&is_set_, __ATOMIC_RELAXED) != 0;
    }

  private:
    friend class options;
    volatile int flag_ = 0, is_set_ = 0;

    /* Clears the flag that an exception has set to end a call. Leaves it set if set() was
     * called. */
    void restore() noexcept
    {
        __atomic_store_n(&flag_, 0, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&is_set_, __ATOMIC_SEQ_CST)) {
            __atomic_store_n(&flag_, 1, __ATOMIC_SEQ_CST);
        }
    }
};

/* The options of a call:
 *
 *   gt::options().time_limit(30s).only("BLOCK=128,256").progress([](const gputune_progress &p) {});
 *
 * Set other members of gputune_options in `plain`. Arrays to which it points must live until the
 * call returns. If a callable throws an exception, the tuning ends and the call rethrows it. */
class options
{
  public:
    /* A reference function. Arguments: the sizes, the kernel's arguments and their number. */
    using reference_fn =
        std::function<void(gputune_sizes, const gputune_host_argument *, std::size_t)>;

    gputune_options plain = default_options();

    options &effort(gputune_effort value)
    {
        plain.effort = value;
        return *this;
    }
    options &objective(gputune_objective value)
    {
        plain.objective = value;
        return *this;
    }
    options &force(bool value = true)
    {
        plain.force = value;
        return *this;
    }
    template <typename Rep, typename Period>
    options &time_limit(std::chrono::duration<Rep, Period> limit)
    {
        plain.time_limit_s = std::chrono::duration<double>(limit).count();
        return *this;
    }
    /* Restricts an axis: "BLOCK=128,256". May be repeated for other axes. */
    options &only(std::string restriction)
    {
        only_.push_back(std::move(restriction));
        return *this;
    }
    /* Limits the device memory that a tuning allocates. */
    options &memory_limit(std::uint64_t bytes)
    {
        plain.memory_limit_bytes = bytes;
        return *this;
    }
    /* Tries a configuration after the default, before the search: "VEC=4 BLOCK=256". May be
     * repeated. */
    options &start(std::string configuration)
    {
        starts_.push_back(std::move(configuration));
        return *this;
    }
    /* Sets the elements of an argument: a span of device memory, or a container in host memory. */
    template <typename T> options &input(std::string argument, const T &elements)
    {
        static_assert(detail::is_list<T>::value,
                      "an input is a gputune_cxx::span of device memory, "
                      "or a container in host memory");
        using element = std::remove_cv_t<std::remove_pointer_t<decltype(elements.data())>>;
        inputs_.push_back({std::move(argument), elements.data(), elements.size() * sizeof(element),
                           !is_device<T>::value, detail::name_of(detail::code_of<element>())});
        return *this;
    }
    /* Sets the elements of an argument from a file that numpy.save() wrote. */
    options &file(std::string argument, std::string path)
    {
        files_.emplace_back(std::move(argument), std::move(path));
        return *this;
    }
    /* Sets a function that computes the correct results of a launch. Change the tag whenever the
     * function changes. Without a tag, results that the function verified are reused only by calls
     * with these options or copies of them. */
    options &reference(reference_fn function, std::string tag = "")
    {
        reference_ = std::move(function);
        tag_ = tag.empty() ? unique_tag() : std::move(tag);
        return *this;
    }
    /* Sets a function that receives this call's log lines. The tuner's log receives them too. */
    options &log(log_fn function)
    {
        log_ = std::move(function);
        return *this;
    }
    /* Lets a canceler cancel the call. The canceler must live until the call returns. */
    options &cancel(canceler &one)
    {
        plain.cancel = &one.flag_;
        canceler_ = &one;
        return *this;
    }
    /* Guarantees a buffer's alignment in bytes. May be repeated for other buffers. */
    options &alignment(std::string buffer, std::uint32_t bytes)
    {
        alignments_.emplace_back(std::move(buffer), bytes);
        return *this;
    }
    options &progress(std::function<void(const gputune_progress &)> function)
    {
        progress_ = std::move(function);
        return *this;
    }
    /* Makes a call return a plan immediately. A thread of the tuner then tunes. `share` is the
     * fraction of a busy GPU's time that the tuning may use; 0: 0.025. Log and progress functions
     * are not called. EINVAL if the call has inputs, files or a reference function. */
    options &background(double share = 0)
    {
        plain.background = true;
        plain.share = share;
        return *this;
    }

    /* If there is no plan for the sizes yet, uses a stored rule that covers them. */
    options &by_rule()
    {
        plain.unseen = GPUTUNE_RULE;
        return *this;
    }

    /* Passes these options to `call` as a gputune_options. Rethrows a callable's exception. */
    template <typename Call> auto with(Call call) const
    {
        volatile int stop = 0;
        /* cast away const, because `running` sets the flag when a callable throws an exception */
        running state{*this, plain.cancel ? const_cast<volatile int *>(plain.cancel) : &stop};
        gputune_options made = plain;
        std::vector<const char *> only, starts;
        std::vector<gputune_input> inputs;
        std::vector<const char *> types;
        std::vector<gputune_file> files;
        std::vector<gputune_alignment> alignments;
        for (const std::string &one : only_) {
            only.push_back(one.c_str());
        }
        for (const std::string &one : starts_) {
            starts.push_back(one.c_str());
        }
        for (const given &one : inputs_) {
            inputs.push_back({one.argument.c_str(), one.data, one.bytes, one.on_host});
            types.push_back(one.type);
        }
        for (const auto &one : files_) {
            files.push_back({one.first.c_str(), one.second.c_str()});
        }
        for (const auto &one : alignments_) {
            alignments.push_back({one.first.c_str(), one.second});
        }
        lend(made.only, made.only_count, only);
        lend(made.start, made.start_count, starts);
        if (!inputs.empty()) {
            made.input_types = types.data();
        }
        lend(made.inputs, made.input_count, inputs);
        lend(made.files, made.file_count, files);
        lend(made.alignments, made.alignment_count, alignments);
        if (!plain.background) {
            made.cancel = state.cancel;
        }
        if (reference_ || (!plain.background && (progress_ || log_))) {
            made.user = &state;
            made.progress = progress_ || plain.progress ? running::on_progress : nullptr;
            made.log = log_ || plain.log ? running::on_log : nullptr;
        }
        made.reference = reference_ || (plain.reference && made.user == &state)
                             ? running::on_reference
                             : plain.reference;
        std::string tag = tag_;
        if (!reference_ && made.reference == running::on_reference && !plain.reference_tag) {
            /* the tag does not contain &state, because a later call may have the same address */
            tag = process_tag() + ' ' + number(plain.reference) + ' ' + number(plain.user);
        }
        made.reference_tag = tag.empty() ? plain.reference_tag : tag.c_str();
        auto answer = call(made);
        if (state.thrown != nullptr && canceler_ && plain.cancel == &canceler_->flag_) {
            canceler_->restore();
        }
        detail::rethrow(state.thrown);
        return answer;
    }

  private:
    struct given {
        std::string argument;
        const void *data;
        std::uint64_t bytes;
        bool on_host;
        const char *type; /* nullptr: not known */
    };
    template <typename T> struct is_device : std::false_type {
    };
    template <typename T> struct is_device<span<T>> : std::true_type {
    };

    std::vector<std::string> only_, starts_;
    std::vector<given> inputs_;
    std::vector<std::pair<std::string, std::string>> files_;
    std::vector<std::pair<std::string, std::uint32_t>> alignments_;
    log_fn log_;
    std::function<void(const gputune_progress &)> progress_;
    reference_fn reference_;
    std::string tag_;
    canceler *canceler_ = nullptr;

    static std::string unique_tag()
    {
        std::random_device random;
        std::string tag = "untagged";
        for (int i = 0; i < 4; i++) {
            tag += ' ' + std::to_string(random());
        }
        return tag;
    }

    static const std::string &process_tag()
    {
        static const std::string tag = unique_tag();
        return tag;
    }

    template <typename T> static std::string number(T *address)
    {
        return std::to_string(reinterpret_cast<std::uintptr_t>(address));
    }

    template <typename T>
    static void lend(const T *&items, std::size_t &count, const std::vector<T> &list)
    {
        if (!list.empty()) {
            items = list.data();
            count = list.size();
        }
    }

    /* A call in progress. Catches exceptions of callables, because the library is C code. */
    struct running {
        const options &given;
        volatile int *cancel;
        detail::exception thrown = nullptr;
        template <typename Function> int guarded(Function function)
        {
            const detail::exception now = detail::caught(function);
            if (now != nullptr) {
                thrown = now;
                *cancel = 1;
            }
            return now != nullptr;
        }
        static void on_progress(void *user, const gputune_progress *progress)
        {
            auto *self = static_cast<running *>(user);
            const options &own = self->given;
            self->guarded([&] {
                own.progress_ ? own.progress_(*progress)
                              : own.plain.progress(own.plain.user, progress);
            });
        }
        static void on_log(void *user, gputune_log_level level, const char *line)
        {
            auto *self = static_cast<running *>(user);
            const options &own = self->given;
            self->guarded([&] {
                own.log_ ? own.log_(level, line) : own.plain.log(own.plain.user, level, line);
            });
        }
        static int on_reference(void *user, gputune_sizes sizes,
                                const gputune_host_argument *arguments, std::size_t count)
        {
            auto *self = static_cast<running *>(user);
            const options &own = self->given;
            if (!own.reference_) {
                return own.plain.reference(own.plain.user, sizes, arguments, count);
            }
            return self->guarded([&] { own.reference_(sizes, arguments, count); });
        }
    };
};

namespace detail
{

/* Calls `call` with the sizes and options as the C interface expects them. */
template <typename Call> auto sized(const sizes &problem, const options &given, Call call)
{
    const std::vector<gputune_size> list = problem.view();
    return given.with([&](const gputune_options &plain) {
        return call(gputune_sizes{list.size(), list.data()}, plain);
    });
}

} // namespace detail

/* ---- Tuners ---------------------------------------------------------------------------------- */

inline gputune_open_options default_open_options()
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    return options;
}

/* The description of a kernel's space, which is freed automatically. */
using space = std::unique_ptr<gputune_space, void (*)(gputune_space *)>;

/* Calls `each` with a const gputune_miss & for each miss in a file of GPUTUNE_RECORD. */
template <typename Each> result<void> try_misses(text path, Each each)
{
    return detail::visited<gputune_miss>(
        each, [&](auto call, void *user) { return gputune_misses(path.c_str, call, user); });
}

/* Makes a first template for a CUDA program. `arguments` are -I, -D and --host=FILE; a null pointer
 * ends them. */
inline result<std::string> try_draft_template(text path, text source, const char *kernel = nullptr,
                                              const char *const *arguments = nullptr)
{
    char *out = nullptr;
    const int status = gputune_draft_template(&out, path.c_str, source.c_str, kernel, arguments);
    return detail::taken(status, out, out ? std::strlen(out) : 0);
}
GPUTUNE_CXX_THROWS_FREE(misses)
GPUTUNE_CXX_THROWS_FREE(draft_template)

/* Calls `each` with a const gputune_device & for every GPU. Needs no tuner. */
template <typename Each> result<void> try_devices(Each each, const char *driver = nullptr)
{
    return detail::visited<gputune_device>(
        each, [&](auto call, void *user) { return gputune_devices(driver, call, user); });
}
GPUTUNE_CXX_THROWS_FREE(devices)

/* Counts the GPUs. Uses NVML if possible, which does not start the driver. */
inline result<int> try_device_count(const char *driver = nullptr)
{
    int count = 0;
    return detail::filled(gputune_device_count(&count, driver), count);
}
GPUTUNE_CXX_THROWS_FREE(device_count)

/* Checks everything that a tuner with these options depends on. Calls `each` with a const
 * gputune_diagnosis & for each subject. */
template <typename Each>
result<void> try_diagnose(Each each, const gputune_open_options &given = default_open_options())
{
    return detail::visited<gputune_diagnosis>(
        each, [&](auto call, void *user) { return gputune_diagnose(&given, call, user); });
}
GPUTUNE_CXX_THROWS_FREE(diagnose)

class tuner
{
  public:
    tuner(tuner &&) = default;
    tuner &operator=(tuner &&) = default;

    /* Opens a tuner. `log` replaces the log function of the options, and must not throw. */
    static result<tuner> try_open(const gputune_open_options &options = default_open_options(),
                                  log_fn log = nullptr)
    {
        gputune *handle = nullptr;
        gputune_open_options made = options;
        std::unique_ptr<log_fn> kept;
        if (log) {
            kept = std::make_unique<log_fn>(std::move(log));
            made.user = kept.get();
            made.log = [](void *user, gputune_log_level level, const char *line) noexcept {
                (*static_cast<log_fn *>(user))(level, line);
            };
        }
        const int status = gputune_open(&handle, &made);
        return status < 0 ? result<tuner>(last_failure(status))
                          : result<tuner>(
                                tuner(std::make_shared<detail::opened>(handle, std::move(kept))));
    }

#if defined(__cpp_exceptions)
    explicit tuner(const gputune_open_options &options = default_open_options(),
                   log_fn log = nullptr)
        : tuner(try_open(options, std::move(log)).take())
    {
    }
#endif

    gputune *get() const noexcept
    {
        return opened_ ? opened_->handle : nullptr;
    }

    result<void> try_add_template(text path) const
    {
        return detail::done(gputune_add_template(get(), path.c_str));
    }
    /* Adds a template from memory. `name` is used in place of its path. */
    result<void> try_add_source(text name, text source,
                                const gputune_include *includes = nullptr) const
    {
        return detail::done(gputune_add_source(get(), name.c_str, source.c_str, includes));
    }
    GPUTUNE_CXX_THROWS(add_template)
    GPUTUNE_CXX_THROWS(add_source)

    /* Returns a plan for a kernel, named as in tune_kernel(). Keep the plan: launching it needs no
     * lookup. */
    result<plan> try_tune(text kernel, const sizes &problem = {},
                          const gputune_options &given = default_options()) const
    {
        const std::vector<gputune_size> list = problem.view();
        gputune_plan *handle = nullptr;
        const int status = tune_kernel(&handle, get(), kernel.c_str,
                                       gputune_sizes{list.size(), list.data()}, &given);
        return planned(status, handle);
    }
    result<plan> try_tune(text kernel, const sizes &problem, const options &given) const
    {
        return given.with(
            [&](const gputune_options &plain) { return try_tune(kernel, problem, plain); });
    }
#if defined(__cpp_exceptions)
    template <typename Options = gputune_options>
    plan tune(text kernel, const sizes &problem = {},
              const Options &given = default_options()) const
    {
        return try_tune(kernel, problem, given).take();
    }
#endif
    /* Returns a plan with the same configuration in every process of a group, such as MPI ranks.
     * Each process passes its rank, the same options, and a broadcast(void *, std::size_t), which
     * copies the bytes of rank 0 to every process and returns 0 on success. */
    template <typename Broadcast>
    result<plan> try_tune_together(text kernel, const sizes &problem, int rank, Broadcast broadcast,
                                   const options &given = {}) const
    {
        detail::guarded<Broadcast> guard{broadcast};
        gputune_group group = GPUTUNE_GROUP_INIT;
        group.rank = rank;
        group.user = &guard;
        group.broadcast = [](void *user, void *data, std::size_t bytes) {
            return static_cast<detail::guarded<Broadcast> *>(user)->call(data, bytes);
        };
        auto answer =
            detail::sized(problem, given, [&](gputune_sizes list, const gputune_options &plain) {
                gputune_plan *handle = nullptr;
                const int status =
                    gputune_tune_together(&handle, get(), kernel.c_str, list, &plain, &group);
                return planned(status, handle);
            });
        detail::rethrow(guard.thrown);
        return answer;
    }
    GPUTUNE_CXX_THROWS_SIZED(tune_together)

    /* Measures configurations ("BLOCK=128 VEC=4"; none: the default) against each other. Calls
     * `each` with a const gputune_record & for every result. */
    template <typename Each>
    result<void> try_run(text kernel, const sizes &problem,
                         const std::vector<std::string> &configurations, Each each,
                         const options &given = {}) const
    {
        const std::vector<const char *> words = pointers(configurations);
        return detail::sized(problem, given, [&](gputune_sizes list, const gputune_options &plain) {
            return detail::visited<gputune_record>(each, [&](auto call, void *user) {
                return gputune_run(get(), kernel.c_str, list,
                                   words.empty() ? nullptr : words.data(), words.size(), &plain,
                                   call, user);
            });
        });
    }
#if defined(__cpp_exceptions)
    template <typename Each>
    void run(text kernel, const sizes &problem, const std::vector<std::string> &configurations,
             Each each, const options &given = {}) const
    {
        try_run(kernel, problem, configurations, each, given).take();
    }
#endif
    /* Looks for mistakes in a kernel's variants on the emulator. Calls `each` with a const
     * gputune_finding &. */
    template <typename Each>
    result<void> try_check(text kernel, const sizes &problem, Each each,
                           const options &given = {}) const
    {
        return detail::sized(problem, given, [&](gputune_sizes list, const gputune_options &plain) {
            return detail::visited<gputune_finding>(each, [&](auto call, void *user) {
                return gputune_check(get(), kernel.c_str, list, &plain, call, user);
            });
        });
    }
    /* Compiles a kernel's space for a GPU ("sm_90a"), which need not be present. Calls `each` with
     * a const gputune_compiled &. */
    template <typename Each>
    result<void> try_compile(text kernel, const sizes &problem, text arch, Each each,
                             const options &given = {}) const
    {
        return detail::sized(problem, given, [&](gputune_sizes list, const gputune_options &plain) {
            return detail::visited<gputune_compiled>(each, [&](auto call, void *user) {
                return gputune_compile(get(), kernel.c_str, list, arch.c_str, &plain, call, user);
            });
        });
    }
    /* Describes a kernel's space for a GPU; nullptr: the tuner's GPU. */
    result<space> try_describe_space(text kernel, const sizes &problem, const char *arch = nullptr,
                                     const options &given = {}) const
    {
        gputune_space *out = nullptr;
        return detail::sized(
            problem, given, [&](gputune_sizes list, const gputune_options &plain) -> result<space> {
                const int status =
                    gputune_describe_space(&out, get(), kernel.c_str, list, arch, &plain);
                return status < 0 ? result<space>(last_failure(status))
                                  : result<space>(space(out, gputune_space_free));
            });
    }
    /* Returns the code of a configuration ("BLOCK=128"; "": the default). */
    result<std::string> try_emit(text kernel, const sizes &problem, text configuration,
                                 gputune_form form = GPUTUNE_FORM_SOURCE,
                                 const char *arch = nullptr) const
    {
        const std::vector<gputune_size> list = problem.view();
        char *out = nullptr;
        std::size_t bytes = 0;
        const int status =
            gputune_emit(&out, &bytes, get(), kernel.c_str, gputune_sizes{list.size(), list.data()},
                         *configuration.c_str ? configuration.c_str : nullptr, arch, form);
        return detail::taken(status, out, bytes);
    }
    /* Returns the stored rule as a C header with code for `archs` (none: the GPU's). */
    result<std::string> try_emit_rule(text kernel, const sizes &problem,
                                      const std::vector<std::string> &archs = {},
                                      bool runtime_api = false) const
    {
        const std::vector<gputune_size> list = problem.view();
        const std::vector<const char *> words = pointers(archs);
        char *out = nullptr;
        const int status =
            gputune_emit_rule(&out, get(), kernel.c_str, gputune_sizes{list.size(), list.data()},
                              words.data(), words.size(), runtime_api);
        return detail::taken(status, out, out ? std::strlen(out) : 0);
    }
    GPUTUNE_CXX_THROWS_SIZED(check)
    GPUTUNE_CXX_THROWS_SIZED(compile)
    GPUTUNE_CXX_THROWS_SIZED(describe_space)
    GPUTUNE_CXX_THROWS_SIZED(emit)
    GPUTUNE_CXX_THROWS_SIZED(emit_rule)

    /* Makes a rule for all sizes of a region, {{"n", 1024, 1 << 20}}, with at most `most_codes`
     * different codes (0: 16), and returns its text. */
    result<std::string> try_make_rule(text kernel, const std::vector<gputune_range> &region,
                                      std::uint32_t most_codes = 0, const options &given = {}) const
    {
        char *out = nullptr;
        return detail::sized(
            {}, given, [&](gputune_sizes, const gputune_options &plain) -> result<std::string> {
                const int status = gputune_make_rule(&out, get(), kernel.c_str, region.data(),
                                                     region.size(), most_codes, &plain);
                return detail::taken(status, out, out ? std::strlen(out) : 0);
            });
    }
    /* Calls `each` with a const gputune_rule & for each stored rule. */
    template <typename Each>
    result<void> try_rules(Each each, const gputune_record_filter *filter = nullptr) const
    {
        return detail::visited<gputune_rule>(
            each, [&](auto call, void *user) { return gputune_rules(get(), filter, call, user); });
    }
    GPUTUNE_CXX_THROWS(rules)
#if defined(__cpp_exceptions)
    std::string make_rule(text kernel, const std::vector<gputune_range> &region,
                          std::uint32_t most_codes = 0, const options &given = {}) const
    {
        return try_make_rule(kernel, region, most_codes, given).take();
    }
#endif

    /* Calls `each` with a const gputune_kernel & for every kernel, or for those that the name or
     * path `kernel` selects. */
    template <typename Each> result<void> try_kernels(Each each, const char *kernel = nullptr) const
    {
        return detail::visited<gputune_kernel>(each, [&](auto call, void *user) {
            return gputune_kernels(get(), kernel, call, user);
        });
    }
    GPUTUNE_CXX_THROWS(kernels)

    result<gputune_device> try_device() const
    {
        gputune_device out = GPUTUNE_DEVICE_INIT;
        return detail::filled(gputune_tuner_device(&out, get()), out);
    }
    GPUTUNE_CXX_THROWS(device)

    /* Counts background tunings by state. */
    gputune_background_state background() const
    {
        gputune_background_state out = GPUTUNE_BACKGROUND_STATE_INIT;
        gputune_background(&out, get());
        return out;
    }
    /* Waits until every tuning in the background has ended. ETIMEOUT if that takes longer. */
    template <typename Rep, typename Period>
    result<void> try_wait(std::chrono::duration<Rep, Period> limit) const
    {
        return detail::done(gputune_wait(get(), std::chrono::duration<double>(limit).count()));
    }
    GPUTUNE_CXX_THROWS(wait)

    /* Makes later calls look up the database again, for results that other processes stored. */
    void refresh() const
    {
        gputune_refresh(get());
    }
    /* Checks that results are kept in the requested database. */
    result<void> try_check_database() const
    {
        return detail::done(gputune_check_database(get()));
    }
    GPUTUNE_CXX_THROWS(check_database)

    /* Export winners and rules to a file or a text for other machines, or import them. All except
     * try_export_wisdom() return the number of results. */
    result<std::uint32_t> try_save_wisdom(text path, const gputune_record_filter *filter = nullptr,
                                          bool whole = false) const
    {
        std::uint32_t count = 0;
        return detail::filled(gputune_wisdom_save(&count, get(), path.c_str, filter, whole), count);
    }
    result<std::uint32_t> try_load_wisdom(text path,
                                          const gputune_wisdom_options *how = nullptr) const
    {
        std::uint32_t count = 0;
        return detail::filled(gputune_wisdom_load(&count, get(), path.c_str, how), count);
    }
    result<std::string> try_export_wisdom(const gputune_record_filter *filter = nullptr,
                                          bool whole = false) const
    {
        char *out = nullptr;
        const int status = gputune_wisdom_export(&out, nullptr, get(), filter, whole);
        return detail::taken(status, out, out ? std::strlen(out) : 0);
    }
    result<std::uint32_t> try_import_wisdom(text wisdom,
                                            const gputune_wisdom_options *how = nullptr) const
    {
        std::uint32_t count = 0;
        return detail::filled(gputune_wisdom_import(&count, get(), wisdom.c_str, how), count);
    }
    GPUTUNE_CXX_THROWS(save_wisdom)
    GPUTUNE_CXX_THROWS(load_wisdom)
    GPUTUNE_CXX_THROWS(export_wisdom)
    GPUTUNE_CXX_THROWS(import_wisdom)

    /* Calls `each` with a const gputune_record & for each stored record. */
    template <typename Each>
    result<void> try_records(Each each, const gputune_record_filter *filter = nullptr) const
    {
        return detail::visited<gputune_record>(each, [&](auto call, void *user) {
            return gputune_records(get(), filter, call, user);
        });
    }
    /* Deletes records. Calls `each` with a const gputune_record & for each of them. */
    template <typename Each>
    result<void> try_forget(Each each, const gputune_record_filter *filter,
                            const gputune_forget_options *how = nullptr) const
    {
        return detail::visited<gputune_record>(each, [&](auto call, void *user) {
            return gputune_forget(get(), filter, how, call, user);
        });
    }
    /* Copies results from other database files. */
    result<gputune_merged> try_merge(const std::vector<std::string> &paths) const
    {
        gputune_merged out = GPUTUNE_MERGED_INIT;
        const std::vector<const char *> words = pointers(paths);
        return detail::filled(gputune_merge(&out, get(), words.data(), words.size()), out);
    }
    GPUTUNE_CXX_THROWS(records)
    GPUTUNE_CXX_THROWS(forget)
#if defined(__cpp_exceptions)
    gputune_merged merge(const std::vector<std::string> &paths) const
    {
        return try_merge(paths).take();
    }
#endif

  private:
    std::shared_ptr<detail::opened> opened_;

    explicit tuner(std::shared_ptr<detail::opened> made) : opened_(std::move(made))
    {
    }

    result<plan> planned(int status, gputune_plan *handle) const
    {
        return status < 0 ? result<plan>(last_failure(status))
                          : result<plan>(plan(handle, opened_));
    }
    static std::vector<const char *> pointers(const std::vector<std::string> &words)
    {
        std::vector<const char *> out;
        out.reserve(words.size());
        for (const std::string &one : words) {
            out.push_back(one.c_str());
        }
        return out;
    }
};

} // namespace gputune_cxx
#undef GPUTUNE_CXX_THROWS
#undef GPUTUNE_CXX_THROWS_AS
#undef GPUTUNE_CXX_THROWS_FREE
#undef GPUTUNE_CXX_THROWS_SIZED
#endif
