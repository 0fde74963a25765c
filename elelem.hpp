/* elelem.hpp - elelem_stream.h for C++17: objects that free themselves, std::string_view, loops over what there is now, and
 * enum classes, so that the compiler names the kind that a switch forgot. Optional, and nothing but what the C functions
 * give: no exceptions, no RTTI, no memory of its own, no code that is not inline.
 * Free for any use, without conditions or warranty: BSD Zero Clause License, at the end of elelem_stream.h.
 *
 *     elelem::turn turn(elelem_shape_chat);
 *
 *     turn.push(bytes);                                   // bytes stay in place until the loop below ended by itself
 *     for (const elelem::update &update : turn)           // every update there is now
 *         switch (update.kind()) {
 *         case elelem::update_kind::text: print(update.text()); break;
 *         case elelem::update_kind::error: report(update.error().message()); break;
 *         default: break;
 *         }
 *     if (turn.is_over()) return;                         // else push more, finish or fail
 *
 * With desc.max_next_bytes a loop may end before all bytes were read: push again only if turn.wants_bytes().
 *
 * A loop may be left by break, and continued later by another loop over the same object: no update is lost. Objects share
 * nothing and do not move. Slices, values and paths are valid until the next step of the loop, as in C. What is not here is
 * called in C, with c().
 */
#ifndef ELELEM_HPP
#define ELELEM_HPP

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 201703L
#error "elelem.hpp needs C++17; elelem_stream.h alone needs C++11"
#endif

#include "elelem_stream.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace elelem {

/* Slices. */

inline std::string_view view(elelem_str text) noexcept
{
    return text.size > 0 ? std::string_view(text.data, text.size) : std::string_view();
}

inline elelem_str str(std::string_view text) noexcept
{
    return elelem_str_from(text.data(), text.size());
}

/* Kinds. Each has the numbers of the C enum. */

enum class update_kind : std::uint8_t {
    text = ELELEM_TURN_TEXT,
    reasoning = ELELEM_TURN_REASONING,
    tool_call_start = ELELEM_TURN_TOOL_CALL_START,
    tool_call_delta = ELELEM_TURN_TOOL_CALL_DELTA,
    tool_call_done = ELELEM_TURN_TOOL_CALL_DONE,
    provider_item = ELELEM_TURN_PROVIDER_ITEM,
    metadata = ELELEM_TURN_METADATA,
    item = ELELEM_TURN_ITEM,
    finished = ELELEM_TURN_FINISHED,
    error = ELELEM_TURN_ERROR
};

enum class event_kind : std::uint8_t {
    part = ELELEM_EVENT_PART,
    flush = ELELEM_EVENT_FLUSH,
    metadata = ELELEM_EVENT_METADATA,
    finished = ELELEM_EVENT_FINISHED,
    error = ELELEM_EVENT_ERROR
};

enum class part_kind : std::uint8_t {
    message = ELELEM_PART_MESSAGE,
    reasoning = ELELEM_PART_REASONING,
    structured = ELELEM_PART_STRUCTURED,
    tool_call = ELELEM_PART_TOOL_CALL,
    provider_item = ELELEM_PART_PROVIDER_ITEM
};

enum class finish_reason : std::uint8_t {
    completed = ELELEM_FINISH_COMPLETED,
    max_tokens = ELELEM_FINISH_MAX_TOKENS,
    tool_calls = ELELEM_FINISH_TOOL_CALLS,
    content_filter = ELELEM_FINISH_CONTENT_FILTER,
    pause = ELELEM_FINISH_CONTINUE, /* continue is a keyword */
    other = ELELEM_FINISH_OTHER
};

enum class error_kind : std::uint8_t {
    other = ELELEM_ERROR_KIND_OTHER,
    timeout = ELELEM_ERROR_KIND_TIMEOUT,
    connect = ELELEM_ERROR_KIND_CONNECT,
    cancelled = ELELEM_ERROR_KIND_CANCELLED,
    rate_limit = ELELEM_ERROR_KIND_RATE_LIMIT,
    quota = ELELEM_ERROR_KIND_QUOTA,
    transient = ELELEM_ERROR_KIND_TRANSIENT,
    authentication = ELELEM_ERROR_KIND_AUTHENTICATION,
    invalid_request = ELELEM_ERROR_KIND_INVALID_REQUEST,
    content_too_long = ELELEM_ERROR_KIND_CONTENT_TOO_LONG,
    content_filter = ELELEM_ERROR_KIND_CONTENT_FILTER,
    protocol = ELELEM_ERROR_KIND_PROTOCOL,
    limit = ELELEM_ERROR_KIND_LIMIT,
    out_of_memory = ELELEM_ERROR_KIND_OUT_OF_MEMORY,
    recoverable = ELELEM_ERROR_KIND_RECOVERABLE
};

enum class fragment_kind : std::uint8_t {
    begin = ELELEM_FRAGMENT_BEGIN,
    string = ELELEM_FRAGMENT_STRING,
    scalar = ELELEM_FRAGMENT_SCALAR,
    done = ELELEM_FRAGMENT_DONE
};

enum class type : std::uint8_t {
    none = ELELEM_TYPE_NONE,
    null = ELELEM_TYPE_NULL,
    boolean = ELELEM_TYPE_BOOL,
    number = ELELEM_TYPE_NUMBER,
    string = ELELEM_TYPE_STRING,
    array = ELELEM_TYPE_ARRAY,
    object = ELELEM_TYPE_OBJECT
};

inline std::string_view name_of(finish_reason reason) noexcept { return elelem_finish_reason_name(static_cast<unsigned>(reason)); }
inline std::string_view name_of(error_kind kind) noexcept { return elelem_error_kind_name(static_cast<unsigned>(kind)); }
inline std::string_view name_of(type what) noexcept { return elelem_type_name(static_cast<unsigned>(what)); }

/* A loop over what an object gives now: it ends when next returns anything but OK. */

template <class Source> class steps {
public:
    struct sentinel {};
    class iterator {
    public:
        explicit iterator(Source *from) noexcept : from_(from) { ++*this; }
        const typename Source::step &operator*() const noexcept { return from_->current_; }
        const typename Source::step *operator->() const noexcept { return &from_->current_; }
        iterator &operator++() noexcept
        {
            is_there_ = from_->next(from_->current_) == ELELEM_OK;
            return *this;
        }
        bool operator!=(sentinel) const noexcept { return is_there_; }
        bool operator==(sentinel) const noexcept { return !is_there_; }

    private:
        Source *from_;
        bool is_there_ = false;
    };
};

/* A value, which is read while it grows, or after it. One that is not there has the type none, and everything of it is
   empty. */
class value {
public:
    value() noexcept = default;
    value(elelem_value from) noexcept : value_(from) {}

    elelem::type type() const noexcept { return static_cast<elelem::type>(elelem_value_type(value_)); }
    explicit operator bool() const noexcept { return type() != elelem::type::none; }
    bool is_complete() const noexcept { return elelem_value_is_complete(value_) != 0; }
    std::string_view text() const noexcept { return view(elelem_value_text(value_)); }
    std::string_view key() const noexcept { return view(elelem_value_key(value_)); }
    std::size_t size() const noexcept { return elelem_value_count(value_); } /* linear */
    value operator[](std::string_view key) const noexcept { return elelem_value_member(value_, str(key)); }
    value operator[](const char *key) const noexcept { return elelem_value_get(value_, key); }
    template <class Index, class = std::enable_if_t<std::is_integral_v<Index>>> value operator[](Index index) const noexcept
    {
        return at(static_cast<std::size_t>(index));
    }
    value at(std::size_t index) const noexcept { return elelem_value_at(value_, index); }
    value find(const char *path) const noexcept { return elelem_value_find(value_, path); }

    /* Nothing if it is of another type or does not fit. */
    std::optional<bool> to_bool() const noexcept
    {
        int boolean = 0;
        return elelem_value_to_bool(value_, &boolean) == ELELEM_OK ? std::optional<bool>(boolean != 0) : std::nullopt;
    }
    std::optional<std::int64_t> to_int64() const noexcept
    {
        std::int64_t number = 0;
        return elelem_value_to_int64(value_, &number) == ELELEM_OK ? std::optional<std::int64_t>(number) : std::nullopt;
    }
    std::optional<double> to_double() const noexcept
    {
        double number = 0;
        return elelem_value_to_double(value_, &number) == ELELEM_OK ? std::optional<double>(number) : std::nullopt;
    }

    /* Its members or elements, in the order in which they began. */
    class iterator;
    inline iterator begin() const noexcept;
    inline iterator end() const noexcept;
    elelem_value c() const noexcept { return value_; }

private:
    elelem_value value_ = {};
};

class value::iterator {
public:
    explicit iterator(value at) noexcept : at_(at) {}
    value operator*() const noexcept { return at_; }
    const value *operator->() const noexcept { return &at_; }
    iterator &operator++() noexcept
    {
        at_ = elelem_value_next(at_.c());
        return *this;
    }
    bool operator!=(const iterator &other) const noexcept { return static_cast<bool>(at_) != static_cast<bool>(other.at_); }

private:
    value at_;
};

inline value::iterator value::begin() const noexcept { return iterator(elelem_value_first(value_)); }
inline value::iterator value::end() const noexcept { return iterator(value()); }

/* A fragment of a JSON text, with its path. */
class fragment {
public:
    fragment() noexcept = default;
    explicit fragment(const elelem_fragment &from) noexcept : fragment_(from) {}

    fragment_kind kind() const noexcept { return static_cast<fragment_kind>(fragment_.kind); }
    elelem::type type() const noexcept { return static_cast<elelem::type>(fragment_.type); }
    bool is_at(const char *path) const noexcept { return fragment_.path && elelem_path_is(fragment_.path, path) != 0; }
    std::string_view text() const noexcept { return view(fragment_.text); }
    std::string_view text_at(const char *path) const noexcept { return view(elelem_fragment_text(&fragment_, path)); }
    elelem_fragment &c() noexcept { return fragment_; }
    const elelem_fragment &c() const noexcept { return fragment_; }

private:
    elelem_fragment fragment_ = {};
};

/* The bad end of a turn or a stream. */
class failure {
public:
    explicit failure(const elelem_failure &from) noexcept : failure_(from) {}

    error_kind kind() const noexcept { return static_cast<error_kind>(failure_.kind); }
    bool is_retryable() const noexcept { return failure_.retryable != 0; }
    std::string_view message() const noexcept { return view(failure_.message); }
    std::string_view code() const noexcept { return view(failure_.code); }
    int http_status() const noexcept { return failure_.http_status; }
    /* The wait in milliseconds that the server asked for. */
    std::optional<std::int64_t> retry_after_ms() const noexcept
    {
        return failure_.retry_after_ms >= 0 ? std::optional<std::int64_t>(failure_.retry_after_ms) : std::nullopt;
    }
    const elelem_failure &c() const noexcept { return failure_; }

private:
    const elelem_failure &failure_;
};

/* What a turn gives. Members that its kind does not use are empty. */
class update {
public:
    update_kind kind() const noexcept { return static_cast<update_kind>(update_.kind); }
    std::uint32_t index() const noexcept { return update_.index; }
    std::string_view text() const noexcept { return view(update_.text); }
    std::string_view call_id() const noexcept { return view(update_.tool_call.id); }
    std::string_view call_name() const noexcept { return view(update_.tool_call.name); }
    elelem::fragment fragment() const noexcept { return elelem::fragment(update_.fragment); }
    value arguments() const noexcept { return update_.tool_call.arguments; }
    finish_reason reason() const noexcept { return static_cast<finish_reason>(update_.reason); }
    failure error() const noexcept { return failure(update_.error); }
    std::string_view metadata(const char *key) const noexcept { return view(elelem_metadata_get(&update_.metadata, key)); }
    elelem_turn_update &c() noexcept { return update_; }
    const elelem_turn_update &c() const noexcept { return update_; }

private:
    elelem_turn_update update_ = {};
};

/* Memory from a buffer inside the object, which must not move as long as it is used. */
template <std::size_t Size> class arena {
public:
    arena() noexcept : allocator_(elelem_arena_init(&arena_, memory_, Size)) {}
    arena(const arena &) = delete;
    arena &operator=(const arena &) = delete;

    elelem_allocator allocator() const noexcept { return allocator_; }
    std::size_t peak() const noexcept { return elelem_arena_peak(&arena_); }

private:
    elelem_arena arena_;
    alignas(std::max_align_t) unsigned char memory_[Size];
    elelem_allocator allocator_;
};

/* A response, in one loop. */
class turn {
public:
    using step = update;

    explicit turn(const elelem_turn_desc &desc) noexcept { elelem_turn_init(&turn_, &desc); }
    explicit turn(const elelem_shape &shape) noexcept
    {
        elelem_turn_desc desc = ELELEM_INIT;
        desc.shape = &shape;
        elelem_turn_init(&turn_, &desc);
    }
    ~turn() { elelem_turn_free(&turn_); }
    turn(const turn &) = delete;
    turn &operator=(const turn &) = delete;

    void http_status(int status) noexcept { elelem_turn_http_status(&turn_, status); }
    void http_header(std::string_view name, std::string_view text) noexcept { elelem_turn_http_header(&turn_, str(name), str(text)); }
    void http_header_line(std::string_view line) noexcept { elelem_turn_http_header_line(&turn_, str(line)); }

    /* False if the loop has not taken all there is: push the same bytes again after it. */
    bool push(std::string_view bytes) noexcept { return status_of(elelem_turn_push(&turn_, bytes.data(), bytes.size())); }
    bool push_data(std::string_view event, std::string_view data) noexcept
    {
        return status_of(elelem_turn_push_data(&turn_, str(event), str(data)));
    }
    void finish() noexcept { elelem_turn_finish(&turn_); }
    /* The message stays in place until the turn is over. */
    void fail(error_kind kind, std::string_view message = {}) noexcept
    {
        elelem_turn_fail_with(&turn_, static_cast<elelem_error_kind>(kind), str(message));
    }
    void tick(std::uint32_t now_ms) noexcept { elelem_turn_tick(&turn_, now_ms); }
    void set_unix_time(std::int64_t seconds) noexcept { elelem_turn_set_unix_time(&turn_, seconds); }
    void reset() noexcept
    {
        elelem_turn_reset(&turn_);
        status_ = ELELEM_MORE;
    }

    elelem_status next(update &into) noexcept { return status_ = elelem_turn_next(&turn_, &into.c()); }
    steps<turn>::iterator begin() noexcept { return steps<turn>::iterator(this); }
    steps<turn>::sentinel end() noexcept { return {}; }

    /* True after the end was taken, and next said so. */
    bool is_over() const noexcept { return status_ == ELELEM_END; }
    /* True if push, finish or fail comes next. */
    bool wants_bytes() const noexcept { return status_ == ELELEM_MORE && unread() == 0; }
    std::size_t unread() const noexcept { return elelem_turn_unread(&turn_); }
    value arguments(std::uint32_t index) const noexcept { return elelem_turn_arguments(&turn_, index); }
    elelem_turn *c() noexcept { return &turn_; }

private:
    friend class steps<turn>::iterator;
    static bool status_of(elelem_status status) noexcept { return status == ELELEM_OK; }

    elelem_turn turn_;
    update current_;
    elelem_status status_ = ELELEM_MORE;
};

/* JSON in pieces. */
class parser {
public:
    using step = fragment;

    parser() noexcept { elelem_fragment_parser_init(&parser_, nullptr); }
    explicit parser(const elelem_fragment_parser_desc &desc) noexcept { elelem_fragment_parser_init(&parser_, &desc); }
    ~parser() { elelem_fragment_parser_free(&parser_); }
    parser(const parser &) = delete;
    parser &operator=(const parser &) = delete;

    bool push(std::string_view bytes) noexcept
    {
        return elelem_fragment_parser_push(&parser_, bytes.data(), bytes.size()) == ELELEM_OK;
    }
    void finish() noexcept { elelem_fragment_parser_finish(&parser_); }
    void reset() noexcept { elelem_fragment_parser_reset(&parser_); }
    elelem_status next(fragment &into) noexcept { return status_ = elelem_fragment_parser_next(&parser_, &into.c()); }
    steps<parser>::iterator begin() noexcept { return steps<parser>::iterator(this); }
    steps<parser>::sentinel end() noexcept { return {}; }

    /* What ended the last loop: MORE, END or an error. */
    elelem_status status() const noexcept { return status_; }
    elelem_error error() const noexcept { return elelem_fragment_parser_error(&parser_); }
    elelem_fragment_parser *c() noexcept { return &parser_; }

private:
    friend class steps<parser>::iterator;

    elelem_fragment_parser parser_;
    fragment current_;
    elelem_status status_ = ELELEM_MORE;
};

/* A JSON text that is there as a whole. */
class json {
public:
    explicit json(std::string_view text, const elelem_json_desc *desc = nullptr) noexcept : root_(elelem_json_read(&json_, str(text), desc)) {}
    ~json() { elelem_json_free(&json_); }
    json(const json &) = delete;
    json &operator=(const json &) = delete;

    explicit operator bool() const noexcept { return static_cast<bool>(root_); }
    value root() const noexcept { return root_; }
    elelem_error error() const noexcept { return elelem_json_error(&json_); }

private:
    elelem_json json_;
    value root_;
};

}

#endif
