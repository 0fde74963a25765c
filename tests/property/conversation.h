/* Random conversations for laws: what a model writes, and the bytes in which one of the four
 * wires may carry it, with the quirks that servers of that wire have.
 *
 *     talk_wire wire = talk_chat(*json_any_dice(40));
 *
 * has the bytes, and the expected result: texts, reasoning, tool calls with their arguments,
 * in the order in which they begin, and the end. As in json_model.h everything random comes
 * from dice, and the choice 0 is the simplest one: a conversation without any item, and no
 * quirk at all.
 */
#ifndef CONVERSATION_H
#define CONVERSATION_H

#include "json_model.h"

#include <map>
#include <utility>

/* What comes out. */

typedef std::map<std::string, json_value> talk_metadata;

struct talk_item {
    int kind = ELELEM_PART_MESSAGE; /* an elelem_part_kind */
    bool refusal = false;
    uint32_t choice = 0;
    std::string text;               /* empty for reasoning that is only a signature; of a provider item its JSON */
    std::string signature;          /* or encrypted content, or data of what was redacted */
    bool sealed = false;            /* it is the latter */
    bool custom = false;            /* a call whose input is free text: its arguments are that string */
    std::string id;                 /* a call's; empty if the wire has none */
    std::string name;               /* a call's, or the type of a provider item */
    json_value value;               /* a call's arguments, or the value of structured text */
    bool bare = false;              /* a call of whose arguments, which are {}, no byte is written, or that might be replaced; or a provider
                                       item without an end */
    bool ended = false;             /* what follows shows that the model ended the item */
    uint32_t key = 0;               /* a call's number on a wire that uses one again (chat) */
    talk_metadata metadata;
    size_t whole = SIZE_MAX;        /* cut off here or before, the body does not have all of a call; if it shows that before its end */
    bool ends = false;              /* and after it the item is over, because the wire ends it */

    bool is_call() const { return kind == ELELEM_PART_TOOL_CALL; }
    bool is_thought() const { return kind == ELELEM_PART_REASONING; }
    bool is_provider() const { return kind == ELELEM_PART_PROVIDER_ITEM; }
    bool is_note() const { return is_thought() && text.empty(); }
    bool is_aside() const { return is_note() || is_provider(); }

    /* Only the way the item ended says whether it is whole. */
    bool is_undecided() const { return is_call() || is_provider() ? bare : kind == ELELEM_PART_STRUCTURED && value.type == ELELEM_TYPE_NUMBER; }
    int state(bool own_end) const { return is_undecided() && !ended && !own_end ? ELELEM_ITEM_CUT_OFF : ELELEM_ITEM_COMPLETE; }
};

typedef std::vector<talk_item> talk_items;

struct talk_end {
    int reason = ELELEM_FINISH_COMPLETED;
    bool own = true; /* according to the wire the model ended its response by itself */
    std::string raw;
    int64_t usage[4] = { -1, -1, -1, -1 }; /* input, output, cached, reasoning */
};

struct talk_wire {
    const elelem_shape *shape = nullptr;
    bool structured = false;
    talk_items items; /* of each choice in the order in which they begin */
    talk_end end;
    std::string bytes;
    std::string whole;    /* Responses, Interactions: the same, not streamed */
    size_t undecided = 0; /* cut off here or before, the body does not show how it ends */
};

/* Values by hand. */

inline json_value talk_string(const std::string &text)
{
    json_value value;

    value.type = ELELEM_TYPE_STRING;
    value.text = text;
    return value;
}

inline json_value talk_number(int64_t number)
{
    json_value value;

    value.type = ELELEM_TYPE_NUMBER;
    value.text = std::to_string(number);
    return value;
}

inline json_value talk_true()
{
    json_value value;

    value.type = ELELEM_TYPE_BOOL;
    value.text = "true";
    return value;
}

inline json_value talk_object_of(const std::string &key, json_value member)
{
    json_value value;

    value.type = ELELEM_TYPE_OBJECT;
    member.name.key = key;
    value.children.push_back(member);
    return value;
}

inline json_value talk_array_of(json_value element)
{
    json_value value;

    value.type = ELELEM_TYPE_ARRAY;
    element.name.is_element = true;
    value.children.push_back(element);
    return value;
}

/* The bytes of the character that begins here. */
inline size_t talk_character(const std::string &text, size_t at)
{
    size_t size = 1;

    while (at + size < text.size() && ((unsigned char)text[at + size] & 0xc0) == 0x80)
        size++;
    return size;
}

/* Writes JSON by hand: members are given as text, in whatever order it likes. */
class talk_pen {
public:
    typedef std::pair<std::string, std::string> member; /* key, JSON text */
    typedef std::vector<member> members;

    json_dice dice;

    explicit talk_pen(const json_dice &drawn) : dice(drawn)
    {
        shuffles = dice.once_in(3);
        spaces = dice.once_in(3);
        escapes = dice.once_in(3);
        adds = dice.once_in(3);
    }

    std::string blanks()
    {
        static const char *const some[] = { " ", "  ", "\n", "\t", "\r\n", "\r" };

        return spaces && dice.once_in(4) ? dice.one_of(some) : "";
    }

    std::string string(const std::string &text)
    {
        std::string out = "\"";

        for (size_t at = 0; at < text.size();) {
            size_t size = talk_character(text, at);
            out += character(text.substr(at, size));
            at += size;
        }
        return out + '"';
    }

    static std::string number(int64_t value) { return std::to_string(value); }

    /* Keeps the order of members, because that is part of the value. */
    std::string value(const json_value &value)
    {
        std::vector<std::string> parts;

        if (value.type == ELELEM_TYPE_STRING) return string(value.text);
        if (!value.is_container()) return value.text;
        for (const json_value &child : value.children)
            parts.push_back((value.type == ELELEM_TYPE_OBJECT ? string(child.name.key) + blanks() + ":" + blanks() : "") +
                            this->value(child));
        return joined(value.type == ELELEM_TYPE_OBJECT ? "{}" : "[]", parts);
    }

    std::string array(const std::vector<std::string> &elements) { return joined("[]", elements); }

    std::string object(members all, bool may_add = true)
    {
        static const char *const unknown[] = { "null", "\"\"", "{\"type\":\"text\",\"text\":\"no\"}", "[1,{\"delta\":\"no\"}]", "7" };
        std::vector<std::string> parts;

        if (may_add && adds && dice.once_in(4)) all.emplace_back("x_" + std::to_string(dice.below(9)), dice.one_of(unknown));
        while (!all.empty()) {
            size_t at = shuffles ? dice.below(all.size()) : 0;
            parts.push_back(string(all[at].first) + blanks() + ":" + blanks() + all[at].second);
            all.erase(all.begin() + (std::ptrdiff_t)at);
        }
        return joined("{}", parts);
    }

private:
    bool shuffles, spaces, escapes, adds;

    std::string joined(const char *brackets, const std::vector<std::string> &parts)
    {
        std::string out(1, brackets[0]);

        for (size_t i = 0; i < parts.size(); i++)
            out += (i > 0 ? "," : "") + blanks() + parts[i] + blanks();
        return out + (parts.empty() ? blanks() : "") + brackets[1];
    }

    std::string unit(uint32_t value)
    {
        const char *digits = dice.once_in(2) ? "0123456789ABCDEF" : "0123456789abcdef";
        std::string out = "\\u";

        for (int shift = 12; shift >= 0; shift -= 4)
            out += digits[value >> shift & 15];
        return out;
    }

    std::string units(const std::string &bytes)
    {
        uint32_t value = (unsigned char)bytes[0];

        if (bytes.size() > 1) value &= 0x7fu >> bytes.size();
        for (size_t i = 1; i < bytes.size(); i++)
            value = value << 6 | ((unsigned char)bytes[i] & 0x3fu);
        if (value < 0x10000) return unit(value);
        return unit(0xd800 + ((value - 0x10000) >> 10)) + unit(0xdc00 + (value & 0x3ff));
    }

    std::string character(const std::string &bytes)
    {
        static const char letters[] = "\"\"\\\\//\bb\ff\nn\rr\tt";
        const char *letter = bytes[0] ? strchr(letters, bytes[0]) : nullptr;
        bool must = (unsigned char)bytes[0] < 0x20 || bytes == "\"" || bytes == "\\";
        bool may = letter && (letter - letters) % 2 == 0;

        if (escapes && dice.once_in(6)) return units(bytes);
        if (may && (must || (escapes && dice.once_in(2)))) return { '\\', letter[1] };
        return must ? units(bytes) : bytes;
    }
};

/* Writes frames of an event stream (WHATWG HTML, 9.2), or elements of an array. */
class talk_body {
public:
    std::string bytes;
    bool names = false;    /* frames have the name of their event */
    bool needs_names = false; /* and nothing else has it */
    bool is_array = false;
    std::vector<std::string> idle; /* frames that say nothing */

    explicit talk_body(talk_pen &with) : pen(with)
    {
        ending = pen.dice.below(4);
        comments = pen.dice.once_in(3);
        pads = pen.dice.once_in(4);
        tight = pen.dice.once_in(4);
        if (pen.dice.once_in(12)) bytes = "\xef\xbb\xbf";
    }

    /* Returns the offset after the last byte that matters. */
    size_t frame(const std::string &name, const std::string &data)
    {
        size_t last;

        if (is_array) return element(data);
        noise();
        bool late = names && !needs_names && pen.dice.once_in(8);
        if (names && !late) field("event", name);
        last = lines(data);
        if (late) field("event", name);
        line("");
        return last;
    }

    /* The body is over, and sometimes the last line end with it. */
    void close()
    {
        if (is_array) {
            bytes += bytes.empty() ? "[]" : pen.blanks() + "]" + pen.blanks();
            return;
        }
        bool noisy = pen.dice.once_in(4);
        if (noisy) noise(), line(""); /* a field without its blank line would be a frame that was cut off */
        if (noisy || !pen.dice.once_in(6)) return; /* and a comment without its line end may have become a field */
        while (!bytes.empty() && (bytes.back() == '\n' || bytes.back() == '\r'))
            bytes.pop_back();
    }

private:
    talk_pen &pen;
    size_t ending;
    bool comments, pads, tight;

    /* A lone LF after a lone CR would make one line end of two. */
    void line(const std::string &text)
    {
        static const char *const ends[] = { "\n", "\r\n", "\r" };
        const char *end = ends[ending < 3 ? ending : pen.dice.below(3)];

        if (text.empty() && *end == '\n' && !bytes.empty() && bytes.back() == '\r') end = "\r";
        bytes += text + end;
    }

    void field(const std::string &name, const std::string &value) { line(name + (tight ? ":" : ": ") + value); }

    size_t lines(const std::string &data)
    {
        size_t at = 0, last = 0;

        while (at <= data.size()) {
            size_t end = std::min(data.find_first_of("\r\n", at), data.size());
            std::string pad = pads ? std::string(pen.dice.below(8), ' ') : "";
            if (end == data.size()) last = bytes.size() + (tight ? 4 : 5) + end - at;
            field("data", data.substr(at, end - at) + pad);
            at = end + (data.compare(end, 2, "\r\n") == 0 ? 2 : 1);
        }
        return last;
    }

    size_t element(const std::string &data)
    {
        bytes += (bytes.empty() ? "[" : ",") + pen.blanks() + data;
        size_t last = bytes.size() - 1;
        bytes += pen.blanks();
        return last;
    }

    void noise()
    {
        if (!comments) return;
        for (size_t some = pen.dice.below(3); some > 0; some--)
            switch (pen.dice.below(8)) {
            case 0: line(": keep-alive"); break;
            case 1: line(":"); break;
            case 2: line(": OPENROUTER PROCESSING"); line(""); break;
            case 3: line("id: 7"); break;
            case 4: line("retry: 3000"); break;
            case 5: line("data:"); line(""); break;
            case 6: line("x-field: no"); line(""); break;
            default:
                if (!idle.empty()) lines(idle[pen.dice.below(idle.size())]), line("");
            }
    }
};

/* What is said. */

inline std::string talk_any_text(json_dice &dice)
{
    static const char *const some[] = { "Hello", " there", "\n\n", "na\xc3\xafve", "\xe6\xbc\xa2\xe5\xad\x97", "\xf0\x9f\x98\x80\xf0\x9f\x91\x8d",
                                        "data: [DONE]\n\n", "\"\\/", "</think>", "{\"a\":[", "\\u0041", " " };
    std::string text;

    for (size_t count = 1 + dice.below(5); count > 0; count--)
        text += dice.once_in(4) ? json_any_string(dice) : dice.one_of(some);
    return text.empty() ? "a" : text;
}

inline std::string talk_any_signature(json_dice &dice)
{
    static const char *const some[] = { "sig", "EqQBCg+/=", "x", "rs_enc/0==" };

    return std::string(dice.one_of(some)) + std::to_string(dice.below(10));
}

inline json_value talk_any_object(json_dice &dice)
{
    json_shape shape;
    json_value value;

    shape.unique_keys = true;
    shape.depth = 3;
    value.type = ELELEM_TYPE_OBJECT;
    if (!dice.once_in(4)) json_any_children(dice, shape, value);
    return value;
}

/* What the wires cannot distinguish, or do not know. */
struct talk_rules {
    bool refusals = false;
    bool custom = false;
    bool needs_ids = true;     /* a call without an id is not sent */
    bool seals = false;        /* reasoning may come encrypted, without text */
    bool signs_calls = false;
    bool signs_texts = false;
    bool (*may_follow)(const talk_items &before, const talk_item &next) = nullptr;
};

inline talk_item talk_any_item(json_dice &dice, const talk_rules &rules, bool structured, size_t number)
{
    static const char *const names[] = { "get_weather", "f", "mcp__files-read" };
    talk_item item;
    size_t what = dice.below(9);

    if (what < 3 || (what == 8 && !rules.refusals)) {
        item.kind = structured ? ELELEM_PART_STRUCTURED : ELELEM_PART_MESSAGE;
        item.text = talk_any_text(dice);
        if (rules.signs_texts && dice.once_in(4)) item.signature = talk_any_signature(dice);
        if (structured) item.value = json_any_value(dice);
    } else if (what < 5) {
        item.kind = ELELEM_PART_REASONING;
        item.text = dice.once_in(5) ? "" : talk_any_text(dice);
        item.sealed = rules.seals && dice.once_in(3);
        if (item.text.empty() || item.sealed || dice.once_in(2)) item.signature = talk_any_signature(dice);
    } else if (what < 8) {
        item.kind = ELELEM_PART_TOOL_CALL;
        item.id = "call_" + std::to_string(dice.below(2)) + "_" + std::to_string(number);
        if (!rules.needs_ids && dice.once_in(6)) item.id = "";
        item.name = dice.one_of(names);
        item.custom = rules.custom && dice.once_in(4);
        if (rules.signs_calls && dice.once_in(3)) item.signature = talk_any_signature(dice);
        item.value = item.custom ? talk_string(dice.once_in(4) ? "" : talk_any_text(dice)) : talk_any_object(dice);
    } else {
        item.refusal = true;
        item.text = talk_any_text(dice);
        item.metadata["refusal"] = talk_true();
    }
    return item;
}

inline talk_items talk_any_items(talk_pen &pen, const talk_rules &rules, bool structured, uint32_t choice)
{
    talk_items items;

    for (size_t count = pen.dice.below(10), i = 0; i < count; i++) {
        talk_item item = talk_any_item(pen.dice, rules, structured, i);
        item.choice = choice;
        if (item.kind == ELELEM_PART_STRUCTURED) item.text = pen.value(item.value);
        if (!rules.may_follow || rules.may_follow(items, item)) items.push_back(item);
    }
    return items;
}

inline bool talk_had(const talk_items &items, bool (*is)(const talk_item &))
{
    return std::any_of(items.begin(), items.end(), is);
}

inline int talk_completed(const talk_items &items)
{
    if (talk_had(items, [](const talk_item &item) { return item.is_call() && item.choice == 0; })) return ELELEM_FINISH_TOOL_CALLS;
    if (talk_had(items, [](const talk_item &item) { return item.refusal && item.choice == 0; })) return ELELEM_FINISH_CONTENT_FILTER;
    return ELELEM_FINISH_COMPLETED;
}

struct talk_reason {
    const char *raw;
    int reason;
};

/* A row of the wire's table; one that means completed is read by what was said. */
template <size_t n> inline void talk_any_reason(json_dice &dice, const talk_reason (&table)[n], talk_wire &wire, bool calls_count)
{
    const talk_reason &row = table[dice.below(n)];

    wire.end.raw = row.raw;
    wire.end.reason = row.reason;
    wire.end.own = row.reason == ELELEM_FINISH_COMPLETED || row.reason == ELELEM_FINISH_TOOL_CALLS;
    if (calls_count && row.reason == ELELEM_FINISH_COMPLETED) wire.end.reason = talk_completed(wire.items);
}

inline void talk_any_usage(json_dice &dice, talk_end &end)
{
    for (int64_t &count : end.usage)
        count = dice.once_in(3) ? (int64_t)dice.below(100000) : -1;
}

/* A text in pieces of whole characters, some of them empty. */
inline std::vector<std::string> talk_pieces(json_dice &dice, const std::string &text)
{
    size_t most = dice.once_in(3) ? 4 : dice.once_in(2) ? 20 : SIZE_MAX;
    std::vector<std::string> pieces;
    size_t at = 0;

    do {
        size_t end = at;
        for (size_t left = most == SIZE_MAX ? SIZE_MAX : 1 + dice.below(most); left > 0 && end < text.size(); left--)
            end += talk_character(text, end);
        pieces.push_back(text.substr(at, end - at));
        if (dice.once_in(10)) pieces.push_back("");
        at = end;
    } while (at < text.size());
    return pieces;
}

/* Chooses whose turn it is; each has a number of turns. One that is `alone` ends before the next begins, except
   if `slips_in` is true for that. They begin in their order. */
struct talk_turn {
    size_t count = 0;
    bool alone = false;
    bool slips_in = false;
};

inline std::vector<size_t> talk_turns(json_dice &dice, std::vector<talk_turn> all, bool mixed)
{
    std::vector<size_t> order;
    size_t begun = 0;

    for (;;) {
        std::vector<size_t> may;
        bool next = begun < all.size();
        for (size_t i = 0; i < begun; i++) {
            if (all[i].count == 0) continue;
            may.push_back(i);
            if (!mixed || (all[i].alone && !(next && all[begun].slips_in))) next = false;
        }
        if (next) may.push_back(begun);
        if (may.empty()) return order;
        size_t one = may[dice.below(may.size())];
        if (one == begun) begun++;
        if (all[one].count > 0) all[one].count--;
        order.push_back(one);
    }
}

/* Chat Completions. */

class talk_chat_writer {
public:
    explicit talk_chat_writer(const json_dice &drawn, bool as_one = false) : pen(drawn), body(pen), as_message(as_one)
    {
        json_dice &dice = pen.dice;

        wire.shape = &elelem_shape_chat;
        wire.structured = dice.once_in(4);
        thoughts = dice.below(5);
        details = dice.once_in(3);
        indices = dice.below(5);
        mixed = dice.once_in(2);
        joins = dice.once_in(2);
        usage_place = dice.below(5);
        body.idle = { "{\"choices\":[]}", "{\"id\":\"\",\"object\":\"\",\"choices\":[],\"prompt_filter_results\":[{}]}" };
    }

    talk_wire written()
    {
        size_t choices = pen.dice.once_in(6) ? 2 : 1;

        for (uint32_t number = 0; number < choices; number++) {
            talk_items items = talk_any_items(pen, rules(), wire.structured, number);
            items = as_message ? with_provider_items_around(items, choices == 1) : with_provider_items(items);
            parts.push_back(parts_of(items));
            tell_ended(items);
            wire.items.insert(wire.items.end(), items.begin(), items.end());
            if (number == 0) first_items = items.size();
        }
        end();
        write();
        return wire;
    }

private:
    /* A delta that is being filled. */
    struct delta {
        int rank = -1; /* of what it holds last */
        bool index_first = false; /* the index of its choice comes before it; then something may pass */
        bool may_pass = false;
        talk_pen::members members;
        std::vector<std::string> details, content, calls;
        std::vector<size_t> items; /* of the choice, whose turn it is */
        bool ends = false;
    };

    /* What passes comes before all else of its chunk, and images that do not pass come next. */
    enum { PASSES, IMAGES, REASONING, CONTENT, REFUSAL, CALLS, AUDIO, OTHERS };
    enum { LARGE_AUDIO = 100, ANY_IMAGE }; /* what passes, or is stored: the same as the ranks above */
    enum { INDEX, INDEX_FROM_ABOVE, NO_INDEX, SAME_INDEX, WHOLE_ARRAY };
    enum { REASONING_CONTENT, REASONING_NAME, BOTH_NAMES, ONLY_DETAILS, CONTENT_ARRAY };

    talk_pen pen;
    talk_body body;
    talk_wire wire;
    size_t thoughts, indices, usage_place;
    bool as_message; /* what is said, and its order, is what one message can hold */
    bool details, mixed, joins;
    bool no_reason = false;
    size_t first_items = 0;                /* of choice 0 */
    std::vector<std::vector<delta>> parts; /* of each choice */

    /* Several calls are open at a time, and only the end of all ends one. */
    bool calls_mix() const { return indices == INDEX || indices == INDEX_FROM_ABOVE; }

    /* A signature that comes late is an item of its own, and does not end the text. */
    static bool may_follow(const talk_items &before, const talk_item &next)
    {
        size_t last = before.size();

        if (last == 0) return !next.is_note();
        if (next.is_note()) return !before[last - 1].is_thought();
        if (next.is_thought()) return !before[last - 1].is_thought();
        while (last > 1 && before[last - 1].is_note())
            last--;
        return next.is_call() || before[last - 1].kind != next.kind || before[last - 1].refusal != next.refusal;
    }

    /* Reasoning, text, refusal, each once, and calls. */
    static bool may_follow_in_message(const talk_items &before, const talk_item &next)
    {
        if (next.is_note()) return false;
        return before.empty() || (next.is_call() && before.back().is_call()) || rank_of(next) > rank_of(before.back());
    }

    talk_rules rules() const
    {
        talk_rules rules;

        rules.refusals = true;
        rules.seals = true;
        rules.signs_calls = true;
        rules.needs_ids = !calls_mix();
        rules.may_follow = as_message ? may_follow_in_message : may_follow;
        return rules;
    }

    std::string detail(const talk_item &item, const std::string &text, const std::string &signature)
    {
        talk_pen::members members = { { "type", item.sealed && !signature.empty() ? "\"reasoning.encrypted\"" : "\"reasoning.text\"" },
                                      { "format", "\"anthropic-claude-v1\"" },
                                      { "index", "0" } };

        if (!text.empty() || pen.dice.once_in(3)) members.emplace_back("text", pen.string(text));
        if (!signature.empty()) members.emplace_back(item.sealed ? "data" : "signature", pen.string(signature));
        else if (pen.dice.once_in(3)) members.emplace_back("signature", pen.dice.once_in(2) ? "\"\"" : "null");
        return pen.object(members);
    }

    /* One turn of an item: adds it to the delta. */
    struct turn {
        int rank;
        std::string text, detail, call;
    };

    /* What is no text and no call: audio, images, and objects that are not known. */
    talk_items with_provider_items(const talk_items &items)
    {
        bool has_audio = false;
        talk_items all;

        for (const talk_item &item : items) {
            if (pen.dice.once_in(6)) {
                all.push_back(provider_item(item.choice, all.size(), !has_audio));
                has_audio |= all.back().name == "audio";
            }
            all.push_back(item);
        }
        return all;
    }

    /* In a message images come before all else, other things after it. */
    talk_items with_provider_items_around(talk_items items, bool has_images)
    {
        uint32_t choice = items.empty() ? 0 : items[0].choice;

        if (has_images && pen.dice.once_in(4)) items.insert(items.begin(), provider_item_of(1, choice, 0, false));
        if (!items.empty() && pen.dice.once_in(4)) items.push_back(provider_item_of(2 * pen.dice.below(2), choice, items.size(), true));
        return items;
    }

    talk_item provider_item(uint32_t choice, size_t number, bool may_be_audio)
    {
        return provider_item_of(pen.dice.below(3), choice, number, may_be_audio);
    }

    talk_item provider_item_of(size_t what, uint32_t choice, size_t number, bool may_be_audio)
    {
        std::string data = pen.dice.once_in(3) ? std::string(2000, 'A') : "QQ==";
        talk_item item;

        item.kind = ELELEM_PART_PROVIDER_ITEM;
        item.choice = choice;
        item.name = what == 1 ? "image_url" : what == 2 && may_be_audio ? "audio" : "x_items";
        if (item.name == "audio") item.signature = data, item.value = talk_string(talk_any_text(pen.dice));
        else if (item.name == "image_url") item.text = pen.object({ { "image_url", pen.object({ { "url", pen.string("data:," + data) } }) } }, false);
        else item.text = pen.object({ { "id", std::to_string(number) + ".50" }, { "data", pen.string(data) } });
        return item;
    }

    /* Its id is in all deltas, its data and transcript in pieces, and when it expires in the last. */
    std::vector<turn> turns_of_audio(talk_item &item)
    {
        static const char *const members[] = { "data", "transcript" };
        std::vector<turn> turns;

        for (const char *member : members)
            for (const std::string &piece : talk_pieces(pen.dice, member[0] == 'd' ? item.signature : item.value.text))
                turns.push_back({ member[0] == 'd' && piece.size() > 1024 ? LARGE_AUDIO : AUDIO, "",
                                  pen.object({ { "id", "\"audio_1\"" }, { member, pen.string(piece) } }, false), "" });
        turns.push_back({ AUDIO, "", "{\"id\":\"audio_1\",\"expires_at\":1.70e9}", "" });
        item.text = "{\"data\":" + pen.string(item.signature) + ",\"id\":\"audio_1\",\"expires_at\":1.70e9,\"transcript\":" + pen.string(item.value.text) + "}";
        return turns;
    }

    std::vector<turn> turns_of_provider(talk_item &item)
    {
        if (item.name == "audio") return turns_of_audio(item);
        return { { item.name == "image_url" ? ANY_IMAGE : OTHERS, "", item.text, "" } };
    }

    void add_provider(delta &to, const talk_item &item, const turn &what)
    {
        if (item.name == "image_url") to.members.emplace_back("images", pen.array({ what.detail }));
        else if (item.name == "audio") to.members.emplace_back("audio", what.detail);
        else to.members.emplace_back("x_items", pen.dice.once_in(2) ? what.detail : pen.array({ what.detail }));
    }

    std::vector<turn> turns_of(talk_item &item, uint32_t index)
    {
        if (item.is_provider()) return turns_of_provider(item);
        return item.is_call() ? turns_of_call(item, index) : turns_of_text(item);
    }

    void add_thought(delta &to, const turn &what)
    {
        std::string text = pen.string(what.text);

        if (!what.detail.empty()) to.details.push_back(what.detail);
        if (what.rank == CONTENT)
            to.content.push_back(pen.object({ { "type", "\"thinking\"" },
                                              { "thinking", pen.array({ pen.object({ { "type", "\"text\"" }, { "text", text } }, false) }) } }, false));
        else if (thoughts != ONLY_DETAILS && (!what.text.empty() || pen.dice.once_in(2))) {
            if (thoughts != REASONING_NAME) to.members.emplace_back("reasoning_content", text);
            if (thoughts == REASONING_NAME || thoughts == BOTH_NAMES) to.members.emplace_back("reasoning", text);
        }
    }

    void add(delta &to, const talk_item &item, const turn &what)
    {
        to.rank = rank_in(to, what);
        to.may_pass |= what.rank >= LARGE_AUDIO;
        if (as_message && what.rank >= LARGE_AUDIO) to.index_first = what.rank == ANY_IMAGE;
        if (item.is_provider()) add_provider(to, item, what);
        else if (item.is_thought()) add_thought(to, what);
        else if (item.is_call()) to.calls.push_back(what.call);
        else if (item.refusal) to.members.emplace_back("refusal", pen.string(what.text));
        else if (thoughts == CONTENT_ARRAY) to.content.push_back(pen.object({ { "type", "\"text\"" }, { "text", pen.string(what.text) } }, false));
        else to.members.emplace_back("content", pen.string(what.text));
    }

    static int rank_of(const talk_item &item)
    {
        if (item.is_call()) return CALLS;
        if (item.is_thought()) return REASONING;
        return item.refusal ? REFUSAL : CONTENT;
    }

    std::vector<turn> turns_of_text(const talk_item &item)
    {
        std::vector<turn> turns;
        int rank = rank_of(item);

        if (item.is_thought() && thoughts == CONTENT_ARRAY) rank = CONTENT;
        if (!item.text.empty())
            for (const std::string &piece : talk_pieces(pen.dice, item.text))
                turns.push_back({ rank, piece, "", "" });
        if (!item.is_thought()) return turns;
        for (turn &one : turns)
            if (thoughts != CONTENT_ARRAY && (details || thoughts == ONLY_DETAILS)) one.detail = detail(item, one.text, "");
        if (item.signature.empty()) return turns;
        bool alone = turns.empty() || thoughts == CONTENT_ARRAY || !turns.back().detail.empty() || pen.dice.once_in(2);
        if (alone) turns.push_back({ REASONING, "", "", "" });
        turns.back().detail = detail(item, "", item.signature);
        return turns;
    }

    std::string call(uint32_t index, talk_pen::members members, const talk_pen::members &function)
    {
        if (indices != NO_INDEX && indices != WHOLE_ARRAY) members.emplace_back("index", pen.number(index));
        if (pen.dice.once_in(2)) members.emplace_back("type", "\"function\"");
        if (!function.empty() || pen.dice.once_in(2)) members.emplace_back("function", pen.object(function));
        return pen.object(members, false);
    }

    std::string extra(const talk_item &item)
    {
        return pen.value(talk_object_of("google", talk_object_of("thought_signature", talk_string(item.signature))));
    }

    /* {} may be left out in several ways. */
    void put_whole_arguments(talk_pen::members &function, talk_item &item)
    {
        size_t way = pen.dice.below(item.value.children.empty() ? 5 : 2);
        std::string text = pen.value(item.value);

        item.bare = way > 1;
        if (way == 0) function.emplace_back("arguments", pen.string(text));
        if (way == 1) function.emplace_back("arguments", text);
        if (way == 2) function.emplace_back("arguments", "\"\"");
        if (way == 3) function.emplace_back("arguments", "null");
    }

    turn repeated(const talk_item &item, uint32_t index, const std::string &piece)
    {
        talk_pen::members members, function = { { "arguments", pen.string(piece) } };

        switch (pen.dice.below(4)) {
        case 1: members.emplace_back("id", pen.string(item.id)); function.emplace_back("name", pen.string(item.name)); break;
        case 2: members.emplace_back("id", "\"\""); function.emplace_back("name", "\"\""); break;
        case 3: members.emplace_back("id", "null"); function.emplace_back("name", "null"); break;
        default: break;
        }
        return { CALLS, "", "", call(index, members, function) };
    }

    std::vector<turn> turns_of_call(talk_item &item, uint32_t index)
    {
        talk_pen::members id, name = { { "name", pen.string(item.name) } };
        std::vector<turn> turns;
        if (!item.id.empty()) id.emplace_back("id", pen.string(item.id));
        if (!item.signature.empty()) id.emplace_back("extra_content", extra(item));
        if (indices == WHOLE_ARRAY || pen.dice.once_in(3)) {
            put_whole_arguments(name, item);
            return { { CALLS, "", "", call(index, id, name) } };
        }
        if (calls_mix() && !item.id.empty() && pen.dice.once_in(4)) {
            bool id_first = pen.dice.once_in(2);
            turns.push_back({ CALLS, "", "", call(index, id_first ? id : talk_pen::members(), id_first ? talk_pen::members() : name) });
            turns.push_back({ CALLS, "", "", call(index, id_first ? talk_pen::members() : id, id_first ? name : talk_pen::members()) });
        } else {
            if (pen.dice.once_in(2)) name.emplace_back("arguments", "\"\"");
            turns.push_back({ CALLS, "", "", call(index, id, name) });
        }
        item.bare = item.value.children.empty() && !pen.dice.once_in(2);
        if (!item.bare)
            for (const std::string &piece : talk_pieces(pen.dice, pen.value(item.value)))
                turns.push_back(repeated(item, index, piece));
        return turns;
    }

    bool fits(const delta &to, const talk_item &item, const turn &what, bool is_first) const
    {
        if (to.rank < 0) return true;
        if (item.is_call() && to.rank == CALLS) return indices == WHOLE_ARRAY ? is_first : indices != NO_INDEX && joins;
        if (what.rank == CONTENT && to.rank == CONTENT && thoughts == CONTENT_ARRAY) return joins;
        if (as_message && to.may_pass && what.rank == LARGE_AUDIO) return false;
        return joins && rank_in(to, what) > to.rank;
    }

    int rank_in(const delta &to, const turn &what) const
    {
        if (what.rank < LARGE_AUDIO) return what.rank;
        if (as_message) return what.rank == LARGE_AUDIO ? AUDIO : PASSES;
        if (what.rank == ANY_IMAGE && what.detail.size() < 300) return IMAGES;
        return to.index_first ? PASSES : what.rank == LARGE_AUDIO ? AUDIO : IMAGES;
    }

    delta any_delta()
    {
        delta made;

        made.index_first = pen.dice.once_in(2);
        return made;
    }

    std::vector<delta> parts_of(talk_items &items)
    {
        std::vector<std::vector<turn>> turns;
        std::vector<talk_turn> counts;
        std::vector<size_t> taken(items.size(), 0);
        std::vector<delta> deltas(1, any_delta());
        uint32_t index = indices == INDEX_FROM_ABOVE ? 1 + (uint32_t)pen.dice.below(3) : 0;

        for (talk_item &item : items) {
            turns.push_back(turns_of(item, index));
            item.key = index;
            counts.push_back({ turns.back().size(), !item.is_provider() && (!item.is_call() || !calls_mix()), item.is_aside() });
            if (item.is_call() && indices != SAME_INDEX) index++;
        }
        for (size_t one : talk_turns(pen.dice, counts, mixed)) {
            const turn &what = turns[one][taken[one]];
            bool joined = pen.dice.once_in(2) || indices == WHOLE_ARRAY;
            if (deltas.back().rank >= 0 && !(joined && fits(deltas.back(), items[one], what, taken[one] == 0))) deltas.push_back(any_delta());
            if (indices == NO_INDEX || indices == WHOLE_ARRAY) items[one].key = (uint32_t)deltas.back().calls.size();
            add(deltas.back(), items[one], what);
            deltas.back().items.push_back(one);
            taken[one]++;
        }
        if (deltas.back().rank >= 0 && !(joins && pen.dice.once_in(2))) deltas.push_back(delta());
        deltas.back().ends = true;
        return deltas;
    }

    /* A call ends when another takes its number, a text when an item of another kind begins. */
    static void tell_ended(talk_items &items)
    {
        for (size_t i = 0; i < items.size(); i++)
            for (size_t k = i + 1; k < items.size(); k++)
                items[i].ended |= items[i].is_call() ? items[k].is_call() && items[k].key == items[i].key : !items[k].is_aside();
    }

    /* What is known of the items only now. */
    void tell()
    {
        for (talk_item &item : wire.items) {
            if (no_reason && !item.is_call()) item.ended = true;
            if (item.is_thought() && !item.signature.empty()) item.metadata["reasoning_details"] = talk_string(item.signature);
            if (item.is_call() && !item.signature.empty())
                item.metadata["extra_content"] =
                    talk_object_of("google", talk_object_of("thought_signature", talk_string(item.signature)));
        }
    }

    void end()
    {
        static const talk_reason reasons[] = {
            { "stop", ELELEM_FINISH_COMPLETED },         { "tool_calls", ELELEM_FINISH_TOOL_CALLS },
            { "length", ELELEM_FINISH_MAX_TOKENS },      { "content_filter", ELELEM_FINISH_CONTENT_FILTER },
            { "eos", ELELEM_FINISH_COMPLETED },          { "end_turn", ELELEM_FINISH_COMPLETED },
            { "model_length", ELELEM_FINISH_MAX_TOKENS }, { "function_call", ELELEM_FINISH_TOOL_CALLS },
            { "tool_use", ELELEM_FINISH_TOOL_CALLS },    { "stop_sequence", ELELEM_FINISH_COMPLETED },
            { "other", ELELEM_FINISH_OTHER },
        };

        talk_any_reason(pen.dice, reasons, wire, true);
        talk_any_usage(pen.dice, wire.end);
        if (usage_place == 0) std::fill(wire.end.usage, wire.end.usage + 4, -1);
        no_reason = parts.size() == 1 && pen.dice.once_in(10);
        if (no_reason) wire.end.raw = "", wire.end.reason = talk_completed(wire.items), wire.end.own = false;
        tell();
    }

    std::string usage()
    {
        const int64_t *counts = wire.end.usage;
        talk_pen::members all = { { "total_tokens", "99" } };

        if (counts[0] >= 0) all.emplace_back("prompt_tokens", pen.number(counts[0]));
        if (counts[1] >= 0) all.emplace_back("completion_tokens", pen.number(counts[1]));
        if (counts[2] >= 0) all.emplace_back("prompt_tokens_details", pen.object({ { "cached_tokens", pen.number(counts[2]) } }));
        if (counts[3] >= 0) all.emplace_back("completion_tokens_details", pen.object({ { "reasoning_tokens", pen.number(counts[3]) } }));
        return pen.object(all);
    }

    std::string choice(size_t number, delta &of)
    {
        talk_pen::members all = { { "index", pen.number((int64_t)number) } };

        bool has_index = number > 0 || no_reason || !pen.dice.once_in(8) || (of.may_pass && of.index_first);

        if (!has_index || of.may_pass) all.clear();
        if (!of.details.empty()) of.members.emplace_back("reasoning_details", pen.array(of.details));
        if (!of.content.empty()) of.members.emplace_back("content", pen.array(of.content));
        if (!of.calls.empty()) of.members.emplace_back("tool_calls", pen.array(of.calls));
        if (pen.dice.once_in(4)) of.members.emplace_back("role", "\"assistant\"");
        if (of.rank < CONTENT && pen.dice.once_in(4)) of.members.emplace_back("content", pen.dice.once_in(2) ? "\"\"" : "null");
        if (of.calls.empty() && pen.dice.once_in(6)) of.members.emplace_back("tool_calls", pen.dice.once_in(2) ? "[]" : "null");
        bool has_delta = !of.ends || !of.members.empty() || !pen.dice.once_in(4);
        if (has_delta) all.emplace_back("delta", pen.object(of.members, false));
        if (has_delta && pen.dice.once_in(8)) all.emplace_back("message", "{\"role\":\"assistant\",\"content\":\"so far\"}");
        if (of.ends && !no_reason) all.emplace_back("finish_reason", pen.string(wire.end.raw));
        else if (!pen.dice.once_in(3)) all.emplace_back("finish_reason", pen.dice.once_in(6) ? "\"\"" : "null");
        std::string out = pen.object(all), index = "\"index\":" + pen.number((int64_t)number);
        if (of.may_pass && of.index_first) return "{" + index + "," + out.substr(1);
        return of.may_pass && has_index ? out.substr(0, out.size() - 1) + "," + index + "}" : out;
    }

    size_t chunk(const std::vector<std::string> &choices, bool is_last)
    {
        talk_pen::members all = { { "choices", pen.array(choices) } };

        if (pen.dice.once_in(2)) all.emplace_back("id", "\"chatcmpl-1\"");
        if (pen.dice.once_in(2)) all.emplace_back("object", pen.dice.once_in(4) ? "\"\"" : "\"chat.completion.chunk\"");
        if (pen.dice.once_in(4)) all.emplace_back("p", "\"abcdefg\"");
        if ((is_last && usage_place == 2) || usage_place == 3) all.emplace_back("usage", usage());
        else if (is_last && usage_place == 4) all.emplace_back("x_groq", pen.object({ { "usage", usage() } }));
        else if (pen.dice.once_in(3)) all.emplace_back("usage", "null");
        return body.frame("", pen.object(all));
    }

    void write()
    {
        std::vector<talk_turn> counts;
        std::vector<size_t> taken(parts.size(), 0);
        std::vector<size_t> order;
        bool decided = false;

        for (const auto &deltas : parts)
            counts.push_back({ deltas.size(), false, false });
        order = talk_turns(pen.dice, counts, true);
        for (size_t i = 0; i < order.size(); i++) {
            std::vector<std::string> choices;
            bool ends = false;
            std::vector<size_t> said;
            for (size_t first = i; i < order.size(); i++) {
                delta &of = parts[order[i]][taken[order[i]]++];
                ends |= of.ends;
                for (size_t item : of.items)
                    said.push_back((order[i] > 0 ? first_items : 0) + item);
                choices.push_back(choice(order[i], of));
                if (i + 1 == order.size() || order[i + 1] == order[first] || i > first || !pen.dice.once_in(3)) break;
            }
            size_t last = chunk(choices, i + 1 == order.size());
            for (size_t item : said)
                if (!calls_mix()) wire.items[item].whole = last;
            if (ends && !no_reason && !decided) wire.undecided = last;
            decided |= ends && !no_reason;
        }
        close();
    }

    void close()
    {
        bool again = !no_reason && pen.dice.once_in(5);

        if (again) {
            talk_pen::members last = { { "index", "0" }, { "delta", "{}" }, { "finish_reason", pen.string(wire.end.raw) } };
            chunk({ pen.object(last) }, true);
        }
        if (usage_place == 1) body.frame("", pen.object({ { "choices", "[]" }, { "usage", usage() } }));
        if (no_reason || !pen.dice.once_in(5)) {
            size_t last = body.frame("", "[DONE]");
            if (no_reason) wire.undecided = last;
            if (pen.dice.once_in(5)) body.frame("", "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"too late\"}}]}");
        }
        body.close();
        wire.bytes = body.bytes;
    }
};

inline talk_wire talk_chat(const json_dice &dice)
{
    return talk_chat_writer(dice).written();
}

inline talk_wire talk_chat_message(const json_dice &dice)
{
    return talk_chat_writer(dice, true).written();
}

/* Messages. */

class talk_messages_writer {
public:
    explicit talk_messages_writer(const json_dice &drawn, bool as_one = false) : pen(drawn), body(pen)
    {
        json_dice &dice = pen.dice;

        wire.shape = &elelem_shape_messages;
        wire.structured = dice.once_in(4);
        mixed = dice.once_in(4) && !as_one; /* one after the other, as in a list */
        untyped = dice.once_in(6);
        lazy = dice.once_in(6) && !as_one; /* in a list every block is over */
        body.needs_names = untyped;
        body.names = untyped || !dice.once_in(4);
        if (!untyped) body.idle = { "{\"type\":\"ping\"}", "{\"type\":\"x_new\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"no\"}}" };
    }

    talk_wire written()
    {
        talk_rules rules;

        rules.seals = true;
        for (const talk_item &item : talk_any_items(pen, rules, wire.structured, 0)) {
            if (pen.dice.once_in(6)) wire.items.push_back(provider_item());
            wire.items.push_back(item);
        }
        end();
        start();
        blocks();
        stop();
        body.close();
        wire.bytes = body.bytes;
        return wire;
    }

private:
    struct frame {
        const char *type;
        talk_pen::members members;
    };
    typedef std::vector<frame> frames;

    talk_pen pen;
    talk_body body;
    talk_wire wire;
    bool mixed, untyped;
    bool lazy; /* blocks are not stopped one by one */

    size_t put(frame what)
    {
        if (!untyped) what.members.emplace_back("type", pen.string(what.type));
        return body.frame(what.type, pen.object(what.members));
    }

    void end()
    {
        static const talk_reason reasons[] = {
            { "end_turn", ELELEM_FINISH_COMPLETED },   { "tool_use", ELELEM_FINISH_TOOL_CALLS },
            { "max_tokens", ELELEM_FINISH_MAX_TOKENS }, { "refusal", ELELEM_FINISH_CONTENT_FILTER },
            { "stop_sequence", ELELEM_FINISH_COMPLETED }, { "model_context_window_exceeded", ELELEM_FINISH_MAX_TOKENS },
            { "pause_turn", ELELEM_FINISH_CONTINUE },
        };

        talk_any_reason(pen.dice, reasons, wire, false);
        if (wire.end.raw == "end_turn") wire.end.reason = talk_completed(wire.items);
        talk_any_usage(pen.dice, wire.end);
        for (talk_item &item : wire.items)
            if (!item.signature.empty()) item.metadata[item.sealed ? "redacted_data" : "signature"] = talk_string(item.signature);
    }

    /* Counts go up; each of the two frames may leave some out. */
    std::string usage(bool is_last)
    {
        static const char *const keys[] = { "input_tokens", "output_tokens", "cache_read_input_tokens" };
        talk_pen::members all = { { "service_tier", "\"standard\"" } };

        for (size_t i = 0; i < 3; i++) {
            int64_t count = wire.end.usage[i];
            if (count < 0 || (!is_last && pen.dice.once_in(2))) continue;
            all.emplace_back(keys[i], pen.number(is_last ? count : count / 2));
        }
        if (is_last && wire.end.usage[3] >= 0)
            all.emplace_back("output_tokens_details", pen.object({ { "thinking_tokens", pen.number(wire.end.usage[3]) } }));
        return pen.object(all);
    }

    void start()
    {
        frame first = { "message_start", { { "message", pen.object({ { "id", "\"msg_1\"" }, { "type", "\"message\"" }, { "content", "[]" },
                                                                     { "stop_reason", "null" }, { "usage", usage(false) } }) } } };

        put(first);
        if (pen.dice.once_in(10)) put(first);
    }

    frame delta(size_t number, const char *type, const char *member, const std::string &text)
    {
        return { "content_block_delta", { index(number), { "delta", pen.object({ { "type", pen.string(type) }, { member, pen.string(text) } }) } } };
    }

    static talk_pen::member index(size_t number) { return { "index", std::to_string(number) }; }

    /* A text, of which a part may be in the start. Of reasoning no part is if the first piece with text is equal to it: a reader
       takes that for a repetition. */
    void add_text(frames &to, size_t number, talk_pen::members &block, const talk_item &item, const char *type, const char *member)
    {
        size_t early = pen.dice.once_in(8) && !item.text.empty() ? talk_character(item.text, 0) : 0;
        std::string start = item.text.substr(0, early);
        std::vector<std::string> pieces = talk_pieces(pen.dice, item.text.substr(early));
        size_t first = 0;

        while (first + 1 < pieces.size() && pieces[first].empty())
            first++;
        if (item.is_thought() && pieces[first] == start) {
            pieces[first] += start;
            start.clear();
        }
        block.emplace_back(member, pen.string(start));
        for (const std::string &piece : pieces)
            to.push_back(delta(number, type, member, piece));
    }

    void add_signature(frames &to, size_t number, talk_pen::members &block, const talk_item &item)
    {
        bool early = pen.dice.once_in(6);

        if (early || pen.dice.once_in(2)) block.emplace_back("signature", pen.string(early ? item.signature : ""));
        if (early || item.signature.empty()) return;
        for (const std::string &piece : talk_pieces(pen.dice, item.signature))
            to.push_back(delta(number, "signature_delta", "signature", piece));
    }

    void add_call(frames &to, size_t number, talk_pen::members &block, talk_item &item)
    {
        bool whole = pen.dice.once_in(5);

        item.bare = item.value.children.empty() && (whole || !pen.dice.once_in(3));

        block.emplace_back("id", pen.string(item.id));
        block.emplace_back("name", pen.string(item.name));
        block.emplace_back("input", whole ? pen.value(item.value) : "{}");
        if (whole || pen.dice.once_in(2)) to.push_back(delta(number, "input_json_delta", "partial_json", ""));
        if (whole || item.bare) return;
        for (const std::string &piece : talk_pieces(pen.dice, pen.value(item.value)))
            to.push_back(delta(number, "input_json_delta", "partial_json", piece));
    }

    static const char *type_of(const talk_item &item)
    {
        if (item.is_call()) return "tool_use";
        if (!item.is_thought()) return "text";
        return item.sealed ? "redacted_thinking" : "thinking";
    }

    /* A block of the provider's own tools, or of a type that is not known. Without a stop, the reason ends the input of a tool, or cuts
       it off. */
    talk_item provider_item()
    {
        static const char *const items[][2] = {
            { "web_search_tool_result", "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}" },
            { "x_new", "{\"type\":\"x_new\",\"n\":[1.50,null],\"text\":\"no\"}" },
            { "server_tool_use", "{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{\"query\":1}}" },
        };
        size_t which = pen.dice.below(3);
        talk_item item;

        item.kind = ELELEM_PART_PROVIDER_ITEM;
        item.name = items[which][0];
        item.text = items[which][1];
        item.bare = lazy && which == 2;
        return item;
    }

    frames frames_of_provider(size_t number, const talk_item &item)
    {
        size_t input = item.name == "server_tool_use" ? item.text.find("{\"query\"") : std::string::npos;
        std::string start = input == std::string::npos ? item.text : item.text.substr(0, input) + "{}}";
        bool is_new = item.name == "x_new";

        if (is_new) start.replace(start.size() - 4, 2, "n"); /* the delta brings the other letter of "no" */
        frames all = { { "content_block_start", { index(number), { "content_block", start } } } };

        if (is_new) all.push_back({ "content_block_delta", { index(number), { "delta", "{\"type\":\"x_delta\",\"text\":\"o\"}" } } }); /* each member counts */
        else if (input == std::string::npos) all.push_back(delta(number, "x_delta", "text", "no"));
        else
            for (const std::string &piece : talk_pieces(pen.dice, item.text.substr(input, item.text.size() - 1 - input)))
                all.push_back(delta(number, "input_json_delta", "partial_json", piece));
        if (!lazy) all.push_back({ "content_block_stop", { index(number) } });
        return all;
    }

    frames frames_of(size_t number, talk_item &item)
    {
        if (item.is_provider()) return frames_of_provider(number, item);

        talk_pen::members block = { { "type", pen.string(type_of(item)) } };
        frames all(1), deltas;

        if (item.is_call()) add_call(deltas, number, block, item);
        else if (!item.is_thought()) add_text(deltas, number, block, item, "text_delta", "text");
        else if (item.sealed) block.emplace_back("data", pen.string(item.signature));
        else {
            if (item.text.empty()) block.emplace_back("thinking", "\"\"");
            else add_text(deltas, number, block, item, "thinking_delta", "thinking");
            add_signature(deltas, number, block, item);
        }
        all[0] = { "content_block_start", { index(number), { "content_block", pen.object(block) } } };
        all.insert(all.end(), deltas.begin(), deltas.end());
        if (!lazy) all.push_back({ "content_block_stop", { index(number) } });
        return all;
    }

    /* A text without text. */
    frames frames_of_nothing(size_t number)
    {
        frames all = { { "content_block_start", { index(number), { "content_block", "{\"type\":\"text\",\"text\":\"\"}" } } } };

        all.push_back(delta(number, "text_delta", "text", ""));
        if (!lazy) all.push_back({ "content_block_stop", { index(number) } });
        return all;
    }

    void blocks()
    {
        std::vector<frames> all;
        std::vector<talk_turn> counts;
        std::vector<size_t> taken;
        std::vector<talk_item *> items;

        for (talk_item &item : wire.items) {
            if (pen.dice.once_in(8)) all.push_back(frames_of_nothing(all.size()));
            if (item.sealed) item.text = "";
            items.resize(all.size());
            items.push_back(&item);
            all.push_back(frames_of(all.size(), item));
        }
        for (const frames &some : all)
            counts.push_back({ some.size(), false, false });
        taken.resize(all.size());
        for (size_t one : talk_turns(pen.dice, counts, mixed)) {
            const frame &next = all[one][taken[one]++];
            size_t last = put(next);
            for (size_t i = 0; i < items.size() && strcmp(next.type, "content_block_stop") != 0; i++)
                if (i != one && items[i] && !lazy && taken[i] == all[i].size()) items[i]->ended = true;
            if (!items[one] || lazy) continue;
            items[one]->whole = last;
            items[one]->ends = !items[one]->is_undecided();
        }
    }

    void stop()
    {
        talk_pen::members members = { { "stop_reason", pen.string(wire.end.raw) } };
        bool early = pen.dice.once_in(8);

        if (pen.dice.once_in(2)) members.emplace_back("stop_sequence", wire.end.raw == "stop_sequence" ? "\"END\"" : "null");
        if (early) put({ "message_delta", { { "delta", "{\"stop_reason\":null}" }, { "usage", usage(false) } } });
        wire.undecided = put({ "message_delta", { { "delta", pen.object(members) }, { "usage", usage(true) } } });
        put({ "message_stop", {} });
        if (pen.dice.once_in(8)) body.frame("", "[DONE]");
    }
};

inline talk_wire talk_messages(const json_dice &dice)
{
    return talk_messages_writer(dice).written();
}

inline talk_wire talk_messages_in_order(const json_dice &dice)
{
    return talk_messages_writer(dice, true).written();
}

/* Interactions. Each item is a step; the whole interaction is written next to its stream. */

class talk_interactions_writer {
public:
    explicit talk_interactions_writer(const json_dice &drawn, bool as_one = false) : pen(drawn), body(pen)
    {
        json_dice &dice = pen.dice;

        wire.shape = &elelem_shape_interactions;
        wire.structured = dice.once_in(4);
        mixed = dice.once_in(4) && !as_one; /* one after the other, as in a list */
        untyped = dice.once_in(6);
        lazy = dice.once_in(6) && !as_one; /* in a list every step is over */
        body.needs_names = untyped;
        body.names = untyped || !dice.once_in(4);
        if (!untyped)
            body.idle = { "{\"event_type\":\"interaction.status_update\",\"status\":\"in_progress\"}",
                          "{\"event_type\":\"x_new\",\"index\":0,\"delta\":{\"type\":\"text\",\"text\":\"no\"}}" };
    }

    talk_wire written()
    {
        talk_rules rules;

        rules.signs_calls = true;
        for (const talk_item &item : talk_any_items(pen, rules, wire.structured, 0)) {
            if (pen.dice.once_in(6)) wire.items.push_back(provider_item());
            wire.items.push_back(item);
        }
        end();
        put({ "interaction.created", { { "interaction", "{\"id\":\"v1_1\",\"status\":\"in_progress\",\"object\":\"interaction\"}" },
                                       { "metadata", pen.object({ { "usage", usage(false) } }) } } });
        write_steps();
        wire.undecided = put({ "interaction.completed", { { "interaction", interaction({}) } } });
        if (pen.dice.once_in(2)) body.frame("done", "[DONE]");
        wire.whole = interaction({ { "steps", pen.array(steps) } });
        body.close();
        wire.bytes = body.bytes;
        return wire;
    }

private:
    struct frame {
        const char *type;
        talk_pen::members members;
    };
    typedef std::vector<frame> frames;

    talk_pen pen;
    talk_body body;
    talk_wire wire;
    bool mixed, untyped;
    bool lazy; /* steps are not stopped one by one */
    std::vector<std::string> steps;

    size_t put(frame what)
    {
        if (!untyped) what.members.emplace_back("event_type", pen.string(what.type));
        return body.frame(what.type, pen.object(what.members));
    }

    void end()
    {
        static const talk_reason reasons[] = {
            { "completed", ELELEM_FINISH_COMPLETED }, { "requires_action", ELELEM_FINISH_TOOL_CALLS },
            { "incomplete", ELELEM_FINISH_MAX_TOKENS }, { "budget_exceeded", ELELEM_FINISH_OTHER },
            { "cancelled", ELELEM_FINISH_OTHER },       { "requires_continuation", ELELEM_FINISH_OTHER },
        };

        talk_any_reason(pen.dice, reasons, wire, true);
        talk_any_usage(pen.dice, wire.end);
        for (talk_item &item : wire.items) {
            if (item.is_provider()) item.metadata["step"] = talk_string(item.name);
            else if (!item.signature.empty()) item.metadata["step_signature"] = talk_string(item.signature);
        }
    }

    std::string usage(bool is_last)
    {
        static const char *const keys[] = { "total_input_tokens", "total_output_tokens", "total_cached_tokens", "total_thought_tokens" };
        talk_pen::members all = { { "total_tool_use_tokens", "0" } };

        for (size_t i = 0; i < 4; i++) {
            int64_t count = wire.end.usage[i];
            if (count >= 0 && (is_last || pen.dice.once_in(2))) all.emplace_back(keys[i], pen.number(is_last ? count : count / 2));
        }
        return pen.object(all);
    }

    std::string interaction(talk_pen::members members)
    {
        members.emplace_back("id", "\"v1_1\"");
        members.emplace_back("status", pen.string(wire.end.raw));
        members.emplace_back("usage", usage(true));
        members.emplace_back("object", "\"interaction\"");
        return pen.object(members);
    }

    static talk_pen::member index(size_t number) { return { "index", std::to_string(number) }; }

    frame start(size_t number, const talk_pen::members &step) { return { "step.start", { index(number), { "step", pen.object(step, false) } } }; }

    frame delta(size_t number, const char *type, const char *member, const std::string &value)
    {
        return { "step.delta", { index(number), { "delta", pen.object({ { "type", pen.string(type) }, { member, value } }, false) } } };
    }

    std::string text_content(const std::string &text) { return pen.object({ { "type", "\"text\"" }, { "text", pen.string(text) } }, false); }

    frames frames_of_text(size_t number, const talk_item &item)
    {
        size_t early = pen.dice.once_in(8) && !item.text.empty() ? talk_character(item.text, 0) : 0;
        talk_pen::members step = { { "type", "\"model_output\"" } };
        frames all;

        if (early) step.emplace_back("content", pen.array({ text_content(item.text.substr(0, early)) }));
        all.push_back(start(number, step));
        for (const std::string &piece : talk_pieces(pen.dice, item.text.substr(early)))
            all.push_back(delta(number, "text", "text", pen.string(piece)));
        steps.push_back(pen.object({ { "type", "\"model_output\"" }, { "content", pen.array({ text_content(item.text) }) } }, false));
        return all;
    }

    /* Each text of the summary is a part. */
    frames frames_of_thought(size_t number, talk_item &item)
    {
        bool early = pen.dice.once_in(6);
        talk_pen::members step = { { "type", "\"thought\"" } }, whole = step;
        std::vector<std::string> summary;
        json_value offsets;
        size_t bytes = 0;
        frames all;

        if (!item.signature.empty()) whole.emplace_back("signature", pen.string(item.signature));
        if (early && !item.signature.empty()) step.emplace_back("signature", pen.string(item.signature));
        all.push_back(start(number, step));
        for (const std::string &piece : talk_pieces(pen.dice, item.text)) {
            if (!piece.empty() && bytes > 0) {
                json_value offset = talk_number((int64_t)bytes);
                offset.name.is_element = true;
                offset.name.index = (uint32_t)offsets.children.size();
                offsets.children.push_back(offset);
            }
            bytes += piece.size();
            summary.push_back(text_content(piece));
            all.push_back(delta(number, "thought_summary", "content", text_content(piece)));
            if (pen.dice.once_in(4)) all.push_back(delta(number, "thought_signature", "signature", "\"\""));
        }
        if (!early && !item.signature.empty()) all.push_back(delta(number, "thought_signature", "signature", pen.string(item.signature)));
        offsets.type = ELELEM_TYPE_ARRAY;
        if (!offsets.children.empty()) item.metadata["part_offsets"] = offsets;
        if (!item.text.empty()) whole.emplace_back("summary", pen.array(summary));
        steps.push_back(pen.object(whole, false));
        return all;
    }

    frames frames_of_call(size_t number, talk_item &item)
    {
        bool whole = pen.dice.once_in(5);
        talk_pen::members step = { { "type", "\"function_call\"" }, { "id", pen.string(item.id) }, { "name", pen.string(item.name) } };
        frames all;

        if (!item.signature.empty() || pen.dice.once_in(2)) step.emplace_back("signature", pen.string(item.signature));
        /* What a step begins with may be replaced until it is stopped. */
        item.bare = item.value.children.empty() ? whole || !pen.dice.once_in(3) : whole && lazy;
        talk_pen::members listed = step;
        listed.emplace_back("arguments", pen.value(item.value));
        steps.push_back(pen.object(listed, false));
        if (whole || !pen.dice.once_in(4)) step.emplace_back("arguments", whole ? pen.value(item.value) : "{}");
        all.push_back(start(number, step));
        if (whole || item.bare) return all;
        for (const std::string &piece : talk_pieces(pen.dice, pen.value(item.value)))
            all.push_back(delta(number, "arguments_delta", "arguments", pen.string(piece)));
        return all;
    }

    /* A step of the provider's own tools, or of a type that is not known. */
    talk_item provider_item()
    {
        static const char *const items[][2] = {
            { "google_search_call", "{\"type\":\"google_search_call\",\"id\":\"s1\",\"arguments\":{\"n\":[1.50,null]},\"signature\":\"c2ln\"}" },
            { "google_search_result", "{\"type\":\"google_search_result\",\"call_id\":\"s1\",\"result\":[{\"text\":\"no\"}],\"signature\":\"\"}" },
            { "x_new", "{\"type\":\"x_new\",\"n\":[1.50,null],\"arguments\":{}}" },
        };
        size_t which = pen.dice.below(lazy ? 2 : 3);
        talk_item item;

        item.kind = ELELEM_PART_PROVIDER_ITEM;
        item.name = items[which][0];
        item.text = items[which][1];
        item.bare = lazy;
        return item;
    }

    frames frames_of_provider(size_t number, const talk_item &item)
    {
        frames all;

        if (item.name == "google_search_call") {
            all.push_back(start(number, { { "type", "\"google_search_call\"" }, { "id", "\"s1\"" }, { "signature", "\"\"" }, { "arguments", "{}" } }));
            all.push_back({ "step.delta", { index(number), { "delta", "{\"type\":\"google_search_call\",\"arguments\":{\"n\":[1.50,null]},\"signature\":\"c2ln\"}" } } });
        } else if (item.name == "google_search_result") {
            all.push_back(start(number, { { "type", "\"google_search_result\"" }, { "call_id", "\"s1\"" }, { "signature", "\"\"" } }));
            all.push_back({ "step.delta", { index(number), { "delta", "{\"type\":\"google_search_result\",\"result\":[{\"text\":\"no\"}]}" } } });
        } else {
            all.push_back({ "step.start", { index(number), { "step", item.text } } });
        }
        steps.push_back(item.text);
        return all;
    }

    frames frames_of(size_t number, talk_item &item)
    {
        frames all = item.is_provider() ? frames_of_provider(number, item) : item.is_call() ? frames_of_call(number, item)
                   : item.is_thought() ? frames_of_thought(number, item) : frames_of_text(number, item);

        if (!lazy) all.push_back({ "step.stop", { index(number) } });
        return all;
    }

    void write_steps()
    {
        std::vector<frames> all;
        std::vector<talk_turn> counts;
        std::vector<size_t> taken;

        for (talk_item &item : wire.items)
            all.push_back(frames_of(all.size(), item));
        for (const frames &some : all)
            counts.push_back({ some.size(), false, false });
        taken.resize(all.size());
        for (size_t one : talk_turns(pen.dice, counts, mixed)) {
            const frame &next = all[one][taken[one]++];
            size_t last = put(next);
            for (size_t i = 0; i < all.size() && strcmp(next.type, "step.stop") != 0; i++)
                if (i != one && !lazy && taken[i] == all[i].size()) wire.items[i].ended = true;
            if (lazy) continue;
            wire.items[one].whole = last;
            wire.items[one].ends = !wire.items[one].is_undecided();
        }
    }
};

inline talk_wire talk_interactions(const json_dice &dice)
{
    return talk_interactions_writer(dice).written();
}

inline talk_wire talk_interactions_in_order(const json_dice &dice)
{
    return talk_interactions_writer(dice, true).written();
}

/* Gemini. */

class talk_gemini_writer {
public:
    explicit talk_gemini_writer(const json_dice &drawn) : pen(drawn), body(pen)
    {
        json_dice &dice = pen.dice;

        wire.shape = &elelem_shape_gemini;
        wire.structured = dice.once_in(4);
        in_pieces = dice.once_in(2);
        always_ends = !in_pieces && dice.once_in(4);
        usage_place = dice.below(3);
        body.is_array = dice.once_in(4);
        if (body.is_array) body.bytes = "";
        body.idle = { "{\"candidates\":[{\"content\":{}}]}", "{\"candidates\":[{\"content\":{\"role\":\"model\"},\"index\":0}],\"responseId\":\"r\"}", "{}" };
    }

    talk_wire written()
    {
        size_t choices = pen.dice.once_in(6) ? 2 : 1;

        for (uint32_t number = 0; number < choices; number++) {
            talk_items items = talk_any_items(pen, rules(), wire.structured, number);
            parts.emplace_back();
            for (size_t i = 0; i < items.size(); i++) {
                talk_item &item = items[i];
                bool has_next = std::any_of(items.begin() + (std::ptrdiff_t)i + 1, items.end(), [](const talk_item &next) { return next.is_call(); });
                if (item.is_note() && !item.is_call()) item.kind = note_kind();
                owners.resize(number + 1);
                if (pen.dice.once_in(6)) add_provider_item(number);
                add_parts(parts.back(), item, has_next);
                for (size_t k = i + 1; k < items.size(); k++)
                    item.ended |= !item.is_call() || items[k].is_call() || !items[k].text.empty();
                owners.back().resize(parts.back().size(), wire.items.size());
                if (!item.signature.empty()) item.metadata["thought_signature"] = talk_string(item.signature);
                wire.items.push_back(item);
            }
        }
        end();
        write();
        return wire;
    }

private:
    talk_pen pen;
    talk_body body;
    talk_wire wire;
    bool in_pieces, always_ends;
    size_t usage_place;
    std::vector<std::vector<std::string>> parts; /* of each choice */
    std::vector<std::vector<size_t>> owners;     /* the items that they belong to */

    /* A signature on an empty text belongs to the message. */
    int note_kind() const { return wire.structured ? ELELEM_PART_STRUCTURED : ELELEM_PART_MESSAGE; }

    static bool may_follow(const talk_items &before, const talk_item &next)
    {
        bool is_thought = next.is_thought() && !next.is_note();

        if (before.empty() || next.is_call() || before.back().is_call()) return true;
        return before.back().is_note() || !before.back().signature.empty() || before.back().is_thought() != is_thought;
    }

    talk_rules rules() const
    {
        talk_rules rules;

        rules.needs_ids = false;
        rules.signs_calls = true;
        rules.signs_texts = true;
        rules.may_follow = may_follow;
        return rules;
    }

    void add_part(std::vector<std::string> &to, talk_pen::members members, const std::string &signature)
    {
        if (!signature.empty()) members.emplace_back("thoughtSignature", pen.string(signature));
        to.push_back(pen.object(members, false));
    }

    /* A part that is neither text nor call; one of two kilobytes passes while its chunk arrives. */
    void add_provider_item(uint32_t number)
    {
        static const char *const types[] = { "executableCode", "codeExecutionResult", "toolCall", "toolResponse", "inlineData", "fileData", "x_new" };
        std::string data = pen.string(pen.dice.once_in(3) ? std::string(2000, 'A') : "QQ\n\"");
        talk_item item;

        for (talk_item &before : wire.items)
            if (before.choice == number) before.ended = true;
        item.kind = ELELEM_PART_PROVIDER_ITEM;
        item.choice = number;
        item.name = pen.dice.one_of(types);
        add_part(parts.back(), { { item.name, pen.object({ { "id", "7.50" }, { "data", data } }) } }, pen.dice.once_in(2) ? "c2ln" : "");
        item.text = parts.back().back();
        owners.back().resize(parts.back().size(), wire.items.size());
        wire.items.push_back(item);
    }

    void add_text(std::vector<std::string> &to, const talk_item &item, const std::string &text, const std::string &signature)
    {
        talk_pen::members members = { { "text", pen.string(text) } };

        if (item.is_thought()) members.emplace_back("thought", "true");
        else if (pen.dice.once_in(8)) members.emplace_back("thought", "false");
        add_part(to, members, signature);
    }

    void add_texts(std::vector<std::string> &to, const talk_item &item)
    {
        std::vector<std::string> pieces = talk_pieces(pen.dice, item.text);
        bool late = !item.signature.empty() && !item.text.empty() && pen.dice.once_in(2);

        for (size_t i = 0; i < pieces.size(); i++)
            add_text(to, item, pieces[i], i + 1 == pieces.size() && !late ? item.signature : "");
        if (late) add_text(to, item, "", item.signature);
    }

    static bool has_empty(const json_value &value, bool is_root)
    {
        if (!is_root && value.is_container() && value.children.empty()) return true;
        for (const json_value &child : value.children)
            if (has_empty(child, false)) return true;
        return false;
    }

    static bool is_plain(const std::string &key)
    {
        return !key.empty() && key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string::npos;
    }

    /* RFC 9535, 2.3 and 2.7. */
    static std::string segment(const json_name &name)
    {
        std::string out = "['";

        if (name.is_element) return "[" + std::to_string(name.index) + "]";
        if (is_plain(name.key)) return "." + name.key;
        for (char c : name.key) {
            static const char digits[] = "0123456789abcdef";
            if (c == '\'' || c == '\\') out += { '\\', c };
            else if ((unsigned char)c < 0x20) out += std::string("\\u00") + digits[c >> 4] + digits[c & 15];
            else out += c;
        }
        return out + "']";
    }

    /* The pieces of a value, in its own order. */
    void add_pieces(std::vector<std::string> &to, const json_value &value, const std::string &path)
    {
        static const char *const members[] = { "", "nullValue", "boolValue", "numberValue" };
        talk_pen::member place = { "jsonPath", pen.string(path) };

        for (const json_value &child : value.children)
            add_pieces(to, child, path + segment(child.name));
        if (value.is_container()) return;
        if (value.type == ELELEM_TYPE_STRING) {
            std::vector<std::string> pieces = talk_pieces(pen.dice, value.text);
            if (pen.dice.once_in(3)) pieces.push_back("");
            for (size_t i = 0; i < pieces.size(); i++) {
                talk_pen::members all = { place, { "stringValue", pen.string(pieces[i]) } };
                if (i + 1 < pieces.size() || pen.dice.once_in(8)) all.emplace_back("willContinue", "true");
                to.push_back(pen.object(all));
            }
            return;
        }
        if (value.type == ELELEM_TYPE_NULL)
            to.push_back(pen.object({ place, { members[1], pen.dice.once_in(2) ? "\"NULL_VALUE\"" : "null" } }));
        else
            to.push_back(pen.object({ place, { members[value.type == ELELEM_TYPE_BOOL ? 2 : 3], value.text } }));
    }

    void add_call_in_pieces(std::vector<std::string> &to, talk_item &item, talk_pen::members call, bool has_next)
    {
        std::vector<std::string> pieces;
        size_t way = pen.dice.below(has_next ? 3 : 2); /* how it ends: with an empty call, by saying so, or by the next call */

        add_pieces(pieces, item.value, "$");
        item.bare = pieces.empty();
        for (size_t at = 0, more; at < pieces.size() || to.empty() || !call.empty(); at = more) {
            bool early = at == 0 && pen.dice.once_in(2);
            more = early ? 0 : std::min(at + 1 + pen.dice.below(3), pieces.size());
            if (more > at) call.emplace_back("partialArgs", pen.array({ pieces.begin() + (std::ptrdiff_t)at, pieces.begin() + (std::ptrdiff_t)more }));
            if (way != 1 || more < pieces.size()) call.emplace_back("willContinue", "true");
            add_part(to, { { "functionCall", pen.object(call) } }, call[0].first == "name" ? item.signature : "");
            call.clear();
            if (more >= pieces.size()) break;
        }
        if (way == 0) add_part(to, { { "functionCall", "{}" } }, "");
    }

    void add_parts(std::vector<std::string> &to, talk_item &item, bool has_next)
    {
        talk_pen::members call = { { "name", pen.string(item.name) } };

        if (!item.is_call()) {
            add_texts(to, item);
            return;
        }
        if (!item.id.empty()) call.emplace_back("id", pen.string(item.id));
        if (in_pieces && !has_empty(item.value, true) && !pen.dice.once_in(3)) {
            add_call_in_pieces(to, item, call, has_next);
            return;
        }
        item.bare = item.value.children.empty() && !pen.dice.once_in(2);
        if (!item.bare) call.emplace_back("args", pen.value(item.value));
        add_part(to, { { "functionCall", pen.object(call) } }, item.signature);
    }

    void end()
    {
        static const talk_reason reasons[] = {
            { "STOP", ELELEM_FINISH_COMPLETED },         { "MAX_TOKENS", ELELEM_FINISH_MAX_TOKENS },
            { "SAFETY", ELELEM_FINISH_CONTENT_FILTER },  { "RECITATION", ELELEM_FINISH_CONTENT_FILTER },
            { "OTHER", ELELEM_FINISH_OTHER },            { "CONTINUATION", ELELEM_FINISH_MAX_TOKENS },
        };

        if (in_pieces) wire.end.raw = "STOP", wire.end.reason = talk_completed(wire.items);
        else talk_any_reason(pen.dice, reasons, wire, true);
        talk_any_usage(pen.dice, wire.end);
        if (usage_place == 0) std::fill(wire.end.usage, wire.end.usage + 4, -1);
    }

    std::string usage()
    {
        static const char *const keys[] = { "promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount", "thoughtsTokenCount" };
        talk_pen::members all = { { "trafficType", "\"ON_DEMAND\"" } };

        for (size_t i = 0; i < 4; i++)
            if (wire.end.usage[i] >= 0) all.emplace_back(keys[i], pen.number(wire.end.usage[i]));
        return pen.object(all);
    }

    /* The first chunk of another choice names it first if a part may pass, because nothing shows yet that there are several. */
    std::string candidate(size_t number, const std::vector<std::string> &some, bool is_first, bool ends)
    {
        talk_pen::members all, content = { { "role", "\"model\"" } };
        bool leads = number > 0 && is_first && std::any_of(some.begin(), some.end(), [](const std::string &part) { return part.size() >= 2000; });

        if (!leads && (number > 0 || !pen.dice.once_in(2))) all.emplace_back("index", pen.number((int64_t)number));
        if (!some.empty() || pen.dice.once_in(3)) content.emplace_back("parts", pen.array(some));
        if (!some.empty() || !pen.dice.once_in(3)) all.emplace_back("content", pen.object(content));
        if (ends || always_ends) all.emplace_back("finishReason", pen.string(ends ? wire.end.raw : "STOP"));
        if (pen.dice.once_in(8)) all.emplace_back("safetyRatings", "[{\"category\":\"C\",\"probability\":\"LOW\"}]");
        std::string out = pen.object(all);
        return leads ? "{\"index\":" + pen.number((int64_t)number) + "," + out.substr(1) : out;
    }

    size_t chunk(const std::vector<std::string> &candidates, bool is_last)
    {
        talk_pen::members all = { { "candidates", pen.array(candidates) } };

        if (usage_place == 1 || (usage_place == 2 && is_last)) all.emplace_back("usageMetadata", usage());
        else if (usage_place == 2 && pen.dice.once_in(4)) all.emplace_back("usageMetadata", "{\"trafficType\":\"ON_DEMAND\"}");
        if (pen.dice.once_in(2)) all.emplace_back("modelVersion", "\"gemini-3\"");
        return body.frame("", pen.object(all));
    }

    /* The chunks of one choice: some parts each, and the last with the reason. */
    std::vector<std::vector<std::string>> chunks_of(const std::vector<std::string> &all)
    {
        std::vector<std::vector<std::string>> chunks;

        for (size_t at = 0, more; at < all.size(); at = more) {
            more = std::min(at + 1 + (pen.dice.once_in(3) ? pen.dice.below(4) : 0), all.size());
            chunks.emplace_back(all.begin() + (std::ptrdiff_t)at, all.begin() + (std::ptrdiff_t)more);
        }
        if (chunks.empty() || pen.dice.once_in(2)) chunks.emplace_back();
        return chunks;
    }

    /* Nonzero if the part passes while its chunk arrives. What comes before it is over then. */
    bool passes(const std::string &part, const talk_item &item) const
    {
        static const char *const stored[] = { "executableCode", "codeExecutionResult", "toolCall" };

        if (!item.is_provider() || part.size() < 2000) return false;
        return std::none_of(stored, stored + 3, [&item](const char *name) { return item.name == name; });
    }

    /* The offsets before which the items of a chunk are not over: that of the next part that passes, or the chunk's end. */
    std::vector<size_t> offsets_of(size_t one, const std::vector<std::string> &chunk, size_t first, size_t begin, size_t last) const
    {
        std::vector<size_t> offsets(chunk.size(), last);
        std::vector<size_t> large;
        size_t at = begin;

        for (size_t i = 0; i < chunk.size(); i++)
            if (chunk[i].size() >= 2000) large.push_back(at = body.bytes.find("AAAAAAAA", body.bytes.find_first_not_of('A', at)));
            else large.push_back(0);
        for (size_t i = chunk.size(), next = last; i-- > 0;) {
            offsets[i] = next;
            if (large[i] && passes(chunk[i], wire.items[owners[one][first + i]])) next = large[i];
        }
        return offsets;
    }

    void write()
    {
        std::vector<std::vector<std::vector<std::string>>> chunks;
        std::vector<talk_turn> counts;
        std::vector<size_t> taken(parts.size(), 0), written(parts.size(), 0), order;
        bool decided = false;

        for (const auto &all : parts) {
            chunks.push_back(chunks_of(all));
            counts.push_back({ chunks.back().size(), false, false });
        }
        order = talk_turns(pen.dice, counts, true);
        for (size_t i = 0; i < order.size(); i++) {
            size_t one = order[i], at = taken[one]++;
            bool ends = at + 1 == chunks[one].size();
            size_t begin = body.bytes.size();
            size_t last = chunk({ candidate(one, chunks[one][at], at == 0, ends) }, i + 1 == order.size());
            for (size_t offset : offsets_of(one, chunks[one][at], written[one], begin, last)) {
                talk_item &item = wire.items[owners[one][written[one]++]];
                item.whole = offset;
                if (always_ends && !ends && item.is_call()) item.ended = true;
            }
            if ((ends || always_ends) && !decided) wire.undecided = last;
            decided |= ends || always_ends;
        }
        body.close();
        wire.bytes = body.bytes;
    }
};

inline talk_wire talk_gemini(const json_dice &dice)
{
    return talk_gemini_writer(dice).written();
}

/* Responses. */

class talk_responses_writer {
public:
    explicit talk_responses_writer(const json_dice &drawn, bool as_one = false) : pen(drawn), body(pen)
    {
        json_dice &dice = pen.dice;

        wire.shape = &elelem_shape_responses;
        wire.structured = dice.once_in(4);
        untyped = dice.once_in(8);
        body.needs_names = untyped;
        body.names = untyped || !dice.once_in(4);
        ids = dice.below(5);
        mixed = ids != NO_INDEX && dice.once_in(3);
        is_raw = dice.once_in(3);
        only_listed = dice.once_in(10);
        lists = only_listed || dice.once_in(2);
        if (as_one) mixed = false; /* its list has one order */
        if (as_one && ids == ROTATING_IDS) ids = STEADY_IDS;
        body.idle = { "{\"type\":\"keepalive\"}", "{\"type\":\"response.in_progress\",\"response\":{\"status\":\"in_progress\",\"output\":[]}}",
                      "{\"type\":\"response.x_new.delta\",\"output_index\":0,\"delta\":\"no\"}" };
    }

    talk_wire written()
    {
        talk_rules rules;

        rules.refusals = true;
        rules.custom = true;
        for (const talk_item &item : talk_any_items(pen, rules, wire.structured, 0)) {
            if (pen.dice.once_in(6)) wire.items.push_back(provider_item());
            wire.items.push_back(item);
        }
        put({ "response.created", { { "response", "{\"id\":\"resp_1\",\"status\":\"in_progress\",\"output\":[]}" } }, {} });
        end();
        make_entries();
        put_entries();
        finish();
        body.close();
        wire.bytes = body.bytes;
        return wire;
    }

private:
    enum { STEADY_IDS, ROTATING_IDS, NO_IDS, NO_INDEX, FEW_IDS };

    /* One text of an output item, and the expected item that it belongs to. */
    struct part {
        const char *type;
        size_t item;
        std::string text;
    };

    struct entry {
        std::string type;
        const char *prefix;
        std::vector<part> parts;
        size_t item = 0;
        std::string number, first_id, last_id, phase;
        bool added = true, done = true, streamed = true;
        bool announces = true; /* each of its parts, or none: a part that is not, after one that was, is taken for the same (vLLM) */
        bool is_over = false; /* its end was written */
    };

    struct frame {
        const char *type;
        talk_pen::members members;
        std::vector<size_t> tells; /* items of which it is the first to say something */
    };

    talk_pen pen;
    talk_body body;
    talk_wire wire;
    size_t ids;
    bool mixed, untyped, is_raw, only_listed, lists;
    bool has_value = false; /* the call that was written last has its arguments as a value */
    std::vector<entry> entries;
    std::vector<size_t> order; /* of items as they begin */
    std::map<size_t, std::string> text_ids; /* of messages: the id that came with their first text */

    size_t put(frame what)
    {
        if (!untyped) what.members.emplace_back("type", pen.string(what.type));
        if (pen.dice.once_in(2)) what.members.emplace_back("sequence_number", pen.number((int64_t)pen.dice.below(100)));
        for (size_t item : what.tells)
            begin(item);
        return body.frame(what.type, pen.object(what.members));
    }

    void begin(size_t item)
    {
        if (std::find(order.begin(), order.end(), item) == order.end()) order.push_back(item);
    }

    void end()
    {
        static const talk_reason reasons[] = {
            { "completed", ELELEM_FINISH_COMPLETED },         { "max_output_tokens", ELELEM_FINISH_MAX_TOKENS },
            { "content_filter", ELELEM_FINISH_CONTENT_FILTER }, { "x_new", ELELEM_FINISH_OTHER },
        };

        talk_any_reason(pen.dice, reasons, wire, true);
        talk_any_usage(pen.dice, wire.end);
    }

    /* A text in one part, or in two. */
    void add_parts(entry &to, const char *type, size_t item)
    {
        const std::string text = wire.items[item].text;
        size_t first = pen.dice.once_in(3) && !text.empty() ? talk_character(text, 0) : text.size();

        if (wire.items[item].kind == ELELEM_PART_STRUCTURED || wire.items[item].refusal) first = text.size();
        if (!text.empty()) to.parts.push_back({ type, item, text.substr(0, first) });
        if (first < text.size()) to.parts.push_back({ type, item_of_rest(item, first), text.substr(first) });
    }

    /* Each part of a message is an item. */
    size_t item_of_rest(size_t item, size_t first)
    {
        talk_item rest = wire.items[item];

        if (rest.is_thought()) return item;
        rest.text.erase(0, first);
        wire.items[item].text.resize(first);
        wire.items.push_back(rest);
        return wire.items.size() - 1;
    }

    /* Summaries are paragraphs. */
    void add_thoughts(entry &to, size_t item)
    {
        add_parts(to, is_raw ? "reasoning_text" : "summary_text", item);
        if (to.parts.size() < 2) return;
        if (!is_raw) wire.items[item].text = to.parts[0].text + "\n\n" + to.parts[1].text;
        wire.items[item].metadata["part_offsets"] = talk_array_of(talk_number((int64_t)(wire.items[item].text.size() - to.parts[1].text.size())));
    }

    /* Its JSON is that with which its output item ends, and only if it never does, that of the last frame. */
    talk_item provider_item()
    {
        static const char *const types[] = { "web_search_call", "image_generation_call", "x_new" };
        talk_item item;

        item.kind = ELELEM_PART_PROVIDER_ITEM;
        item.name = pen.dice.one_of(types);
        return item;
    }

    std::string provider_json(const entry &of, talk_pen::members members, bool is_whole)
    {
        static const char *const inner[] = { "{\"type\":\"search\",\"query\":\"x\"}", "[1.50,null,{\"type\":\"message\"}]", "\"no\"" };
        std::string json;

        members.emplace_back("text", "\"no\"");
        members.emplace_back(pen.dice.once_in(2) ? "action" : "content", pen.dice.one_of(inner));
        json = pen.object(members);
        if (is_whole && wire.items[of.item].text.empty()) wire.items[of.item].text = json;
        return json;
    }

    entry entry_of(size_t number)
    {
        talk_item &item = wire.items[number]; /* until it is split */
        entry made;

        made.item = number;
        made.number = std::to_string(entries.size());
        if (item.is_provider()) made.type = item.name, made.prefix = "x_";
        else if (item.custom) made.type = "custom_tool_call", made.prefix = "ctc_";
        else if (item.is_call()) made.type = "function_call", made.prefix = "fc_";
        else if (item.is_thought()) made.type = "reasoning", made.prefix = "rs_";
        else made.type = "message", made.prefix = "msg_";
        if (item.is_provider()) return made;
        if (item.custom) made.parts.push_back({ "input", number, item.value.text });
        else if (item.is_call() && item.value.children.empty() && pen.dice.once_in(2)) made.parts.push_back({ "arguments", number, "" }), item.bare = true;
        else if (item.is_call()) made.parts.push_back({ "arguments", number, pen.value(item.value) });
        else if (item.is_thought()) add_thoughts(made, number);
        else add_parts(made, item.refusal ? "refusal" : "output_text", number); /* the last, because it may add items */
        return made;
    }

    void make_entries()
    {
        for (size_t i = 0, count = wire.items.size(); i < count; i++) {
            entries.push_back(entry_of(i));
            entry &made = entries.back();
            const talk_item item = wire.items[i];
            bool has_phase = made.type == "message" && pen.dice.once_in(4);
            bool has_refusal = made.type == "message" && !item.refusal && i + 1 < count && wire.items[i + 1].refusal;
            if (has_phase) made.phase = pen.dice.once_in(2) ? "commentary" : "final_answer";
            if (has_refusal && pen.dice.once_in(2)) add_parts(made, "refusal", ++i);
            made.done = ids == NO_INDEX || (item.is_provider() && !lists) || ids == FEW_IDS || item.custom || has_phase || !item.signature.empty() || !pen.dice.once_in(6);
            made.added = ids == NO_INDEX || !made.done || !pen.dice.once_in(6);
            made.streamed = !made.done || !pen.dice.once_in(6);
            made.announces = pen.dice.once_in(2);
            if (made.phase == "commentary") comment(made);
        }
        for (entry &of : entries)
            if (!of.added && !of.streamed && another_says(of)) of.added = true;
    }

    /* An item of which only the end comes is taken for an open one that says the same, which some servers end with another number and id. */
    bool another_says(const entry &of) const
    {
        for (const entry &other : entries) {
            if (&other == &of || other.parts.empty() || of.parts.empty()) continue;
            bool is_name = wire.items[other.item].name == wire.items[of.item].name;
            if (is_name && other.type == of.type && other.parts.back().text == of.parts.back().text) return true;
        }
        return false;
    }

    /* Commentary is no structured text; that has to be known when it begins. */
    void comment(entry &of)
    {
        of.added = true;
        for (const part &one : of.parts)
            wire.items[one.item].kind = ELELEM_PART_MESSAGE;
    }

    bool wire_is_call(const entry &of) const { return wire.items[of.item].is_call(); }

    bool is_provider(const entry &of) const { return wire.items[of.item].is_provider(); }

    std::string new_id(const entry &of)
    {
        std::string id = of.prefix + of.number;

        if (ids == NO_IDS) return "";
        return ids == ROTATING_IDS ? id + "_" + std::to_string(body.bytes.size()) + std::to_string(pen.dice.at) : id;
    }

    std::string part_json(const part &of, bool is_whole)
    {
        const char *member = strcmp(of.type, "refusal") == 0 ? "refusal" : "text";
        talk_pen::members members = { { "type", pen.string(of.type) }, { member, pen.string(is_whole ? of.text : "") } };

        if (strcmp(of.type, "output_text") == 0) members.emplace_back("annotations", "[]");
        return pen.object(members, false);
    }

    void add_call(talk_pen::members &to, const entry &of, bool is_whole)
    {
        const talk_item &item = wire.items[of.item];
        std::string text = is_whole ? of.parts[0].text : "";
        bool as_value = is_whole && !item.custom && !of.streamed && pen.dice.once_in(3);

        has_value = as_value;

        to.emplace_back("call_id", pen.string(item.id));
        to.emplace_back("name", pen.string(item.name));
        if (is_whole || pen.dice.once_in(2))
            to.emplace_back(of.parts[0].type, as_value ? pen.value(item.value) : pen.string(text));
    }

    std::string entry_json(const entry &of, const std::string &id, bool is_whole)
    {
        talk_pen::members members = { { "type", pen.string(of.type) }, { "status", is_whole ? "\"completed\"" : "\"in_progress\"" } };
        std::vector<std::string> parts;

        if (!id.empty()) members.emplace_back("id", pen.string(id));
        if (!of.phase.empty()) members.emplace_back("phase", pen.string(of.phase));
        if (is_provider(of)) return provider_json(of, members, is_whole);
        if (wire.items[of.item].is_call()) {
            add_call(members, of, is_whole);
            return pen.object(members, false);
        }
        for (const part &one : of.parts)
            if (is_whole) parts.push_back(part_json(one, true));
        if (of.type == "reasoning") {
            members.emplace_back(is_raw ? "content" : "summary", pen.array(parts));
            if (is_raw || pen.dice.once_in(2)) members.emplace_back(is_raw ? "summary" : "content", "[]");
            if (!wire.items[of.item].signature.empty())
                members.emplace_back("encrypted_content", pen.string(is_whole ? wire.items[of.item].signature : "early"));
        } else {
            members.emplace_back("content", pen.array(parts));
            members.emplace_back("role", "\"assistant\"");
        }
        return pen.object(members, false);
    }

    void place(talk_pen::members &to, const entry &of)
    {
        if (ids != NO_INDEX) to.emplace_back("output_index", of.number);
    }

    /* An id counts from the first frame that has content. */
    frame entry_frame(const char *type, entry &of, bool is_whole)
    {
        std::string id = new_id(of);
        frame made = { type, { { "item", entry_json(of, id, is_whole) } }, {} };

        place(made.members, of);
        if (is_whole && wire_is_call(of) && has_value) wire.items[of.item].bare = false;
        if (of.first_id.empty()) of.first_id = id;
        if (is_whole) of.last_id = id;
        made.tells.push_back(of.item);
        for (const part &one : of.parts)
            if (is_whole) made.tells.push_back(one.item);
        return made;
    }

    frame part_frame(const char *type, entry &of, size_t number, const char *member, const std::string &json, bool tells)
    {
        const part &one = of.parts[number];
        std::string id = ids == FEW_IDS && of.added ? "" : new_id(of);
        frame made = { type, { { member, json } }, {} };

        place(made.members, of);
        if (!id.empty()) made.members.emplace_back("item_id", pen.string(id));
        if (number > 0 || !pen.dice.once_in(6))
            made.members.emplace_back(strcmp(one.type, "summary_text") == 0 ? "summary_index" : "content_index", pen.number((int64_t)number));
        if (pen.dice.once_in(8)) made.members.emplace_back("obfuscation", "\"x7Gh\"");
        if (!tells) return made;
        made.tells.push_back(one.item);
        if (of.type == "message") text_ids.emplace(one.item, id);
        else if (of.first_id.empty()) of.first_id = id;
        return made;
    }

    struct words {
        const char *type, *delta, *done, *added, *part_done, *whole;
    };

    static const words &words_of(const part &one)
    {
        static const words all[] = {
            { "output_text", "response.output_text.delta", "response.output_text.done", "response.content_part.added",
              "response.content_part.done", "text" },
            { "refusal", "response.refusal.delta", "response.refusal.done", "response.content_part.added", "response.content_part.done",
              "refusal" },
            { "reasoning_text", "response.reasoning_text.delta", "response.reasoning_text.done", "response.content_part.added",
              "response.content_part.done", "text" },
            { "summary_text", "response.reasoning_summary_text.delta", "response.reasoning_summary_text.done",
              "response.reasoning_summary_part.added", "response.reasoning_summary_part.done", "text" },
            { "arguments", "response.function_call_arguments.delta", "response.function_call_arguments.done", nullptr, nullptr, "arguments" },
            { "input", "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done", nullptr, nullptr, "input" },
        };
        size_t i = 0;

        while (strcmp(all[i].type, one.type) != 0)
            i++;
        return all[i];
    }

    /* The deltas may lack the end of a part, if what follows repeats it whole. */
    void add_part_frames(std::vector<frame> &to, entry &of, size_t number)
    {
        const part &one = of.parts[number];
        const words &with = words_of(one);
        bool is_last = number + 1 == of.parts.size();
        bool may_lack = of.added && strcmp(one.type, "refusal") != 0 && pen.dice.once_in(4);
        bool text_done = (may_lack && !(is_last && of.done)) || pen.dice.once_in(2);
        size_t size = one.text.size();

        if (may_lack) size = one.text.empty() || pen.dice.once_in(2) ? 0 : talk_character(one.text, 0);
        if (with.added && of.announces) to.push_back(part_frame(with.added, of, number, "part", part_json(one, false), false));
        if (size > 0)
            for (const std::string &piece : talk_pieces(pen.dice, one.text.substr(0, size)))
                to.push_back(part_frame(with.delta, of, number, "delta", pen.string(piece), !piece.empty()));
        if (text_done) to.push_back(part_frame(with.done, of, number, with.whole, pen.string(one.text), !one.text.empty() && (of.added || size > 0)));
        if (with.part_done && pen.dice.once_in(2))
            to.push_back(part_frame(with.part_done, of, number, "part", part_json(one, true), !one.text.empty() && (of.added || size > 0)));
    }

    std::vector<frame> frames_of(entry &of)
    {
        std::vector<frame> all;

        if (of.added) all.push_back(entry_frame("response.output_item.added", of, false));
        for (size_t i = 0; i < of.parts.size() && of.streamed; i++)
            add_part_frames(all, of, i);
        if (!of.done) return all;
        all.push_back(entry_frame("response.output_item.done", of, true));
        if (ids != NO_IDS && pen.dice.once_in(10)) all.push_back(all.back());
        return all;
    }

    /* An item begins, or continues. */
    static bool says_more(const frame &of)
    {
        std::string type = of.type;

        return type == "response.output_item.added" || (type.size() > 6 && type.compare(type.size() - 6, 6, ".delta") == 0 && !of.tells.empty());
    }

    void put_entries()
    {
        std::vector<std::vector<frame>> all;
        std::vector<talk_turn> counts;
        std::vector<size_t> taken(entries.size(), 0);

        if (only_listed) return;
        for (entry &of : entries) {
            all.push_back(frames_of(of));
            counts.push_back({ all.back().size(), false, false });
        }
        for (size_t one : talk_turns(pen.dice, counts, mixed)) {
            const frame &next = all[one][taken[one]++];
            size_t last = put(next);
            bool is_end = strcmp(next.type, "response.output_item.done") == 0;
            if (says_more(next))
                for (entry &of : entries)
                    for (const part &part : of.parts)
                        wire.items[part.item].ended |= of.is_over;
            entries[one].is_over |= is_end;
            if (!is_end || !wire_is_call(entries[one]) || wire.items[entries[one].item].whole != SIZE_MAX) continue;
            wire.items[entries[one].item].whole = last;
            wire.items[entries[one].item].ends = !wire.items[entries[one].item].is_undecided();
        }
    }

    std::string usage()
    {
        const int64_t *counts = wire.end.usage;
        talk_pen::members all = { { "total_tokens", "99" } };

        if (counts[0] >= 0) all.emplace_back("input_tokens", pen.number(counts[0]));
        if (counts[1] >= 0) all.emplace_back("output_tokens", pen.number(counts[1]));
        if (counts[2] >= 0) all.emplace_back("input_tokens_details", pen.object({ { "cached_tokens", pen.number(counts[2]) } }));
        if (counts[3] >= 0) all.emplace_back("output_tokens_details", pen.object({ { "reasoning_tokens", pen.number(counts[3]) } }));
        return pen.object(all);
    }

    std::string output()
    {
        std::vector<std::string> all;

        for (entry &of : entries) {
            bool counts = only_listed || !of.done;
            std::string id = counts ? new_id(of) : of.last_id;
            all.push_back(entry_json(of, id, true));
            if (counts && wire_is_call(of) && has_value) wire.items[of.item].bare = false;
            if (counts) of.last_id = id;
            if (!only_listed) continue;
            begin(of.item);
            for (const part &one : of.parts)
                begin(one.item);
        }
        return pen.array(all);
    }

    void finish()
    {
        bool is_whole = wire.end.raw == "completed";
        talk_pen::members members = { { "id", "\"resp_1\"" }, { "status", is_whole ? "\"completed\"" : "\"incomplete\"" }, { "usage", usage() } };

        if (!is_whole) members.emplace_back("incomplete_details", pen.object({ { "reason", pen.string(wire.end.raw) } }));
        else if (pen.dice.once_in(2)) members.emplace_back("incomplete_details", "null");
        if (lists) members.emplace_back("output", output());
        else if (pen.dice.once_in(2)) members.emplace_back("output", "[]");
        if (pen.dice.once_in(2)) members.emplace_back("error", "null");
        for (talk_item &item : wire.items)
            if (lists && item.whole == SIZE_MAX) item.whole = body.bytes.size(); /* the last frame is read in pieces */
        wire.undecided = put({ is_whole ? "response.completed" : "response.incomplete", { { "response", pen.object(members) } }, {} });
        if (pen.dice.once_in(6)) body.frame("", "[DONE]");
        write_whole(is_whole);
        tell();
    }

    /* The same response, not streamed. */
    void write_whole(bool is_completed)
    {
        talk_pen::members members = { { "object", "\"response\"" }, { "id", "\"resp_1\"" },
                                      { "status", is_completed ? "\"completed\"" : "\"incomplete\"" },
                                      { "usage", usage() }, { "error", "null" } };
        std::vector<std::string> all;

        for (const entry &of : entries) {
            std::string id = of.last_id.empty() ? of.first_id : of.last_id;
            if (id.empty() && !of.parts.empty() && text_ids.count(of.parts[0].item)) id = text_ids[of.parts[0].item];
            all.push_back(is_provider(of) ? wire.items[of.item].text : entry_json(of, id, true));
        }
        members.emplace_back("output", pen.array(all));
        members.emplace_back("incomplete_details", is_completed ? "null" : pen.object({ { "reason", pen.string(wire.end.raw) } }));
        wire.whole = pen.object(members);
    }

    /* What is known of the items only now. */
    void tell()
    {
        talk_items items;

        for (const entry &of : entries) {
            tell_item(of, of.item);
            for (size_t i = 0; i < of.parts.size(); i++) {
                tell_item(of, of.parts[i].item);
                if (i > 0 && of.type == "message") wire.items[of.parts[i].item].metadata["content_index"] = talk_number((int64_t)i);
            }
        }
        for (size_t item : order)
            items.push_back(wire.items[item]);
        wire.items = items;
    }

    void tell_item(const entry &of, size_t number)
    {
        talk_item &item = wire.items[number];
        std::string id = text_ids.count(number) ? text_ids[number] : of.first_id;

        if (item.is_provider()) return;
        if (!of.last_id.empty()) id = of.last_id;
        if (!id.empty()) item.metadata["item_id"] = talk_string(id);
        if (!of.phase.empty()) item.metadata["phase"] = talk_string(of.phase);
        if (item.is_thought() && !item.signature.empty()) item.metadata["encrypted_content"] = talk_string(item.signature);
        if (item.is_thought() && is_raw && !item.text.empty()) item.metadata["raw"] = talk_true();
    }
};

inline talk_wire talk_responses(const json_dice &dice)
{
    return talk_responses_writer(dice).written();
}

inline talk_wire talk_responses_in_order(const json_dice &dice)
{
    return talk_responses_writer(dice, true).written();
}

#endif
