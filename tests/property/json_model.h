/* JSON values for laws: random values, written in one of the many ways that RFC 8259
 * allows, fed to the parser in random pieces, and stored in a very simple tree, which
 * is compared with the library's.
 *
 * Everything random comes from dice, a list of the choices that a law draws. After the end
 * of the list all choices are 0, and 0 is always the simplest one, so that a list that
 * RapidCheck made shorter or smaller gives a simpler value, spelling or cut:
 *
 *     json_dice value_dice = *json_any_dice();
 *     json_value value = json_any_value(value_dice);
 *     json_text text = json_spell(value, *json_any_dice());
 *     json_run run = json_parse(text.bytes, json_any_cuts(*json_any_dice(), text.bytes.size()));
 *
 * Include elelem_stream.h first.
 */
#ifndef JSON_MODEL_H
#define JSON_MODEL_H

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

/* Dice. */

struct json_dice {
    std::vector<uint16_t> drawn;
    size_t at = 0;

    /* 0 to n - 1 */
    size_t below(size_t n)
    {
        size_t choice = at < drawn.size() ? drawn[at] : 0;
        at++;
        return n > 0 ? choice % n : 0;
    }

    /* True once in n times. */
    bool once_in(size_t n) { return below(n) == n - 1; }

    template <size_t n> const char *one_of(const char *const (&texts)[n]) { return texts[below(n)]; }
};

/* `scale` times as many choices as RapidCheck's size, which goes from 0 to 100. A choice
   shrinks to 0 at once, because step by step a failure would take minutes to report. */
inline rc::Gen<json_dice> json_any_dice(double scale = 6)
{
    auto any = rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange<uint16_t>(0, UINT16_MAX)));
    auto choice = rc::gen::shrink(any, [](uint16_t value) { return value > 0 ? rc::seq::just<uint16_t>(0) : rc::Seq<uint16_t>(); });

    return rc::gen::map(rc::gen::scale(scale, rc::gen::container<std::vector<uint16_t>>(choice)),
                        [](std::vector<uint16_t> drawn) {
                            json_dice dice;
                            dice.drawn = std::move(drawn);
                            return dice;
                        });
}

/* Paths. */

struct json_name {
    bool is_element = false;
    std::string key;
    size_t index = 0;

    bool operator==(const json_name &other) const
    {
        return is_element == other.is_element && key == other.key && index == other.index;
    }
};

typedef std::vector<json_name> json_path;

inline std::string json_bytes_of(elelem_str text)
{
    return text.size > 0 ? std::string(text.data, text.size) : std::string();
}

inline json_name json_name_of(const elelem_segment &segment)
{
    json_name name;

    name.is_element = segment.key.data == nullptr;
    if (name.is_element) name.index = segment.index;
    else name.key = json_bytes_of(segment.key);
    return name;
}

inline json_path json_path_of(const elelem_path *path)
{
    json_path names;

    for (size_t i = 0; i < path->count; i++)
        names.push_back(json_name_of(path->segments[i]));
    return names;
}

/* A path for the library; its keys point to the names. */
struct json_given_path {
    std::vector<elelem_segment> segments;
    elelem_path path;

    explicit json_given_path(const json_path &names) : segments(names.size())
    {
        for (size_t i = 0; i < names.size(); i++) {
            segments[i].key.data = names[i].is_element ? nullptr : names[i].key.data();
            segments[i].key.size = names[i].key.size();
            segments[i].index = (uint32_t)names[i].index;
        }
        path.segments = segments.data();
        path.count = segments.size();
    }
    json_given_path(const json_given_path &) = delete;
};

/* For people: controls and what is not ASCII as \xx. */
inline std::string json_shown(const std::string &bytes)
{
    static const char digits[] = "0123456789abcdef";
    std::string shown;

    for (char c : bytes) {
        unsigned char byte = (unsigned char)c;
        if (byte >= 0x20 && byte < 0x7f) shown += c;
        else shown += { '\\', digits[byte >> 4], digits[byte & 15] };
    }
    return shown;
}

inline std::string json_shown(const json_path &path)
{
    std::string shown = "$";

    for (const json_name &name : path)
        shown += name.is_element ? "[" + std::to_string(name.index) + "]" : "[\"" + json_shown(name.key) + "\"]";
    return shown;
}

/* Fragments. */

struct json_step {
    json_path path;
    int kind = 0;
    int type = 0;
    std::string text;
    int pattern = ELELEM_NO_PATTERN;
    size_t known = 0; /* how many bytes of the document decide it; not compared */

    bool operator==(const json_step &other) const
    {
        return kind == other.kind && type == other.type && text == other.text && pattern == other.pattern &&
               path == other.path;
    }
};

typedef std::vector<json_step> json_steps;

inline std::ostream &operator<<(std::ostream &out, const json_step &step)
{
    static const char *const kinds[] = { "BEGIN", "STRING", "SCALAR", "DONE", "NOTHING" };

    out << json_shown(step.path) << ' ' << kinds[std::min(step.kind, 4)] << ' ' << elelem_type_name((elelem_type)step.type);
    if (!step.text.empty()) out << ' ' << json_shown(step.text);
    if (step.pattern != ELELEM_NO_PATTERN) out << " #" << step.pattern;
    return out;
}

inline json_step json_step_of(const elelem_fragment &fragment)
{
    json_step step;

    step.path = json_path_of(fragment.path);
    step.kind = fragment.kind;
    step.type = fragment.type;
    step.text = json_bytes_of(fragment.text);
    step.pattern = fragment.pattern;
    return step;
}

/* Appends a step; pieces of one string are joined. */
inline void json_join(json_steps &steps, const json_step &step)
{
    if (step.kind == ELELEM_FRAGMENT_STRING && !steps.empty() && steps.back().kind == ELELEM_FRAGMENT_STRING &&
        steps.back().path == step.path)
        steps.back().text += step.text;
    else
        steps.push_back(step);
}

inline json_steps json_joined(const json_steps &steps)
{
    json_steps joined;

    for (const json_step &step : steps)
        json_join(joined, step);
    return joined;
}

/* A step as a fragment; valid as long as the step. */
struct json_given {
    json_given_path path;
    elelem_fragment fragment;

    explicit json_given(const json_step &step) : path(step.path)
    {
        memset(&fragment, 0, sizeof fragment);
        fragment.path = &path.path;
        fragment.text.data = step.text.data();
        fragment.text.size = step.text.size();
        fragment.kind = (uint8_t)step.kind;
        fragment.type = (uint8_t)step.type;
        fragment.pattern = (uint16_t)step.pattern;
    }
};

/* Values: the tree that fragments make, each node open or done. */

struct json_value {
    json_name name;
    int type = ELELEM_TYPE_NULL;
    std::string text; /* a string's bytes, a scalar as it is written */
    bool open = false;
    std::vector<json_value> children;

    bool is_container() const { return type == ELELEM_TYPE_ARRAY || type == ELELEM_TYPE_OBJECT; }

    bool operator==(const json_value &other) const
    {
        return type == other.type && open == other.open && text == other.text && name == other.name &&
               children == other.children;
    }
};

inline std::ostream &operator<<(std::ostream &out, const json_value &value)
{
    const char *comma = "";

    if (value.name.is_element) out << value.name.index << '=';
    if (value.type == ELELEM_TYPE_STRING) out << '"' << json_shown(value.text) << '"';
    else if (!value.is_container()) out << value.text;
    else out << (value.type == ELELEM_TYPE_OBJECT ? '{' : '[');
    for (const json_value &child : value.children) {
        out << comma;
        if (!child.name.is_element) out << '"' << json_shown(child.name.key) << "\":";
        out << child;
        comma = ",";
    }
    if (value.is_container()) out << (value.type == ELELEM_TYPE_OBJECT ? '}' : ']');
    return out << (value.open ? "~" : "");
}

inline std::string json_utf8(uint32_t character)
{
    char bytes[4];

    return std::string(bytes, elelem_utf8_encode(character, bytes));
}

inline uint32_t json_any_character(json_dice &dice)
{
    static const uint32_t edges[] = { 0x7f,   0x80,   0x7ff,  0x800,   0xd7ff,  0xe000,  0xfffd,
                                      0xfffe, 0xffff, 0x10000, 0x1f600, 0x10ffff, 0x20ac, 0x2028 };

    switch (dice.below(12)) {
    case 4: return (uint32_t)"\"\\/{}[]:,u"[dice.below(10)];
    case 5: return (uint32_t)dice.below(0x20);
    case 6: return edges[dice.below(sizeof edges / sizeof *edges)];
    case 7: return 0x80 + (uint32_t)dice.below(0x780);
    case 8: return 0x800 + (uint32_t)dice.below(0xd000);
    case 9: return 0x10000 + (uint32_t)dice.below(0x10000) * 16;
    case 10: return 0xfffd;
    case 11: return (uint32_t)"\b\f\n\r\t"[dice.below(5)];
    default: return 'a' + (uint32_t)dice.below(26);
    }
}

/* Some are long enough for more than one step of the fast scan. */
inline std::string json_any_string(json_dice &dice)
{
    size_t count = dice.once_in(6) ? dice.below(24) : dice.below(4);
    std::string text;

    if (dice.once_in(6)) text.assign(dice.below(40), 'x');
    while (count-- > 0)
        text += json_utf8(json_any_character(dice));
    if (dice.once_in(12)) text.append(dice.below(40), 'y');
    return text;
}

inline std::string json_any_key(json_dice &dice)
{
    static const char *const keys[] = { "a", "b", "c", "old", "", "a.b", "[0]", "*", "\"", "\\\"", "7" };

    return dice.once_in(5) ? json_any_string(dice) : dice.one_of(keys);
}

inline std::string json_any_digits(json_dice &dice)
{
    size_t count = 1 + (dice.once_in(10) ? dice.below(40) : dice.below(4));
    std::string digits;

    while (count-- > 0)
        digits += (char)('0' + dice.below(10));
    return digits;
}

/* number = [ "-" ] ( "0" / digit1-9 *DIGIT ) [ "." 1*DIGIT ] [ ("e" / "E") [ "+" / "-" ] 1*DIGIT ] */
inline std::string json_any_number(json_dice &dice)
{
    static const char *const exponents[] = { "e", "E", "e+", "E+", "e-", "E-" };
    std::string number = dice.once_in(3) ? "-" : "";

    if (dice.once_in(2)) number += (char)('1' + dice.below(9)) + json_any_digits(dice);
    else number += (char)('0' + dice.below(10));
    if (dice.once_in(3)) number += "." + json_any_digits(dice);
    if (dice.once_in(3)) number += dice.one_of(exponents) + json_any_digits(dice);
    return number;
}

struct json_shape {
    bool unique_keys = false;
    bool container_root = false;
    bool is_root = true; /* mostly a container, then */
    size_t depth = 6;
};

inline bool json_has(const json_value &object, const std::string &key)
{
    for (const json_value &child : object.children)
        if (child.name.key == key) return true;
    return false;
}

inline json_value json_any_value(json_dice &dice, json_shape shape = json_shape());

inline void json_any_children(json_dice &dice, json_shape shape, json_value &value)
{
    size_t count = dice.once_in(6) ? dice.below(24) : dice.below(6);

    shape.container_root = shape.is_root = false;
    shape.depth--;
    for (size_t i = 0; i < count; i++) {
        json_name name;
        name.is_element = value.type == ELELEM_TYPE_ARRAY;
        if (name.is_element) name.index = i;
        else name.key = json_any_key(dice);
        if (!name.is_element && shape.unique_keys && json_has(value, name.key)) continue;
        value.children.push_back(json_any_value(dice, shape));
        value.children.back().name = name;
    }
}

/* A finished value. */
inline json_value json_any_value(json_dice &dice, json_shape shape)
{
    static const char *const scalars[] = { "null", "true", "false" };
    size_t kind = 7 + dice.below(2);
    json_value value;

    if (!shape.is_root || (!shape.container_root && dice.once_in(5))) kind = dice.below(shape.depth > 0 ? 11 : 7);
    if (kind < 2) {
        value.text = dice.one_of(scalars);
        value.type = value.text == "null" ? ELELEM_TYPE_NULL : ELELEM_TYPE_BOOL;
    } else if (kind < 4) {
        value.type = ELELEM_TYPE_NUMBER;
        value.text = json_any_number(dice);
    } else if (kind < 7) {
        value.type = ELELEM_TYPE_STRING;
        value.text = json_any_string(dice);
    } else {
        value.type = kind % 2 ? ELELEM_TYPE_ARRAY : ELELEM_TYPE_OBJECT;
        json_any_children(dice, shape, value);
    }
    return value;
}

/* Adds a step to a tree: the value it names is the open one of that path, the last if there
   are several, or a new one. */
inline void json_grow(std::vector<json_value> &roots, const json_step &step)
{
    std::vector<json_value> *siblings = &roots;
    json_value *node = nullptr;

    for (size_t depth = 0; depth <= step.path.size(); depth++) {
        json_name name = depth > 0 ? step.path[depth - 1] : json_name();
        node = nullptr;
        for (json_value &sibling : *siblings)
            if (sibling.open && sibling.name == name) node = &sibling;
        if (!node) {
            siblings->push_back(json_value());
            node = &siblings->back();
            node->name = name;
            node->open = true;
            node->type = depth == step.path.size()      ? step.type
                         : step.path[depth].is_element ? ELELEM_TYPE_ARRAY
                                                       : ELELEM_TYPE_OBJECT;
        }
        siblings = &node->children;
    }
    node->text += step.text;
    if (step.kind == ELELEM_FRAGMENT_DONE) node->open = false;
}

/* What the library holds. A value that is neither complete nor open is no part of any
   tree that a law expects. */
inline json_value json_value_of(elelem_value value)
{
    json_value copy;
    elelem_value parent = elelem_value_parent(value);

    copy.name.is_element = elelem_value_type(parent) == ELELEM_TYPE_ARRAY;
    copy.name.key = json_bytes_of(elelem_value_key(value));
    copy.name.index = elelem_value_index(value);
    copy.type = elelem_value_type(value);
    copy.text = json_bytes_of(elelem_value_text(value));
    copy.open = elelem_value_state_of(value) != ELELEM_VALUE_COMPLETE;
    for (elelem_value at = elelem_value_first(value); elelem_value_type(at) != ELELEM_TYPE_NONE; at = elelem_value_next(at))
        copy.children.push_back(json_value_of(at));
    return copy;
}

/* Spelling. */

struct json_text {
    std::string bytes;
    json_steps steps; /* in order, strings a character at a time */
    size_t end = 0;   /* the offset after the root */
};

class json_pen {
public:
    json_pen(json_dice style, bool halves) : dice(std::move(style)), with_halves(halves) {}

    json_text text;

    void document(const json_value &value)
    {
        blanks();
        put(value);
        text.end = text.bytes.size();
        blanks();
    }

    void blanks()
    {
        size_t count = dice.once_in(4) ? 1 + dice.below(3) : 0;

        while (count-- > 0)
            text.bytes += " \n\t\r"[dice.below(4)];
    }

private:
    json_dice dice;
    json_path path;
    bool with_halves;    /* U+FFFD may be spelled as half a surrogate pair */
    bool half = false;   /* a high one comes before, and what comes next decides about it */
    bool in_key = false;

    void step(int kind, int type, const std::string &bytes, size_t known)
    {
        json_step made;

        made.path = path;
        made.kind = kind;
        made.type = type;
        made.text = bytes;
        made.known = known;
        text.steps.push_back(made);
    }

    void character_step(uint32_t character, size_t known)
    {
        if (!in_key) step(ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, json_utf8(character), known);
    }

    void settle_half(size_t known)
    {
        if (half) character_step(0xfffd, known);
        half = false;
    }

    void unit(uint32_t value)
    {
        const char *digits = dice.once_in(2) ? "0123456789ABCDEF" : "0123456789abcdef";

        text.bytes += "\\u";
        for (int shift = 12; shift >= 0; shift -= 4)
            text.bytes += digits[value >> shift & 15];
    }

    /* After a high half, a low one would make a pair of them. */
    void lone_half()
    {
        bool high = half || dice.once_in(2);

        unit((high ? 0xd800 : 0xdc00) + (uint32_t)dice.below(0x400));
        settle_half(text.bytes.size());
        half = high;
        if (!half) character_step(0xfffd, text.bytes.size());
    }

    void units(uint32_t character)
    {
        unit(character < 0x10000 ? character : 0xd800 + ((character - 0x10000) >> 10));
        settle_half(text.bytes.size());
        if (character >= 0x10000) unit(0xdc00 + (character & 0x3ff));
    }

    void character(uint32_t character)
    {
        static const char letters[] = "\"\\/\bb\ff\nn\rr\tt";
        const char *letter = character < 0x80 && character ? strchr(letters, (int)character) : nullptr;
        bool must = character < 0x20 || character == '"' || character == '\\';

        if (character == 0xfffd && with_halves && dice.once_in(2)) return lone_half();
        if (letter && (*letter < 0x20 || letter < letters + 3) && (must ? !dice.once_in(3) : dice.once_in(3))) {
            text.bytes += { '\\', letter < letters + 3 ? *letter : letter[1] };
            settle_half(text.bytes.size());
        } else if (must || dice.once_in(8)) {
            units(character);
        } else {
            settle_half(text.bytes.size() + 1);
            text.bytes += json_utf8(character);
        }
        character_step(character, text.bytes.size());
    }

    void string(const std::string &bytes)
    {
        size_t i = 0;

        text.bytes += '"';
        while (i < bytes.size()) {
            unsigned char lead = (unsigned char)bytes[i++];
            size_t more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
            uint32_t value = more == 0 ? lead : lead & (0x3fu >> more);
            for (; more > 0; more--)
                value = value << 6 | ((unsigned char)bytes[i++] & 0x3fu);
            character(value);
        }
        text.bytes += '"';
        settle_half(text.bytes.size());
    }

    void children(const json_value &value)
    {
        for (const json_value &child : value.children) {
            if (&child != &value.children.front()) text.bytes += ',';
            blanks();
            if (!child.name.is_element) {
                in_key = true;
                string(child.name.key);
                in_key = false;
                blanks();
                text.bytes += ':';
                blanks();
            }
            path.push_back(child.name);
            put(child);
            path.pop_back();
            blanks();
        }
        if (value.children.empty()) blanks();
    }

    void put(const json_value &value)
    {
        bool is_object = value.type == ELELEM_TYPE_OBJECT;
        size_t wait = value.type == ELELEM_TYPE_NUMBER; /* the byte after a number ends it */

        if (value.is_container()) {
            text.bytes += is_object ? '{' : '[';
            step(ELELEM_FRAGMENT_BEGIN, value.type, "", text.bytes.size());
            children(value);
            text.bytes += is_object ? '}' : ']';
        } else if (value.type == ELELEM_TYPE_STRING) {
            string(value.text);
        } else {
            text.bytes += value.text;
            step(ELELEM_FRAGMENT_SCALAR, value.type, value.text, text.bytes.size() + wait);
        }
        step(ELELEM_FRAGMENT_DONE, value.type, "", text.bytes.size() + wait);
    }
};

inline json_text json_spell(const json_value &value, const json_dice &style, bool halves = true)
{
    json_pen pen(style, halves);

    pen.document(value);
    return pen.text;
}

/* A few bytes are changed, added, removed or repeated. */
inline std::string json_damaged(std::string bytes, json_dice dice)
{
    static const char likely[] = "{}[]:,\"\\/ \t\n\r\f0123456789-+.eEunltrfasdD8\0\x1f\x7f\x80\xbf\xc0\xc2\xe0\xed\xa0\xef\xf0\xf4\x90\xff";
    size_t edits = 1 + dice.below(3);

    while (edits-- > 0) {
        size_t at = dice.below(bytes.size() + 1);
        char byte = likely[dice.below(sizeof likely - 1)];
        switch (dice.below(6)) {
        case 0: bytes.erase(at); break;
        case 1: bytes.insert(at, 1, byte); break;
        case 2: bytes.erase(at, 1 + dice.below(3)); break;
        case 3: bytes.insert(at, bytes.substr(dice.below(bytes.size() + 1), dice.below(12))); break;
        default:
            if (at < bytes.size()) bytes[at] = byte;
            break;
        }
    }
    return bytes;
}

/* Feeding. */

typedef std::vector<size_t> json_cuts; /* sizes of the pushes; the rest comes in one */

inline json_cuts json_any_cuts(json_dice dice, size_t size)
{
    size_t most = 1;
    json_cuts cuts;

    switch (dice.below(5)) {
    case 0: return cuts;
    case 1: cuts.assign(size, 1); return cuts;
    case 2: cuts.push_back(dice.below(size + 1)); return cuts;
    case 3: most = 4; break;
    default: most = 40; break;
    }
    for (size_t sum = 0; sum < size; sum += cuts.back())
        cuts.push_back(dice.at < dice.drawn.size() ? dice.below(most) : most);
    return cuts;
}

/* Bytes in a block of exactly their size, so that the sanitizer reports reading outside of it. */
struct json_lent {
    std::unique_ptr<char[]> bytes;

    json_lent(const std::string &all, size_t at, size_t size) : bytes(new char[size])
    {
        memcpy(bytes.get(), all.data() + at, size);
    }
};

struct json_run {
    json_steps steps; /* joined */
    elelem_status status = ELELEM_MORE;
    uint64_t offset = 0; /* of the error, else of the next byte to be read */
    json_path path;      /* offset at which it stopped */

    bool operator==(const json_run &other) const
    {
        return status == other.status && offset == other.offset && path == other.path && steps == other.steps;
    }
};

inline std::ostream &operator<<(std::ostream &out, const json_run &run)
{
    for (const json_step &step : run.steps)
        out << "\n    " << step;
    return out << "\n    " << elelem_status_name(run.status) << " at " << run.offset << ' ' << json_shown(run.path);
}

/* Owns a parser and takes its fragments. */
struct json_reader {
    elelem_fragment_parser parser;
    json_steps steps; /* joined */

    explicit json_reader(const elelem_fragment_parser_desc *desc = nullptr) { elelem_fragment_parser_init(&parser, desc); }
    ~json_reader() { elelem_fragment_parser_free(&parser); }
    json_reader(const json_reader &) = delete;

    elelem_status take()
    {
        elelem_fragment fragment;
        elelem_status status;

        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
            keep(fragment);
        return status;
    }

    elelem_status push(const std::string &all, size_t at, size_t size)
    {
        json_lent lent(all, at, size);
        elelem_status status = elelem_fragment_parser_push(&parser, lent.bytes.get(), size);

        RC_ASSERT(status == ELELEM_OK);
        return take();
    }

    elelem_status finish()
    {
        elelem_fragment_parser_finish(&parser);
        return take();
    }

    void keep(const elelem_fragment &fragment)
    {
        bool is_string = fragment.kind == ELELEM_FRAGMENT_STRING;

        RC_ASSERT((fragment.text.size > 0 || !is_string));
        RC_ASSERT((!is_string || elelem_utf8_valid(fragment.text) == fragment.text.size));
        json_join(steps, json_step_of(fragment));
    }
};

inline json_run json_parse(const std::string &bytes, const json_cuts &cuts,
                           const elelem_fragment_parser_desc *desc = nullptr)
{
    json_reader reader(desc);
    json_run run;
    size_t at = 0;

    for (size_t i = 0; run.status == ELELEM_MORE && at < bytes.size(); i++) {
        size_t size = std::min(i < cuts.size() ? cuts[i] : SIZE_MAX, bytes.size() - at);
        run.status = reader.push(bytes, at, size);
        at += size;
    }
    if (run.status == ELELEM_MORE) run.status = reader.finish();
    run.offset = run.status < 0 ? elelem_fragment_parser_error(&reader.parser).offset
                                : elelem_fragment_parser_offset(&reader.parser);
    run.path = json_path_of(elelem_fragment_parser_path(&reader.parser));
    run.steps = reader.steps;
    return run;
}

/* The value of a text that is one document. */
inline json_value json_value_of_text(const std::string &bytes)
{
    json_run run = json_parse(bytes, json_cuts());
    std::vector<json_value> roots;

    RC_ASSERT(run.status == ELELEM_END);
    for (const json_step &step : run.steps)
        json_grow(roots, step);
    return roots.at(0);
}

/* An allocator that moves and spoils every block on every call, and refuses some. */
struct json_heap {
    size_t calls = 0;
    size_t refuse = 0; /* this call, counted from 1 */
    bool stays = false; /* and all after it */
    size_t live = 0;

    elelem_allocator allocator()
    {
        elelem_allocator made;

        made.resize = resize;
        made.context = this;
        return made;
    }

private:
    static void *resize(void *context, void *block, size_t old_size, size_t new_size)
    {
        json_heap *heap = static_cast<json_heap *>(context);
        void *moved = nullptr;

        if (new_size > 0) {
            heap->calls++;
            if (heap->refuse && (heap->calls == heap->refuse || (heap->stays && heap->calls > heap->refuse)))
                return nullptr;
            moved = malloc(new_size);
            if (!moved) abort();
            memset(moved, 0xdd, new_size);
            if (block) memcpy(moved, block, std::min(old_size, new_size));
        }
        if (block) {
            memset(block, 0xdd, old_size);
            free(block);
        }
        heap->live = heap->live - (block ? old_size : 0) + new_size;
        return moved;
    }
};

#endif
