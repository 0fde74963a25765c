/* tags: any text with any settings, cut anywhere, gives the same as a definition that reads
   the whole text with regular expressions; text and raw tags, joined, are the input again,
   so that its text is the input without the tags; and only what may still become a tag is
   held back. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <rapidcheck.h>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

const elelem_str names[] = { { "think", 5 }, { "thinking", 8 }, { "cite", 4 } };

struct Settings {
    unsigned max_tag, max_attributes, max_depth, trim;
    bool ignore_case;
};

/* The result: text joined, each tag in a line. */
struct Result {
    std::string log, joined, text;
    bool in_text = false;

    void add_text(const std::string &bytes, const std::string &where)
    {
        if (bytes.empty()) return;
        if (!in_text) log += "\n" + where + ": ";
        in_text = true;
        log += bytes;
        text += bytes;
    }

    void add_line(const std::string &line)
    {
        in_text = false;
        log += "\n" + line;
    }
};

std::string str(elelem_str bytes)
{
    return bytes.size > 0 ? std::string(bytes.data, bytes.size) : std::string();
}

/* The definition. */

const std::string blank = "[ \\t\\r\\n]";
const std::string value = "(?:\"[^\"]*\"|'[^']*'|[^ \\t\\r\\n\"'<>=][^ \\t\\r\\n\"'<>]*?)";
const std::string key = "[^ \\t\\r\\n\"'<=/>]+";
const std::string attribute = "(" + key + ")(?:" + blank + "*=" + blank + "*(" + value + "))?";
const std::string plain_attribute = key + "(?:" + blank + "*=" + blank + "*" + value + ")?";
const std::string head = "<(think|thinking|cite)((?:" + blank + "+" + plain_attribute + ")*)" + blank + "*";

struct Patterns {
    std::regex self_closing, begin, end, one;

    explicit Patterns(std::regex::flag_type flags)
        : self_closing(head + "/>", flags), begin(head + ">", flags),
          end("</(think|thinking|cite)" + blank + "*>", flags), one(attribute + "(?=[ \\t\\r\\n/>]|$)", flags)
    {
    }
};

const Patterns exact(std::regex::ECMAScript | std::regex::optimize);
const Patterns folded(std::regex::ECMAScript | std::regex::optimize | std::regex::icase);

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string lower(std::string text)
{
    for (char &c : text)
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    return text;
}

struct Tag {
    size_t at = 0, size = 0;
    bool is_end = false, is_self_closing = false;
    std::string name, id;
    std::vector<std::string> attributes; /* as key="value" or key */
};

struct Open {
    std::string name, id;
};

class Model {
public:
    Model(const std::string &all, const Settings &how)
        : input(all), settings(how), patterns(how.ignore_case ? folded : exact)
    {
    }

    Result run()
    {
        size_t at = 0;
        Tag tag;
        while (find(at, tag)) {
            give_text(at, tag.at, trims_before(tag));
            give_tag(tag);
            at = tag.at + tag.size;
        }
        give_text(at, input.size(), false);
        while (!open.empty())
            give_end("unclosed");
        return result;
    }

private:
    const std::string &input;
    const Settings &settings;
    const Patterns &patterns;
    std::vector<Open> open;
    Result result;
    size_t beyond = 0, made = 0;
    bool trims_after = false;

    std::string where() const
    {
        return std::to_string(open.size()) + (open.empty() ? "" : " " + open.back().name + " " + open.back().id);
    }

    bool has_open(const std::string &name) const
    {
        for (const Open &tag : open)
            if (tag.name == name) return true;
        return false;
    }

    bool trims_before(const Tag &tag) const
    {
        bool inside = tag.is_end && has_open(tag.name);
        return settings.trim & (unsigned)(inside ? ELELEM_TAG_TRIM_INSIDE : ELELEM_TAG_TRIM_OUTSIDE);
    }

    void give_text(size_t from, size_t to, bool trim)
    {
        size_t stop = to;
        while (trims_after && from < to && is_blank(input[from]))
            from++;
        while (stop > from && is_blank(input[stop - 1]))
            stop--;
        if (trim && to - stop < settings.max_tag) to = stop;
        result.add_text(input.substr(from, to - from), where());
    }

    void give_end(const std::string &how)
    {
        result.add_line("end " + where() + " " + how);
        open.pop_back();
        trims_after = settings.trim & (unsigned)ELELEM_TAG_TRIM_OUTSIDE;
    }

    void give_tag(const Tag &tag)
    {
        if (!tag.is_end) {
            std::string id = tag.id.empty() ? tag.name + "-" + std::to_string(++made) : tag.id;
            open.push_back(Open{ tag.name, id });
            std::string line = "begin " + where();
            for (const std::string &attr : tag.attributes)
                line += " " + attr;
            result.add_line(line);
            trims_after = settings.trim & (unsigned)ELELEM_TAG_TRIM_INSIDE;
            if (tag.is_self_closing) give_end("self-closed");
        } else if (!has_open(tag.name)) {
            result.add_line("orphan " + tag.name);
            trims_after = settings.trim & (unsigned)ELELEM_TAG_TRIM_OUTSIDE;
        } else {
            while (open.back().name != tag.name)
                give_end("implied");
            give_end("closed");
        }
    }

    /* The next tag at or after `at` that is not text because of its depth. */
    bool find(size_t at, Tag &tag)
    {
        while ((at = input.find('<', at)) != std::string::npos) {
            if (!match(at, tag)) {
                at++;
            } else if (tag.is_end && beyond > 0) {
                beyond--;
                at += tag.size;
            } else if (!tag.is_end && open.size() >= settings.max_depth) {
                if (!tag.is_self_closing) beyond++;
                at += tag.size;
            } else {
                return true;
            }
        }
        return false;
    }

    bool match(size_t at, Tag &tag) const
    {
        const char *from = input.data() + at, *to = input.data() + input.size();
        const auto anchored = std::regex_constants::match_continuous;
        std::cmatch found;
        tag = Tag();
        tag.at = at;
        if (std::regex_search(from, to, found, patterns.self_closing, anchored)) tag.is_self_closing = true;
        else if (std::regex_search(from, to, found, patterns.end, anchored)) tag.is_end = true;
        else if (!std::regex_search(from, to, found, patterns.begin, anchored)) return false;
        tag.size = (size_t)found.length();
        tag.name = lower(found[1].str());
        if (tag.size > settings.max_tag) return false;
        if (!tag.is_end) read_attributes(found[2].str(), tag);
        return tag.attributes.size() <= settings.max_attributes;
    }

    void read_attributes(const std::string &text, Tag &tag) const
    {
        size_t at = 0;
        std::cmatch found;
        for (;;) {
            while (at < text.size() && is_blank(text[at]))
                at++;
            if (at == text.size()) return;
            if (!std::regex_search(text.data() + at, text.data() + text.size(), found, patterns.one,
                                   std::regex_constants::match_continuous))
                throw std::runtime_error("no attribute in: " + text);
            while (is_bare(found[2].str()) && at + (size_t)found.length() < text.size() &&
                   !is_blank(text[at + (size_t)found.length()]))
                if (!longer(text, at, found)) throw std::runtime_error("no longer value in: " + text);
            add_attribute(found, tag);
            at += (size_t)found.length();
        }
    }

    static bool is_bare(const std::string &text)
    {
        return !text.empty() && text[0] != '"' && text[0] != '\'';
    }

    /* A bare value with a slash in it continues to the next whitespace. */
    bool longer(const std::string &text, size_t at, std::cmatch &found) const
    {
        size_t end = at + (size_t)found.length();
        while (end < text.size() && !is_blank(text[end]))
            end++;
        return std::regex_match(text.data() + at, text.data() + end, found, patterns.one);
    }

    void add_attribute(const std::cmatch &found, Tag &tag) const
    {
        std::string text = found[2].str(), name = found[1].str();
        if (!text.empty() && !is_bare(text)) text = text.substr(1, text.size() - 2);
        tag.attributes.push_back(found[2].matched ? name + "=" + text : name);
        if (settings.ignore_case) name = lower(name);
        if (tag.id.empty() && name == "id") tag.id = text;
    }
};

/* The splitter. */

struct Splitter {
    elelem_tag_splitter splitter;
    Result result;

    explicit Splitter(const Settings &settings)
    {
        elelem_tag_splitter_desc desc = ELELEM_INIT;
        desc.names = names;
        desc.name_count = 3;
        desc.max_tag_bytes = settings.max_tag;
        desc.max_attributes = settings.max_attributes;
        desc.max_depth = settings.max_depth;
        desc.trim = (uint8_t)settings.trim;
        desc.ignore_case = settings.ignore_case;
        elelem_tag_splitter_init(&splitter, &desc);
    }

    ~Splitter()
    {
        elelem_tag_splitter_free(&splitter);
    }

    void add(const elelem_tag_piece &piece)
    {
        static const char *const hows[] = { "", "closed", "self-closed", "implied", "unclosed", "orphan" };
        std::string where = std::to_string(piece.depth);
        if (piece.name.size > 0) where += " " + str(piece.name) + " " + str(piece.id);
        result.joined += str(piece.kind == ELELEM_TAG_TEXT ? piece.text : piece.raw);
        if (piece.kind == ELELEM_TAG_TEXT) {
            RC_ASSERT(piece.text.size > 0u);
            result.add_text(str(piece.text), where);
        } else if (piece.kind == ELELEM_TAG_END) {
            result.add_line(piece.how == ELELEM_TAG_ORPHAN ? "orphan " + str(piece.name)
                                                           : "end " + where + " " + hows[piece.how]);
        } else {
            std::string line = "begin " + where;
            for (uint32_t i = 0; i < piece.attribute_count; i++)
                line += " " + str(piece.attributes[i].name) +
                        (piece.attributes[i].has_value ? "=" + str(piece.attributes[i].value) : "");
            result.add_line(line);
        }
    }

    elelem_status drain()
    {
        elelem_tag_piece piece;
        elelem_status status;
        while ((status = elelem_tag_splitter_next(&splitter, &piece)) == ELELEM_OK)
            add(piece);
        return status;
    }

    /* All in random pieces; `bytes` are the most of one. */
    void push_pieces(const std::string &text, size_t most)
    {
        for (size_t at = 0; at < text.size();) {
            size_t size = std::min(text.size() - at, *rc::gen::inRange<size_t>(1, most + 1));
            at += size;
            push(text.substr(at - size, size), at == text.size() && *rc::gen::arbitrary<bool>());
        }
        finish();
    }

    /* Each push is a block of its own size. */
    void push(const std::string &bytes, bool is_last = false)
    {
        std::unique_ptr<char[]> lent(new char[bytes.size()]);
        memcpy(lent.get(), bytes.data(), bytes.size());
        RC_ASSERT(elelem_tag_splitter_push(&splitter, lent.get(), bytes.size()) == ELELEM_OK);
        if (is_last) finish();
        else RC_ASSERT(drain() == ELELEM_MORE);
    }

    void finish()
    {
        elelem_tag_splitter_finish(&splitter);
        RC_ASSERT(drain() == ELELEM_END);
    }
};

/* Texts that are nearly tags. */

rc::Gen<std::string> token()
{
    return rc::gen::element<std::string>(
        "<", "<", "</", ">", ">", "/>", "/", "\"", "\"", "'", "=", "=\"", "='", "=b", " ", " ", "  ", "\n", "\t",
        "a", "id", "ID", "b", "think", "thinking", "Think", "cite", "<think", "<think ", "<thinking>", "<cite>",
        "</cite>", "</think>", "</think >", "<cite/>", "<think id=\"1\">", "<cite id='x' a/>", "<cite a=b/>",
        "<think a=\"", "\xc3\xa9", "\xf0\x9f\x98\x80", "\xe2\x82", "\x80", "\xe0", "\xed\xa0", "some text", "a < b", "vector<int>",
        "<p>");
}

std::string arbitrary_text()
{
    std::string text;
    for (const std::string &part : *rc::gen::container<std::vector<std::string>>(token()))
        text += part;
    return text;
}

Settings arbitrary_settings()
{
    Settings settings;
    settings.max_tag = *rc::gen::element(4096u, 4096u, 12u, 20u);
    settings.max_attributes = *rc::gen::element(64u, 64u, 1u);
    settings.max_depth = *rc::gen::element(64u, 64u, 1u, 2u);
    settings.trim = *rc::gen::element(0u, 0u, 1u, 2u, 3u);
    settings.ignore_case = *rc::gen::element(false, false, true);
    return settings;
}

size_t valid_size(const std::string &bytes)
{
    elelem_str text = { bytes.data(), bytes.size() };
    return elelem_utf8_valid(text);
}

/* No character yet, but one with the right bytes after it. */
bool is_cut_character(const std::string &bytes)
{
    for (const char *end : { "\x80", "\x90", "\x80\x80", "\x90\x80", "\xa0\x80", "\x80\x80\x80", "\x90\x80\x80" })
        if (bytes.size() < 4 && valid_size(bytes) == 0 && valid_size(bytes + end) == bytes.size() + strlen(end)) return true;
    return false;
}

bool is_one_tag(const std::string &text, const Settings &settings)
{
    Result result = Model(text, settings).run();
    size_t tags = 0, at = 0;

    while ((at = result.log.find_first_of("bo", at)) != std::string::npos) {
        tags += result.log.compare(at, 5, "begin") == 0 || result.log.compare(at, 6, "orphan") == 0;
        at++;
    }
    return tags == 1 && result.text.empty();
}

/* Some text after it makes it one tag. */
bool may_become_tag(const std::string &held, const Settings &settings)
{
    for (const char *end : { ">", "b>", "\">", "'>" })
        if (is_one_tag(held + end, settings)) return true;
    for (const elelem_str &name : names)
        for (size_t i = 0; i < name.size; i++)
            if (is_one_tag(held + std::string(name.data + i, name.size - i) + ">", settings)) return true;
    return false;
}

int passed = 0, failed = 0;

template <class Law> void law(const char *name, Law holds)
{
    if (rc::check(name, holds)) passed++;
    else failed++;
}

}

int main()
{
    law("any text cut anywhere gives what the definition says", [] {
        Settings settings = arbitrary_settings();
        std::string text = arbitrary_text();
        Splitter splitter(settings);
        splitter.push_pieces(text, 11);
        RC_ASSERT(splitter.result.log == Model(text, settings).run().log);
    });
    law("text and raw tags joined are the input, so text is the input with its tags taken out", [] {
        Settings settings = arbitrary_settings();
        settings.trim = 0;
        std::string text = arbitrary_text();
        Splitter whole(settings);
        whole.push(text);
        whole.finish();
        RC_ASSERT(whole.result.joined == text);
        RC_ASSERT(whole.result.text == Model(text, settings).run().text);
        Splitter cut(settings);
        cut.push_pieces(text, *rc::gen::element<size_t>(1, 5, 40));
        RC_ASSERT(cut.result.joined == text);
        RC_ASSERT(cut.result.log == whole.result.log);
    });
    law("nothing is held back but what may still become a tag, or the begin of a character", [] {
        Settings settings = arbitrary_settings();
        settings.trim = 0;
        Settings longer = settings;
        longer.max_tag += 2; /* a tag is text as soon as it is too long, not only at its end */
        std::string text = arbitrary_text();
        Splitter splitter(settings);
        for (size_t at = 0; at < text.size();) {
            size_t size = *rc::gen::inRange<size_t>(1, 12);
            splitter.push(text.substr(at, size));
            at = std::min(text.size(), at + size);
            std::string held = text.substr(splitter.result.joined.size(), at - splitter.result.joined.size());
            RC_LOG() << held << "\n";
            RC_ASSERT(held.empty() || is_cut_character(held) || may_become_tag(held, longer));
        }
    });
    std::printf("prop_tags: %d passed, %d failed\n", passed, failed);
    return failed > 0;
}
