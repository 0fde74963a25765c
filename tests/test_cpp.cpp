/* elelem.hpp: the same as in C, in the manner of C++. Also compiled without exceptions and RTTI, and by both compilers, see
   test_cpp.sh. */
#include "elelem.hpp"

#include "check.h"

#include <cstring>
#include <string>
#include <type_traits>

using namespace std::string_view_literals;

#define CHECK_VIEW(is, meant) CHECK_STR((is).data(), (is).size(), meant)

#define SAY(text) "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}\n\n"
#define CALL(arguments) \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"go\",\"arguments\":\"" arguments "\"}}]}}]}\n\n"
#define STOP "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"

static const std::string_view whole = SAY("It ") SAY("is") CALL("{\\\"x\\\":1") CALL(",\\\"to\\\":\\\"east\\\"}") STOP;

/* No default: -Wswitch names a kind that is missing. */
static void log_update(std::string &log, const elelem::update &update)
{
    switch (update.kind()) {
    case elelem::update_kind::text: log += "text "; log += update.text(); break;
    case elelem::update_kind::reasoning: log += "reasoning"; break;
    case elelem::update_kind::tool_call_start: log += "start "; log += update.call_name(); break;
    case elelem::update_kind::tool_call_delta: log += "delta "; log += update.fragment().text_at("to"); break;
    case elelem::update_kind::tool_call_done: log += "done "; log += update.arguments()["to"].text(); break;
    case elelem::update_kind::provider_item: log += "provider item"; break;
    case elelem::update_kind::metadata: log += "metadata"; break;
    case elelem::update_kind::item: log += "item"; break;
    case elelem::update_kind::finished: log += "finished "; log += elelem::name_of(update.reason()); break;
    case elelem::update_kind::error: log += "error "; log += elelem::name_of(update.error().kind()); break;
    }
    log += ";";
}

TEST(a_loop_gives_every_update_there_is_now)
{
    elelem::turn turn(elelem_shape_chat);
    std::string log;

    CHECK(turn.push(whole));
    for (const elelem::update &update : turn)
        log_update(log, update);
    CHECK_VIEW(log, "text It ;text is;item;start go;delta ;delta ;delta ;delta east;delta ;delta ;done east;finished tool_calls;");
    CHECK(turn.is_over());
}

TEST(a_loop_may_be_left_and_continued)
{
    elelem::turn turn(elelem_shape_chat);
    std::string log;
    int loops = 0;

    CHECK(turn.push(whole));
    for (; !turn.is_over(); loops++)
        for (const elelem::update &update : turn) {
            log_update(log, update);
            break;
        }
    CHECK_VIEW(log, "text It ;text is;item;start go;delta ;delta ;delta ;delta east;delta ;delta ;done east;finished tool_calls;");
    CHECK_INT(loops, 13);
}

TEST(bytes_may_come_one_by_one)
{
    elelem::turn turn(elelem_shape_chat);
    std::string text;

    for (const char &byte : whole) {
        CHECK(turn.wants_bytes() || turn.is_over());
        CHECK(turn.push({ &byte, 1 }));
        for (const elelem::update &update : turn)
            text += update.text();
    }
    CHECK_VIEW(text, "It is");
    CHECK(turn.is_over());
    turn.reset();
    CHECK(turn.wants_bytes());
}

TEST(a_push_too_early_is_refused)
{
    elelem::turn turn(elelem_shape_chat);

    CHECK(turn.push(SAY("a")));
    CHECK(!turn.wants_bytes());
    CHECK(!turn.push(SAY("b")));
    for (const elelem::update &update : turn)
        CHECK_VIEW(update.text(), "a");
    CHECK(turn.push(SAY("b")));
}

TEST(an_error_has_its_kind_words_and_wait)
{
    elelem::turn turn(elelem_shape_chat);
    int errors = 0;

    turn.http_header_line("HTTP/1.1 429 No\r\n");
    turn.http_header("Retry-After", "2");
    CHECK(turn.push("{\"error\":{\"message\":\"slow\",\"code\":\"x\"}}"));
    turn.finish();
    for (const elelem::update &update : turn) {
        const elelem::failure error = update.error();
        errors += update.kind() == elelem::update_kind::error;
        CHECK(error.kind() == elelem::error_kind::rate_limit);
        CHECK_VIEW(error.message(), "slow");
        CHECK_VIEW(error.code(), "x");
        CHECK(error.is_retryable());
        CHECK_INT(error.http_status(), 429);
        CHECK(error.retry_after_ms() == 2000);
    }
    CHECK_INT(errors, 1);
    turn.reset();
    turn.fail(elelem::error_kind::connect, "no route");
    for (const elelem::update &update : turn) {
        CHECK_VIEW(update.error().message(), "no route");
        CHECK(!update.error().retry_after_ms());
    }
    CHECK(turn.is_over());
}

TEST(a_turn_takes_its_options_and_its_memory)
{
    elelem::arena<16384> arena;
    elelem_turn_desc desc = ELELEM_INIT;

    desc.shape = &elelem_shape_chat;
    desc.allocator = arena.allocator();
    {
        elelem::turn turn(desc);
        CHECK(turn.push(whole));
        for (const elelem::update &update : turn)
            CHECK(update.kind() != elelem::update_kind::error);
        CHECK(turn.is_over());
    }
    CHECK(arena.peak() > 0);
}

TEST(json_in_pieces_is_a_loop_too)
{
    elelem::parser parser;
    std::string names;
    int late = 0;

    for (std::string_view piece : { "{\"items\":[{\"name\":\"o"sv, "ne\"},{\"name\":\"two\"},3]}"sv }) {
        CHECK(parser.push(piece));
        for (const elelem::fragment &fragment : parser)
            switch (fragment.kind()) {
            case elelem::fragment_kind::begin: names += fragment.type() == elelem::type::array ? "[" : "{"; break;
            case elelem::fragment_kind::string: names += fragment.text_at("items[*].name"); break;
            case elelem::fragment_kind::scalar: names += fragment.text(); break;
            case elelem::fragment_kind::done: names += fragment.is_at("items[*].name") ? ";" : ""; break;
            }
    }
    CHECK_VIEW(names, "{[{one;{two;3");
    CHECK_INT(parser.status(), ELELEM_END);
    parser.reset();
    CHECK(parser.push("}"));
    for (const elelem::fragment &fragment : parser)
        late += fragment.kind() == elelem::fragment_kind::begin;
    CHECK_INT(late, 0);
    CHECK_INT(parser.status(), ELELEM_ERROR_SYNTAX);
    CHECK_INT(parser.error().status, ELELEM_ERROR_SYNTAX);
}

TEST(a_whole_text_is_a_value)
{
    const elelem::json json(" {\"a\":[1,2.5,\"three\",true,null],\"b\":{\"c\":-4}} ");
    const elelem::value root = json.root();
    std::string seen;

    CHECK(json);
    CHECK(root.is_complete());
    CHECK(root["a"].at(0).to_int64() == 1);
    CHECK(root["a"sv].at(1).to_double() == 2.5);
    CHECK_VIEW(root["a"].at(2).text(), "three");
    CHECK(root["a"].at(3).to_bool() == true);
    CHECK(root["a"].at(4).type() == elelem::type::null);
    CHECK(!root["a"].at(2).to_int64());
    CHECK(!root["none"]);
    CHECK(!root["none"]["x"].at(3).to_bool());
    CHECK(root.find("b.c").to_int64() == -4);
    CHECK_U64(root["a"].size(), 5);
    for (const elelem::value member : root) {
        seen += member.key();
        seen += elelem::name_of(member.type());
    }
    for (const elelem::value element : root["none"])
        seen += element.text();
    CHECK_VIEW(seen, "aarraybobject");
    CHECK(!elelem::json("[1,"));
    CHECK_INT(elelem::json("[1,").error().status, ELELEM_ERROR_TRUNCATED);
}

TEST(a_number_in_brackets_is_an_index)
{
    const elelem::json json("{\"\":{\"x\":7},\"a\":[10,20,[30]]}");
    const elelem::value a = json.root()["a"];
    const std::size_t one = 1;
    const std::uint32_t two = 2;

    CHECK(a[0].to_int64() == 10);
    CHECK(a[one].to_int64() == 20);
    CHECK(a[two][0].to_int64() == 30);
    CHECK(!a[3]);
    CHECK(!a[-1]);
    CHECK(!json.root()[0]);
    CHECK(json.root()[""]["x"].to_int64() == 7);
}

TEST(slices_and_views_are_the_same_bytes)
{
    CHECK_VIEW(elelem::view(elelem_str_of("ab")), "ab");
    CHECK(elelem::view(elelem_str_from(nullptr, 0)).empty());
    CHECK_U64(elelem::str("a\0b"sv).size, 3);
}

/* The lists are whole: a number more in C is a line more here. */
static_assert(static_cast<int>(elelem::finish_reason::other) + 1 == ELELEM_FINISH_REASON_COUNT, "a reason is missing");
static_assert(static_cast<int>(elelem::error_kind::recoverable) + 1 == ELELEM_ERROR_KIND_COUNT, "a kind is missing");
static_assert(!std::is_copy_constructible_v<elelem::turn> && !std::is_move_constructible_v<elelem::turn>, "turns stay in place");
static_assert(sizeof(elelem::value) == sizeof(elelem_value), "a value is a handle");

CHECK_MAIN("cpp",
    RUN(a_loop_gives_every_update_there_is_now)
    RUN(a_loop_may_be_left_and_continued)
    RUN(bytes_may_come_one_by_one)
    RUN(a_push_too_early_is_refused)
    RUN(an_error_has_its_kind_words_and_wait)
    RUN(a_turn_takes_its_options_and_its_memory)
    RUN(json_in_pieces_is_a_loop_too)
    RUN(a_whole_text_is_a_value)
    RUN(a_number_in_brackets_is_an_index)
    RUN(slices_and_views_are_the_same_bytes))
