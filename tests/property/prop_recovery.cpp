/* One law of recovery, of the requests of each shape: to apply what was found, build the request again and send it always
 * ends. Each round either removes something from the history or finds nothing; what was found
 * was in the history; and a patch that was applied finds nothing again.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <string>
#include <vector>

#include <rapidcheck.h>

namespace {

struct entry {
    std::string key;
    std::string json;
};

/* What the caller keeps of one item: whose it is, and its metadata. */
struct item {
    int role; /* 0 user, 1 assistant, 2 result of a tool */
    std::vector<entry> metadata;
};

typedef std::vector<item> history;

const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                       &elelem_shape_gemini, &elelem_shape_interactions };
const size_t SHAPES = sizeof shapes / sizeof *shapes;

/* Spells a string as another writer might: any character may be escaped. */
std::string spelled(const std::string &text, unsigned seed)
{
    std::string json = "\"";
    char unit[8];

    for (size_t i = 0; i < text.size(); i++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned char c = static_cast<unsigned char>(text[i]);
        if (c == '/' && seed >> 31) json += "\\/";
        else if (c == '"' || c == '\\' || c < 0x20 || (c < 0x80 && seed >> 29 == 3)) {
            snprintf(unit, sizeof unit, "\\u%04x", c);
            json += unit;
        } else json += text[i];
    }
    return json + "\"";
}

std::string value_of(const std::vector<entry> &metadata, const char *key)
{
    for (const entry &e : metadata)
        if (e.key == key) return e.json;
    return "";
}

/* The item's value under the key as a member of an object; nothing if it has none. */
std::string member(const item &i, const char *key, const char *name)
{
    std::string json = value_of(i.metadata, key);

    return json.empty() ? "" : std::string(",\"") + name + "\":" + json;
}

std::string message_of(size_t shape, const item &i)
{
    static const char *const roles[] = { "user", "assistant", "tool" };

    switch (shape) {
    case 0:
        return std::string("{\"role\":\"") + roles[i.role] + "\"" + member(i, "reasoning_details", "reasoning_details") +
               ",\"tool_calls\":[{\"id\":\"c\"" + member(i, "extra_content", "extra_content") + "}]}";
    case 1:
        return "{\"type\":\"reasoning\"" + member(i, "item_id", "id") + member(i, "encrypted_content", "encrypted_content") + "}";
    case 2:
        if (i.role != 1)
            return std::string("{\"content\":[{\"type\":\"") + (i.role ? "tool_result" : "text") + "\"}],\"role\":\"user\"}";
        return "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\"" + member(i, "signature", "signature") +
               "},{\"type\":\"redacted_thinking\"" + member(i, "redacted_data", "data") + "}]}";
    case 3:
        if (i.role == 2) return "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"a\":[{}]}}]}";
        return std::string("{\"role\":\"") + (i.role ? "model" : "user") + "\",\"parts\":[{\"text\":\"x\"" +
               member(i, "thought_signature", "thoughtSignature") + "}]}";
    default:
        if (i.role == 2) return "{\"type\":\"function_result\",\"call_id\":\"c\",\"result\":[{\"signature\":\"\"}]}";
        return std::string("{\"type\":\"") + (i.role ? "thought" : "user_input") + "\"" +
               member(i, "step_signature", "signature") + "}";
    }
}

std::string request_of(size_t shape, const history &h)
{
    static const char *const lists[] = { "messages", "input", "messages", "contents", "input" };
    std::string list;

    for (const item &i : h)
        list += (list.empty() ? "" : ",") + message_of(shape, i);
    return std::string("{\"") + lists[shape] + "\":[" + list + "]}";
}

size_t entries_of(const history &h)
{
    size_t count = 0;

    for (const item &i : h)
        count += i.metadata.size();
    return count;
}

size_t repair(const std::vector<elelem_patch> &patches, history &h)
{
    size_t removed = 0;

    for (item &i : h) {
        std::vector<elelem_metadata_entry> entries;
        for (const entry &e : i.metadata) {
            elelem_metadata_entry raw;
            raw.key.data = e.key.data();
            raw.key.size = e.key.size();
            raw.json.data = e.json.data();
            raw.json.size = e.json.size();
            entries.push_back(raw);
        }
        size_t count = entries.size();
        removed += elelem_patch_apply(patches.data(), patches.size(), entries.data(), &count);
        std::vector<entry> left;
        for (size_t k = 0; k < count; k++)
            left.push_back({ std::string(entries[k].key.data, entries[k].key.size),
                             std::string(entries[k].json.data, entries[k].json.size) });
        i.metadata = left;
    }
    return removed;
}

/* A few values, so that they come again. */
std::string some_value()
{
    static const char *const values[] = { "rs_1", "rs_11", "rs_2", "msg_1", "gAAAx/DQ==", "gAAAyDQ==", "Eq\"M\\B", "é😀/", "",
                                          "skip_thought_signature_validator" };
    return spelled(values[*rc::gen::inRange(0, 10)], *rc::gen::arbitrary<unsigned>());
}

std::string some_json(const std::string &key)
{
    if (key == "extra_content") return "{\"google\":{\"thought_signature\":" + some_value() + "}}";
    if (key != "reasoning_details") return some_value();
    std::string list;
    for (int i = *rc::gen::inRange(0, 3); i > 0; i--)
        list += (list.empty() ? "" : ",") + ("{\"signature\":" + some_value() + ",\"data\":" + some_value() + ",\"id\":" + some_value() + "}");
    return "[" + list + "]";
}

history some_history()
{
    static const char *const keys[] = { "signature", "redacted_data", "thought_signature", "encrypted_content", "item_id",
                                        "reasoning_details", "extra_content", "step_signature", "phase" };
    history h;

    for (int i = *rc::gen::inRange(0, 9); i > 0; i--) {
        item it;
        it.role = *rc::gen::inRange(0, 3);
        for (const char *key : keys)
            if (*rc::gen::inRange(0, 3)) it.metadata.push_back({ key, some_json(key) });
        h.push_back(it);
    }
    return h;
}

/* A number below `end`, each as often as any other, however small the other values still are. */
size_t any_of(size_t end)
{
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<size_t>(0, end));
}

/* What a provider says: of half of the requests something that is said of this shape. */
std::string some_refusal(size_t shape)
{
    static const char *const refusals[] = {
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "messages.3.content.0: Invalid `signature` in `thinking` block",
        "Invalid `signature` in `thinking` block",
        "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
        "Corrupted thought signature.",
        "The encrypted content gAAA...DQ== could not be verified.",
        "The encrypted content x could not be verified.",
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
        "Item 'msg_1' of type 'message' was provided without its required following item.",
    };
    static const size_t first[] = { 0, 5, 0, 4, 4 }, count[] = { 9, 4, 4, 1, 1 };

    return any_of(2) ? refusals[first[shape] + any_of(count[shape])] : refusals[any_of(9)];
}

} // namespace

int main()
{
    int failed = 0;
    int repaired[SHAPES] = { 0 };

    failed += !rc::check("finding and applying ends, and never finds what is not there", [&repaired] {
        size_t shape = any_of(SHAPES);
        size_t capacity = static_cast<size_t>(*rc::gen::inRange(1, 6));
        std::string message = some_refusal(shape);
        history h = some_history();
        size_t rounds = entries_of(h) + 1;
        bool found = false;
        elelem_failure error = elelem_failure();

        error.kind = ELELEM_ERROR_KIND_RECOVERABLE;
        error.message.data = message.data();
        error.message.size = message.size();
        for (;;) {
            std::string request = request_of(shape, h);
            elelem_str lent;
            lent.data = request.data();
            lent.size = request.size();
            std::vector<elelem_patch> patches(capacity);
            size_t before = entries_of(h);
            size_t count = elelem_recovery_find(shapes[shape], &error, lent, patches.data(), capacity);
            RC_ASSERT(count <= capacity);
            if (count == 0) break;
            found = true;
            patches.resize(count);
            size_t removed = repair(patches, h);
            RC_ASSERT(removed > 0u);
            RC_ASSERT(entries_of(h) == before - removed);
            RC_ASSERT(repair(patches, h) == 0u);
            RC_ASSERT(rounds-- > 0u);
        }
        repaired[shape] += found;
    });
    for (size_t i = 0; i < SHAPES; i++)
        if (repaired[i] == 0) failed = 1; /* the histories of each shape are there to be repaired */
    printf("prop_recovery: %d passed, %d failed\n", 1 - failed, failed);
    return failed;
}
