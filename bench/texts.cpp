#include "texts.h"

#include "elelem_stream.h"
#include "frames.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

using std::string;
using std::vector;
using words = vector<const char *>;

/* Numbers that look random and are the same on every machine. */
class sequence {
public:
    explicit sequence(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15 + 1) {}
    size_t below(size_t limit)
    {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return size_t(state >> 16) % limit;
    }
    size_t between(size_t low, size_t high) { return low + below(high - low + 1); }
    bool one_in(size_t n) { return below(n) == 0; }
    const char *of(const words &all) { return all[below(all.size())]; }

private:
    uint64_t state;
};

string number(size_t n)
{
    return std::to_string(n);
}

/* A fraction with as many digits after the point. */
string fraction(sequence &s, size_t whole_below, int digits)
{
    string text = number(s.below(whole_below)) + ".";
    for (int i = 0; i < digits; i++)
        text += char('0' + s.below(10));
    return text;
}

/* JSON text of a string: UTF-8 stays as it is. */
string json_string(const string &text)
{
    string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else out += c;
    }
    return out + "\"";
}

/* Text of the kind that programs are written in. */

const words names = { "value", "count", "i", "result", "item_list", "path", "offset", "is_done", "buffer", "next", "user",
                      "total_size", "config", "handler", "x", "key", "state", "response", "line_number", "parent" };
const words notes = { "nothing to do", "the caller frees it", "see above", "naïve, but fast enough", "größer als null",
                      "→ done ✓", "日本語のコメント", "note", "why is this \"magic\"?", "keeps the order" };

string call(sequence &s)
{
    string text = s.of(names) + string("_") + s.of(names) + "(" + s.of(names);
    if (s.one_in(2)) text += string(", ") + s.of(names);
    if (s.one_in(6)) text += string(", \"") + s.of(names) + " %d: %s\\n\"";
    return text + ")";
}

string source_line(sequence &s)
{
    switch (s.below(10)) {
    case 0: return string("if (") + s.of(names) + " == " + number(s.below(100)) + " && !" + call(s) + ") {";
    case 1: return string("return ") + call(s) + ";";
    case 2: return string("for (int ") + s.of(names) + " = 0; " + s.of(names) + " < " + s.of(names) + "; ++" + s.of(names) + ")";
    case 3: return string("/* ") + s.of(notes) + " */";
    case 4: return "}";
    case 5: return "";
    case 6: return string(s.of(names)) + "[\"" + s.of(names) + "\"] = " + s.of(names) + " * " + number(s.below(1000)) + ";";
    case 7: return string("const auto &") + s.of(names) + " = " + s.of(names) + "->" + call(s) + ";";
    case 8: return string("/* Returns ") + s.of(names) + ", or -1 if there is no " + s.of(names) + ": " + s.of(notes) + ". */";
    default: return call(s) + ";";
    }
}

string source_lines(sequence &s, size_t count)
{
    string text;
    for (size_t depth = 0, i = 0; i < count; i++) {
        string line = source_line(s);
        if (line == "}" && depth > 0) depth--;
        if (!line.empty()) text += string(depth * 4, ' ') + line;
        text += "\n";
        if (!line.empty() && line.back() == '{' && depth < 5) depth++;
    }
    return text;
}

string source_text(sequence &s, size_t bytes)
{
    string text;
    while (text.size() < bytes)
        text += source_lines(s, 40);
    return text;
}

string file_call(sequence &s, size_t bytes)
{
    return "{\"path\":\"src/module_" + number(s.below(7)) + "/file.cpp\",\"content\":" + json_string(source_text(s, bytes)) + "}";
}

vector<string> arguments()
{
    sequence s(1);
    vector<string> all;
    for (int i = 0; i < 10; i++)
        all.push_back(file_call(s, s.between(20000, 80000)));
    return all;
}

string edit(sequence &s)
{
    string old_text = source_lines(s, s.between(1, 12));
    string text = "{\"old\": " + json_string(old_text) + ", \"new\": " + json_string(old_text + source_lines(s, s.below(3)));
    if (s.one_in(5)) text += s.one_in(2) ? ", \"all\": true" : ", \"all\": false";
    if (s.one_in(5)) text += ", \"line\": " + number(s.between(1, 5000));
    return text + "}";
}

vector<string> edit_lists()
{
    sequence s(2);
    vector<string> all;
    for (int i = 0; i < 50; i++) {
        string text = "{\"path\": \"lib/edit_" + number(size_t(i)) + ".ts\", \"patterns\": [" + edit(s);
        for (size_t more = s.between(3, 20); more > 0; more--)
            text += ", " + edit(s);
        all.push_back(text + "]}");
    }
    return all;
}

/* Arguments of many small calls. */

const words plain = { "the", "quick", "search", "for", "latest", "results", "about", "open", "source", "parser", "in", "and",
                      "wants", "summary", "of", "file", "contents", "please", "check", "logs", "error", "build", "test", "run" };

string sentence(sequence &s, size_t low, size_t high)
{
    string text = s.of(plain);
    for (size_t more = s.between(low, high); more > 1; more--)
        text += string(" ") + s.of(plain);
    return text;
}

string small_object(sequence &s)
{
    static const words places = { "Paris, France", "São Paulo", "東京", "New York, NY", "Zürich" };
    switch (s.below(8)) {
    case 0:
        return string("{\"location\": \"") + s.of(places) + "\", \"unit\": \"celsius\", \"days\": " + number(s.between(1, 14)) + "}";
    case 1:
        return "{\"query\": \"" + sentence(s, 4, 14) + "\", \"limit\": " + number(s.between(1, 50)) +
               ", \"offset\": 0, \"filters\": {\"lang\": \"en\", \"since\": \"2026-01-17\", \"score\": " + fraction(s, 1, 3) + "}}";
    case 2:
        return "{\"command\":\"cd src && grep -rn \\\"" + sentence(s, 1, 3) + "\\\" . | head -" + number(s.between(5, 99)) +
               "\",\"timeout\":" + number(s.between(1, 120) * 1000) + ",\"background\":false}";
    case 3:
        return "{\"path\": \"/home/user/project/src/" + string(s.of(plain)) + ".c\", \"offset\": " + number(s.below(4000)) +
               ", \"limit\": " + number(s.between(50, 2000)) + "}";
    case 4:
        return "{\"x\":-" + fraction(s, 180, int(s.between(2, 7))) + ",\"y\":" + fraction(s, 90, int(s.between(2, 7))) +
               ",\"zoom\":" + number(s.between(1, 20)) + ",\"button\":\"left\"}";
    case 5:
        return "{\"file\": \"" + string(s.of(plain)) + ".py\", \"old\": \"def f(x):\\n    return \\\"" + sentence(s, 1, 4) +
               "\\\"\\n\", \"new\": \"def f(x: int) -> str:\\n    return \\\"" + sentence(s, 1, 4) + "\\\"\\n\"}";
    case 6:
        return "{\"todos\":[{\"content\":\"" + sentence(s, 3, 6) + "\",\"status\":\"pending\",\"id\":0},{\"content\":\"" +
               sentence(s, 3, 6) + "\",\"status\":\"completed\",\"id\":1}]}";
    default:
        return "{\"sql\": \"SELECT id, name FROM users WHERE age > " + number(s.between(1, 90)) + " LIMIT " +
               number(s.between(1, 100)) + ";\", \"params\": [" + number(s.below(1000000)) + ", null, true]}";
    }
}

vector<string> small_objects()
{
    sequence s(3);
    vector<string> all;
    for (int i = 0; i < 3000; i++)
        all.push_back(small_object(s));
    return all;
}

/* Prose. */

const words languages[] = {
    { "съешь", "ещё", "этих", "мягких", "французских", "булок", "да", "выпей", "чаю", "и" },
    { "天地", "玄黄", "宇宙", "洪荒", "日月", "盈昃", "辰宿", "列张", "，", "。" },
    { "いろは", "にほへと", "ちりぬるを", "わか", "よたれそ", "つねならむ", "、", "カタカナ", "も", "ある" },
    { "यह", "एक", "छोटा", "वाक्य", "है", "और", "दूसरा", "भी", "लिखा", "गया" },
    { "هذه", "جملة", "قصيرة", "من", "كلمات", "عادية", "في", "نص", "طويل", "🙂" },
};

string prose(sequence &s, const words &of, size_t bytes, const char *between)
{
    string text;
    while (text.size() < bytes)
        text += s.of(of) + string(between);
    return "{\"text\":\"" + text + "\"}";
}

vector<string> other_scripts()
{
    sequence s(4);
    vector<string> all;
    for (size_t i = 0; i < 5; i++)
        all.push_back(prose(s, languages[i], 80000, i == 1 || i == 2 ? "" : " "));
    return all;
}

vector<string> plain_text()
{
    sequence s(5);
    return { prose(s, plain, 400000, " ") };
}

/* Of the kind of the three public documents. */

string like_twitter()
{
    sequence s(6);
    string text = "{\"statuses\":[";
    for (size_t i = 0; text.size() < 500000; i++) {
        string id = number(500000000000000000 + s.below(1000000000));
        string user = "{\"id\":" + number(s.below(1000000000)) + ",\"name\":\"" + s.of(languages[2]) + "\",\"screen_name\":\"" +
                      s.of(names) + "\",\"description\":\"" + s.of(languages[2]) + s.of(languages[1]) +
                      "\",\"url\":null,\"protected\":false,\"followers_count\":" + number(s.below(9000)) +
                      ",\"profile_image_url\":\"http:\\/\\/images.example.com\\/" + number(s.below(1000000)) +
                      "\\/normal.jpeg\",\"entities\":{\"urls\":[]},\"following\":false,\"verified\":false}";
        text += string(i ? "," : "") + "{\"metadata\":{\"result_type\":\"recent\",\"iso_language_code\":\"ja\"},\"id\":" + id +
                ",\"id_str\":\"" + id + "\",\"text\":\"@" + s.of(names) + " ";
        for (size_t k = s.between(5, 25); k > 0; k--)
            text += s.of(languages[2]);
        text += "\\n#tag\",\"truncated\":false,\"user\":" + user +
                ",\"geo\":null,\"retweet_count\":" + number(s.below(50)) + ",\"entities\":{\"hashtags\":[{\"text\":\"tag\",\"indices\":[" +
                number(s.below(100)) + "," + number(s.between(100, 140)) + "]}],\"user_mentions\":[]},\"lang\":\"ja\"}";
    }
    return text + "]}";
}

string like_citm()
{
    sequence s(7);
    string text = "{\n    \"performances\": [";
    for (size_t i = 0; text.size() < 500000; i++) {
        text += string(i ? "," : "") + "\n        {\n            \"eventId\": " + number(138586341 + i) +
                ",\n            \"id\": " + number(s.below(400000000)) + ",\n            \"logo\": null,\n            \"name\": null,"
                "\n            \"prices\": [";
        for (size_t k = 0; k < 4; k++)
            text += string(k ? "," : "") + "\n                {\n                    \"amount\": " + number(s.below(200) * 500) +
                    ",\n                    \"audienceSubCategoryId\": 337100890,\n                    \"seatCategoryId\": " +
                    number(338937235 + s.below(100)) + "\n                }";
        text += "\n            ],\n            \"seatCategories\": [],\n            \"start\": " + number(1372701600000 + s.below(1000000)) +
                ",\n            \"venueCode\": \"PLEYEL_PLEYEL\"\n        }";
    }
    return text + "\n    ]\n}";
}

string like_canada()
{
    sequence s(8);
    string text = "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[";
    for (size_t i = 0; text.size() < 500000; i++)
        text += string(i ? "," : "") + "[-" + fraction(s, 140, int(s.between(12, 15))) + "," + fraction(s, 80, int(s.between(12, 15))) + "]";
    return text + "]]}}]}";
}

/* Recordings. */

string corpus(const char *folder)
{
    const char *path = std::getenv("ELELEM_CORPUS");
    return string(path ? path : "../shared/corpus") + "/" + folder;
}

/* A file without the whitespace at its end. Empty if it is not there. */
string read_file(const string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

void add_public(vector<document_set> &all, const char *name, const char *file, string (*like)())
{
    string text = read_file(corpus("bench") + "/" + file);
    while (!text.empty() && std::strchr(" \n\r\t", text.back()))
        text.pop_back();
    bool is_there = !text.empty();
    all.push_back({ is_there ? name : string("like ") + name, { is_there ? text : like() }, false });
}

/* Some peers take a text without copying it if there is room after it. */
void add_room(vector<string> &texts)
{
    for (string &t : texts)
        t.reserve(t.size() + 64);
}

string filled_frame(const char *frame, size_t n)
{
    string text;
    for (size_t word = n; *frame; frame++) {
        if (*frame == '@') text += stream_words[word++ * 7 % 8];
        else if (*frame == '#') text += number(word);
        else text += *frame;
    }
    return text;
}

string own_stream(const stream_text &of)
{
    string body = of.start;
    for (size_t i = 0; body.size() < 200000; i++)
        body += filled_frame(of.frame, i);
    return body + of.end;
}

vector<string> recorded_streams(const string &folder)
{
    std::error_code error;
    vector<string> paths, bodies;
    for (const auto &entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".sse") paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    for (const string &path : paths)
        bodies.push_back(read_file(path));
    return bodies;
}

string recordings_of(const string &shape)
{
    return shape == "interactions" ? corpus("interactions") : corpus("streams") + "/" + shape;
}

} // namespace

size_t bytes_of(const vector<string> &texts)
{
    size_t bytes = 0;
    for (const string &t : texts)
        bytes += t.size();
    return bytes;
}

string file_arguments(size_t bytes)
{
    sequence s(9);
    return file_call(s, bytes);
}

vector<document_set> document_sets()
{
    vector<document_set> all = {
        { "tool arguments", arguments(), true },  { "edit lists", edit_lists(), true },
        { "small objects", small_objects(), false }, { "other scripts", other_scripts(), true },
        { "plain text", plain_text(), true },
    };
    add_public(all, "twitter", "twitter.json", like_twitter);
    add_public(all, "citm", "citm_catalog.json", like_citm);
    add_public(all, "canada", "canada.json", like_canada);
    for (document_set &set : all)
        add_room(set.documents);
    return all;
}

vector<stream_set> stream_sets()
{
    vector<stream_set> all;
    for (const stream_text &of : streams) {
        stream_set set = { of.name, recorded_streams(recordings_of(of.name)), true };
        if (set.bodies.empty()) set = { of.name, { own_stream(of) }, false };
        all.push_back(set);
    }
    return all;
}
