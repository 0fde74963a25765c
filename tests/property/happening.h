/* Events that own their bytes, and texts and metadata for them, for laws about records and histories.
 * Include elelem_stream.h first.
 */
#ifndef HAPPENING_H
#define HAPPENING_H

#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

namespace {

/* An event, its slices aside. */
struct happening {
    elelem_event event;
    std::string first;  /* text, id, raw reason or code */
    std::string second; /* name, type or message */
    std::vector<std::pair<std::string, std::string>> metadata;
};

inline elelem_str slice(const std::string &text)
{
    elelem_str made;

    made.data = text.data();
    made.size = text.size();
    return made;
}

inline std::string text_of(elelem_str made)
{
    return std::string(made.data ? made.data : "", made.size);
}

inline rc::Gen<std::string> any_text()
{
    static const std::vector<std::string> pieces = { "a", "\"", "\\", "\n", "\r", std::string(1, '\0'), "{", "}", "\xc3\xa9",
                                                     "\xe2\x80\xa8", "\xf0\x9f\x98\x80", " ", "\\u0041", "data: ", "eventType", "" };

    return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)),
                        [](const std::vector<std::string> &list) {
                            std::string text;
                            for (const std::string &piece : list)
                                text += piece;
                            return text;
                        });
}

inline std::string any_json()
{
    static const std::vector<std::string> values = { "null", "true", "-1.5e3", "\"s\"", "\"\\n\\u00e9\\\"]}\"", "[]", "[1]",
                                                     "[{\"a\":[]},2]", "{}", "{\"a\":{\"b\":\"}\"}}", "\"\xc3\xa9\"" };

    return *rc::gen::elementOf(values);
}

/* Points the event at the bytes; both must stay in their place. */
inline elelem_event event_of(const happening &h, std::vector<elelem_metadata_entry> &entries)
{
    elelem_event event = h.event;

    entries.clear();
    for (const auto &pair : h.metadata) {
        elelem_metadata_entry entry;
        entry.key = slice(pair.first);
        entry.json = slice(pair.second);
        entries.push_back(entry);
    }
    event.metadata.entries = entries.data();
    event.metadata.count = entries.size();
    if (event.kind == ELELEM_EVENT_PART && event.part.kind == ELELEM_PART_PROVIDER_ITEM) event.part.type = slice(h.second);
    if (event.kind == ELELEM_EVENT_PART && event.part.kind != ELELEM_PART_TOOL_CALL) event.part.text = slice(h.first);
    else if (event.kind == ELELEM_EVENT_PART && event.part.tool_call.kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK)
        event.part.tool_call.text = slice(h.first);
    else if (event.kind == ELELEM_EVENT_PART) {
        event.part.tool_call.id = slice(h.first);
        event.part.tool_call.name = slice(h.second);
    } else if (event.kind == ELELEM_EVENT_FINISHED) event.raw_reason = slice(h.first);
    else if (event.kind == ELELEM_EVENT_ERROR) {
        event.error.code = slice(h.first);
        event.error.message = slice(h.second);
    }
    return event;
}

/* Writes into a std::string. */
inline elelem_status append(void *context, const void *bytes, size_t size)
{
    static_cast<std::string *>(context)->append(static_cast<const char *>(bytes), size);
    return ELELEM_OK;
}

} // namespace

#endif
