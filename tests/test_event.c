/* event: metadata by key, and by what a refused event is recognized. */
#include "elelem_stream.h"

#include "check.h"

#include <string.h>

/* Metadata. */

static elelem_metadata_entry entry_of(const char *key, const char *json)
{
    elelem_metadata_entry entry;

    memset(&entry, 0, sizeof entry);
    entry.key = elelem_str_of(key);
    entry.json = elelem_str_of(json);
    return entry;
}

TEST(metadata_is_found_by_its_key_and_the_last_of_equal_keys_counts)
{
    elelem_metadata_entry entries[4];
    elelem_metadata metadata;
    elelem_str json;

    entries[0] = entry_of("a", "1");
    entries[1] = entry_of("b", "2");
    entries[2] = entry_of("a", "3");
    entries[3] = entry_of("c", "4");
    metadata.entries = entries;
    for (metadata.count = 0; metadata.count <= 4; metadata.count++) {
        json = elelem_metadata_get(&metadata, "a");
        CHECK_STR(json.data, json.size, metadata.count == 0 ? "" : metadata.count < 3 ? "1" : "3");
        json = elelem_metadata_get(&metadata, "c");
        CHECK_STR(json.data, json.size, metadata.count < 4 ? "" : "4");
        CHECK(elelem_metadata_get(&metadata, "d").data == NULL);
        CHECK(elelem_metadata_get(&metadata, "").data == NULL);
    }
}

/* Refused events. */

static elelem_metadata_entry entries_now[2];

static void whole_event(elelem_event *event)
{
    memset(event, 0, sizeof *event);
    event->index = 1;
    event->part.kind = ELELEM_PART_PROVIDER_ITEM;
    event->part.hosted = 1;
    event->part.text = elelem_str_of("text");
    event->part.type = elelem_str_of("type");
    event->part.caption = elelem_str_of("caption");
    event->part.tool_call.type = elelem_str_of("call type");
    event->part.tool_call.id = elelem_str_of("id");
    event->part.tool_call.name = elelem_str_of("name");
    event->part.tool_call.text = elelem_str_of("arguments");
    entries_now[0] = entry_of("first", "0");
    entries_now[1] = entry_of("key", "1");
    event->metadata.entries = entries_now;
    event->metadata.count = 2;
}

/* Makes the event another one by its field of this number; returns 0 if there are no more. */
static int change(elelem_event *event, int field)
{
    static elelem_metadata_entry others[2];
    elelem_str text = elelem_str_of("other");

    memcpy(others, entries_now, sizeof others);
    switch (field) {
    case 0: event->kind = ELELEM_EVENT_FLUSH; return 1;
    case 1: event->index = 2; return 1;
    case 2: event->choice = 1; return 1;
    case 3: event->part.kind = ELELEM_PART_MESSAGE; return 1;
    case 4: event->part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK; return 1;
    case 5: event->part.hosted = 0; return 1;
    case 6: event->part.text = text; return 1;
    case 7: event->part.type = text; return 1;
    case 8: event->part.caption = text; return 1;
    case 9: event->part.tool_call.type = text; return 1;
    case 10: event->part.tool_call.id = text; return 1;
    case 11: event->part.tool_call.name = text; return 1;
    case 12: event->part.tool_call.text = text; return 1;
    case 13: others[1].key = text; break;
    case 14: others[1].json = elelem_str_of("2"); break;
    case 15: event->metadata.count = 1; return 1;
    default: return 0;
    }
    event->metadata.entries = others;
    return 1;
}

static elelem_event_coalescer coalescer;

static elelem_status drain(void)
{
    elelem_record_item item;
    elelem_status status;

    do
        status = elelem_event_coalescer_next(&coalescer, &item);
    while (status == ELELEM_OK);
    return status;
}

/* Refuses the event, because another was not worked off yet. */
static void refuse(const elelem_event *event)
{
    elelem_event first;

    whole_event(&first);
    elelem_event_coalescer_init(&coalescer, NULL);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &first), ELELEM_OK);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, event), ELELEM_ERROR_MISUSE);
    CHECK_INT(drain(), ELELEM_MORE);
}

TEST(an_event_that_was_refused_is_recognized_by_each_of_its_fields)
{
    elelem_event refused, other;
    int field;

    whole_event(&refused);
    for (field = 0; whole_event(&other), change(&other, field); field++) {
        check_cut("field", (size_t)field);
        refuse(&refused);
        CHECK_INT(elelem_event_coalescer_push(&coalescer, &other), ELELEM_ERROR_MISUSE);
        CHECK_INT(drain(), ELELEM_ERROR_MISUSE);
        elelem_event_coalescer_free(&coalescer);
    }
    CHECK_INT(field, 16);
    check_cut(NULL, 0);
    refuse(&refused);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &refused), ELELEM_OK);
    CHECK_INT(drain(), ELELEM_MORE);
    elelem_event_coalescer_free(&coalescer);
}

/* Events without a part. */
static void short_event(elelem_event *event, elelem_event_kind kind)
{
    whole_event(event);
    memset(&event->part, 0, sizeof event->part);
    event->kind = (uint8_t)kind;
    event->raw_reason = elelem_str_of("stop");
    event->usage.input = event->usage.output = event->usage.cached = event->usage.reasoning = event->usage.cache_written = -1;
    event->error.code = elelem_str_of("code");
    event->error.message = elelem_str_of("message");
}

/* Makes an event of this kind another one by its member of this number; returns 0 if it has no more. */
static int change_short(elelem_event *event, int member)
{
    static const int firsts[] = { 0, 0, 3, 4, 11 }; /* of the cases below, by kind */
    static const int counts[] = { 0, 3, 1, 7, 8 };
    elelem_str text = elelem_str_of("other");

    if (member >= counts[event->kind]) return 0;
    switch (firsts[event->kind] + member) {
    case 0: event->index = 2; break;
    case 1: event->choice = 1; break;
    case 2: event->cut_off = 1; break;
    case 3: event->metadata.count = 1; break;
    case 4: event->reason = ELELEM_FINISH_MAX_TOKENS; break;
    case 5: event->raw_reason = text; break;
    case 6: event->usage.input = 1; break;
    case 7: event->usage.output = 1; break;
    case 8: event->usage.cached = 1; break;
    case 9: event->usage.reasoning = 1; break;
    case 10: event->usage.cache_written = 1; break;
    case 11: event->error.kind = ELELEM_ERROR_KIND_QUOTA; break;
    case 12: event->error.retryable = 1; break;
    case 13: event->error.http_status = 500; break;
    case 14: event->error.status = ELELEM_ERROR_SYNTAX; break;
    case 15: event->error.retry_after_ms = 1; break;
    case 16: event->error.offset = 1; break;
    case 17: event->error.code = text; break;
    default: event->error.message = text; break;
    }
    return 1;
}

TEST(an_event_without_a_part_that_was_refused_is_recognized_by_each_member_of_its_kind)
{
    elelem_event refused, other;
    int kind, member, members = 0;

    for (kind = ELELEM_EVENT_FLUSH; kind <= ELELEM_EVENT_ERROR; kind++) {
        short_event(&refused, (elelem_event_kind)kind);
        for (member = 0; short_event(&other, (elelem_event_kind)kind), change_short(&other, member); member++, members++) {
            check_cut("member", (size_t)members);
            refuse(&refused);
            CHECK_INT(elelem_event_coalescer_push(&coalescer, &other), ELELEM_ERROR_MISUSE);
            CHECK_INT(drain(), ELELEM_ERROR_MISUSE);
            elelem_event_coalescer_free(&coalescer);
        }
        check_cut("kind", (size_t)kind);
        refuse(&refused);
        CHECK_INT(elelem_event_coalescer_push(&coalescer, &refused), ELELEM_OK);
        CHECK_INT(drain(), ELELEM_MORE);
        elelem_event_coalescer_free(&coalescer);
    }
    CHECK_INT(members, 19);
}

CHECK_MAIN("event",
    RUN(metadata_is_found_by_its_key_and_the_last_of_equal_keys_counts)
    RUN(an_event_that_was_refused_is_recognized_by_each_of_its_fields)
    RUN(an_event_without_a_part_that_was_refused_is_recognized_by_each_member_of_its_kind))
