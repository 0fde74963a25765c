/* What comes out of the bytes of a random conversation (conversation.h), and how two of its items are compared. Include
 * elelem_stream.h first.
 */
#ifndef HEARD_H
#define HEARD_H

#include <limits>

#include "conversation.h"

/* What came out of a wire. */

struct heard_item {
    talk_item said;
    int state = ELELEM_ITEM_OPEN;
    std::string streamed; /* text that came in pieces */
    json_steps progress;  /* of the arguments */
    bool over = false;
};

struct heard {
    std::map<uint32_t, heard_item> items; /* by index */
    talk_end end;
    int finished = 0;
    int errors = 0;
    bool retryable = false;
    bool late = false; /* something came after the end */
};

/* Of reasoning_details count the signatures and data alone. */
inline talk_metadata metadata_of(const elelem_metadata &metadata)
{
    talk_metadata all;

    for (size_t i = 0; i < metadata.count; i++) {
        std::string key = json_bytes_of(metadata.entries[i].key);
        json_value value = json_value_of_text(json_bytes_of(metadata.entries[i].json));
        if (key != "reasoning_details") {
            all[key] = value;
            continue;
        }
        for (const json_value &entry : value.children)
            for (const json_value &member : entry.children)
                if ((member.name.key == "signature" || member.name.key == "data") && member.type == ELELEM_TYPE_STRING &&
                    !member.text.empty())
                    all[key] = talk_string((all.count(key) ? all[key].text : "") + member.text);
    }
    return all;
}

inline void hear_item(heard &out, const elelem_item &item)
{
    heard_item &to = out.items[item.index];

    RC_ASSERT(!to.over);
    to.over = true;
    to.state = item.state;
    to.said.kind = item.kind;
    to.said.choice = item.choice;
    to.said.text = json_bytes_of(item.text);
    to.said.metadata = metadata_of(item.metadata);
    to.said.id = json_bytes_of(item.tool_call.id);
    to.said.name = json_bytes_of(item.tool_call.name);
    if (item.kind == ELELEM_PART_TOOL_CALL) to.said.value = json_value_of(item.tool_call.arguments);
    if (item.kind == ELELEM_PART_STRUCTURED) to.said.value = json_value_of(item.value);
    if (item.kind != ELELEM_PART_PROVIDER_ITEM) return;
    to.said.name = json_bytes_of(item.type);
    to.said.value.type = ELELEM_TYPE_NONE;
    if (item.state == ELELEM_ITEM_COMPLETE) to.said.value = json_value_of_text(json_bytes_of(item.text));
}

inline void hear_end(heard &out, const elelem_turn_update &update)
{
    out.finished += update.kind == ELELEM_TURN_FINISHED;
    out.errors += update.kind == ELELEM_TURN_ERROR;
    out.retryable = update.error.retryable != 0;
    out.end.reason = update.reason;
    out.end.raw = json_bytes_of(update.raw_reason);
    out.end.usage[0] = update.usage.input;
    out.end.usage[1] = update.usage.output;
    out.end.usage[2] = update.usage.cached;
    out.end.usage[3] = update.usage.reasoning;
}

inline elelem_status hear(heard &out, elelem_turn &turn)
{
    elelem_turn_update update;
    elelem_status status;

    while ((status = elelem_turn_next(&turn, &update)) == ELELEM_OK) {
        out.late |= out.finished + out.errors > 0;
        switch (update.kind) {
        case ELELEM_TURN_TEXT:
        case ELELEM_TURN_REASONING: out.items[update.index].streamed += json_bytes_of(update.text); break;
        case ELELEM_TURN_TOOL_CALL_START: break;
        case ELELEM_TURN_TOOL_CALL_DELTA: json_join(out.items[update.index].progress, json_step_of(update.fragment)); break;
        case ELELEM_TURN_PROVIDER_ITEM: out.items[update.index].streamed += json_bytes_of(update.part.text); break;
        case ELELEM_TURN_METADATA: break;
        case ELELEM_TURN_TOOL_CALL_DONE:
        case ELELEM_TURN_ITEM: hear_item(out, *update.item); break;
        default: hear_end(out, update);
        }
    }
    RC_ASSERT((status == ELELEM_MORE || status == ELELEM_END));
    return status;
}

/* Bytes of a list that is not worked off before its end; negative: as it is. */
static int heard_short_list = -1;
static const int heard_no_list = std::numeric_limits<int>::max(); /* none is worked off before its end */

inline heard heard_of(const talk_wire &wire, const std::string &bytes, const json_cuts &cuts)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn turn;
    heard out;

    desc.shape = wire.shape;
    desc.structured = wire.structured;
    elelem_turn_init(&turn, &desc);
    if (heard_short_list >= 0) turn.els_stream.els_response.short_list = static_cast<uint32_t>(heard_short_list);
    for (size_t i = 0, at = 0; at < bytes.size(); i++) {
        size_t size = std::min(i < cuts.size() ? cuts[i] : SIZE_MAX, bytes.size() - at);
        json_lent lent(bytes, at, size);
        RC_ASSERT(elelem_turn_push(&turn, lent.bytes.get(), size) == ELELEM_OK);
        hear(out, turn);
        at += size;
    }
    elelem_turn_finish(&turn);
    RC_ASSERT(hear(out, turn) == ELELEM_END);
    elelem_turn_free(&turn);
    return out;
}

inline std::ostream &operator<<(std::ostream &out, const talk_item &item)
{
    static const char *const kinds[] = { "message", "reasoning", "structured", "call", "provider item" };

    out << kinds[item.kind] << '/' << item.choice << " \"" << json_shown(item.text) << "\" id \"" << json_shown(item.id) << "\" name \""
        << json_shown(item.name) << "\" value " << item.value;
    for (const auto &entry : item.metadata)
        out << ' ' << entry.first << '=' << entry.second;
    return out;
}

#endif
