/* tags: text in, text and tags out, however the text is cut.
 *
 * A row's input may hold cuts, written |, and is fed three ways: in those pieces, then
 * without the marks through feed.h, whole, byte by byte and at every cut. Whenever nothing
 * is trimmed, all text and raw tags in order must also be the input again.
 *
 * The log of a tag: BEGIN think #think-1* a="b" c  (* a generated id, c without value)
 * and END think #think-1* closed. Names, ids and values are cut after SHOWN bytes. The label
 * of text is the innermost tag around it. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"


/* The pieces of <br/>. */
#define BR(number) "BEGIN br #br-" number "* self-closed\nEND br #br-" number "* self-closed\n"

#define SHOWN 20
#define COUNT(table) (sizeof(table) / sizeof *(table))

static const elelem_str names[] = {
    { "think", 5 }, { "thinking", 8 }, { "artifact", 8 }, { "cite", 4 }, { "br", 2 }, { "a-b_c.d:e", 9 }
};

/* The object under test. */

static elelem_tag_splitter splitter;
static elelem_tag_splitter_desc settings;
static const char *input;
static size_t input_size;
static char rebuilt[1 << 16];
static size_t rebuilt_size;

static void rebuild(elelem_str bytes)
{
    if (bytes.size > sizeof rebuilt - rebuilt_size) return;
    if (bytes.size > 0) memcpy(rebuilt + rebuilt_size, bytes.data, bytes.size);
    rebuilt_size += bytes.size;
}

static void start(void *object)
{
    elelem_tag_splitter_reset((elelem_tag_splitter *)object);
    rebuilt_size = 0;
}

static elelem_status push(void *object, const void *bytes, size_t size)
{
    return elelem_tag_splitter_push((elelem_tag_splitter *)object, bytes, size);
}

static int shown(elelem_str text)
{
    return text.size > SHOWN ? SHOWN : (int)text.size;
}

static void log_attribute(char *line, size_t size, const elelem_tag_attribute *attribute)
{
    snprintf(line, size, attribute->has_value ? " %.*s=\"%.*s\"" : " %.*s", shown(attribute->name),
             attribute->name.data, shown(attribute->value), attribute->value.data);
}

static void log_tag(feed_log *log, const elelem_tag_piece *piece)
{
    static const char *const hows[] = { "", " closed", " self-closed", " implied", " unclosed", " orphan" };
    char line[900];
    uint32_t i;

    snprintf(line, sizeof line, "%s %.*s", piece->kind == ELELEM_TAG_BEGIN ? "BEGIN" : "END", shown(piece->name),
             piece->name.data);
    if (piece->how != ELELEM_TAG_ORPHAN)
        snprintf(line + strlen(line), sizeof line - strlen(line), " #%.*s%s", shown(piece->id), piece->id.data,
                 piece->id_generated ? "*" : "");
    for (i = 0; i < piece->attribute_count; i++)
        log_attribute(line + strlen(line), sizeof line - strlen(line), &piece->attributes[i]);
    feed_line(log, "%s%s", line, hows[piece->how]);
}

static elelem_status take(void *object, feed_log *log)
{
    elelem_tag_piece piece;
    elelem_status status = elelem_tag_splitter_next((elelem_tag_splitter *)object, &piece);
    char label[64] = "text";

    if (status == ELELEM_END && settings.trim == 0 && input_size <= sizeof rebuilt)
        CHECK_BYTES(rebuilt, rebuilt_size, input, input_size);
    if (status != ELELEM_OK) return status;
    rebuild(piece.kind == ELELEM_TAG_TEXT ? piece.text : piece.raw);
    if (piece.kind == ELELEM_TAG_TEXT) {
        if (piece.depth > 0) snprintf(label, sizeof label, "in %.*s", shown(piece.name), piece.name.data);
        feed_text(log, label, piece.text.data, piece.text.size);
    } else {
        log_tag(log, &piece);
    }
    return status;
}

static void finish(void *object)
{
    elelem_tag_splitter_finish((elelem_tag_splitter *)object);
}

static elelem_error error(const void *object)
{
    return elelem_tag_splitter_error((const elelem_tag_splitter *)object);
}

static const feed_object object = { &splitter, start, push, take, finish, error };

/* Rows. */

/* Pushes the text between the cut marks, each in one piece. */
static void feed_pieces(const char *marked, const char *expected)
{
    const char *at = marked;
    elelem_status status = ELELEM_MORE;

    check_cut("in the pieces marked", 0);
    feed_now.size = 0;
    feed_now.in_text = 0;
    feed_now.full = 0;
    start(&splitter);
    while (status == ELELEM_MORE && *at != '\0') {
        size_t size = strcspn(at, "|");
        status = feed_push(&object, &feed_now, at, size);
        at += size + (at[size] == '|');
    }
    finish(&splitter);
    feed_end(&object, &feed_now, feed_drain(&object, &feed_now, NULL));
    CHECK_STR(feed_now.text, feed_now.size, expected);
}

static void split_bytes(const char *bytes, size_t size, const char *expected)
{
    input = bytes;
    input_size = size;
    elelem_tag_splitter_init(&splitter, &settings);
    FEED(&object, bytes, size, expected);
    elelem_tag_splitter_free(&splitter);
}

static size_t strip(const char *marked, char *bytes)
{
    size_t size = 0;

    for (; *marked != '\0'; marked++)
        if (*marked != '|') bytes[size++] = *marked;
    return size;
}

static void split(const char *marked, const char *expected)
{
    char bytes[4096];
    size_t size = strip(marked, bytes);

    check_context(marked);
    split_bytes(bytes, size, expected);
    input = bytes;
    input_size = size;
    elelem_tag_splitter_init(&splitter, &settings);
    feed_pieces(marked, expected);
    elelem_tag_splitter_free(&splitter);
    check_context(NULL);
}

static void plain(void)
{
    memset(&settings, 0, sizeof settings);
    settings.names = names;
    settings.name_count = COUNT(names);
}

/* Whitespace kept, or trimmed outside of pairs like in the other splitter. */
static void kept(const char *marked, const char *expected)
{
    plain();
    split(marked, expected);
}

static void trimmed(const char *marked, const char *expected)
{
    plain();
    settings.trim = ELELEM_TAG_TRIM_OUTSIDE;
    split(marked, expected);
}

/* Long texts are put together. */

static char built[1 << 16];
static size_t built_size;

static void add(const char *text)
{
    size_t size = strlen(text);

    memcpy(built + built_size, text, size);
    built_size += size;
}

static void add_times(const char *text, size_t times)
{
    while (times-- > 0)
        add(text);
}

/* Splits what was put together, with the settings as they are. */
static void split_built(const char *expected)
{
    split_bytes(built, built_size, expected);
    built_size = 0;
}

/* All of it is text. */
/* Pushes `size` bytes in pieces and counts the pieces: text, BEGINs, ENDs. */
typedef struct tally {
    size_t text, begins, ends, closed, depth;
    elelem_status status;
} tally;

static tally run(const char *bytes, size_t size, size_t piece_size)
{
    tally count = { 0, 0, 0, 0, 0, ELELEM_MORE };
    elelem_tag_piece piece;
    size_t at = 0;

    elelem_tag_splitter_init(&splitter, &settings);
    while (count.status == ELELEM_MORE) {
        size_t next = size - at < piece_size ? size - at : piece_size;
        if (at < size) push(&splitter, bytes + at, next);
        else finish(&splitter);
        at += next;
        while ((count.status = elelem_tag_splitter_next(&splitter, &piece)) == ELELEM_OK) {
            count.text += piece.text.size;
            count.begins += piece.kind == ELELEM_TAG_BEGIN;
            count.ends += piece.kind == ELELEM_TAG_END;
            count.closed += piece.how == ELELEM_TAG_CLOSED;
            if (piece.depth > count.depth) count.depth = piece.depth;
        }
    }
    elelem_tag_splitter_free(&splitter);
    return count;
}

static void is_text(const char *marked)
{
    static char expected[8192];
    char bytes[4096];
    size_t size = strip(marked, bytes);

    feed_now.size = 0;
    feed_now.in_text = 0;
    feed_bytes(&feed_now, "text", bytes, size);
    feed_line(&feed_now, "END");
    memcpy(expected, feed_now.text, feed_now.size);
    expected[feed_now.size] = '\0';
    kept(marked, expected);
}

/* What another splitter of this kind tests in its own 61 tests, in their order. Mostly this one
   does the same: tags are not in the text, and whitespace next to them is left out. If a result of
   the other one depends on the cuts, or it holds text back or loses it, the name of the test says
   what happens here. */

/* Basic. */

TEST(basic_01_a_self_closing_tag_between_two_pieces_of_text)
{
    trimmed("before<think id=\"a\"/>after",
            "text \"before\"\nBEGIN think #a id=\"a\" self-closed\nEND think #a self-closed\ntext \"after\"\nEND\n");
}

TEST(basic_02_a_pair_with_an_attribute_and_text_that_is_returned_in_pieces)
{
    trimmed("a<think id=\"x\">in|ner</think>b",
            "text \"a\"\nBEGIN think #x id=\"x\"\nin think \"inner\"\nEND think #x closed\ntext \"b\"\nEND\n");
}

TEST(basic_03_a_pair_without_attributes_has_a_generated_id)
{
    trimmed("a<think>inner</think>b",
            "text \"a\"\nBEGIN think #think-1*\nin think \"inner\"\nEND think #think-1* closed\ntext \"b\"\nEND\n");
}

TEST(basic_04_br)
{
    trimmed("a<br/>b", "text \"a\"\n" BR("1") "text \"b\"\nEND\n");
}

TEST(basic_05_three_attributes)
{
    trimmed("<cite id=\"1\" source=\"s\" page=\"2\"/>",
            "BEGIN cite #1 id=\"1\" source=\"s\" page=\"2\" self-closed\nEND cite #1 self-closed\nEND\n");
}

TEST(basic_06_three_attributes_and_a_space_before_the_slash)
{
    trimmed("<cite id=\"1\" source=\"s\" page=\"2\" />",
            "BEGIN cite #1 id=\"1\" source=\"s\" page=\"2\" self-closed\nEND cite #1 self-closed\nEND\n");
}

TEST(basic_07_a_repeated_attribute_is_two_attributes_in_order_and_not_a_list)
{
    trimmed("<cite tag=\"a\" tag=\"b\"/>",
            "BEGIN cite #cite-1* tag=\"a\" tag=\"b\" self-closed\nEND cite #cite-1* self-closed\nEND\n");
}

/* Input cut in pieces. */

TEST(cut_01_a_begin_tag)
{
    trimmed("a<think |id=\"1\"/>b",
            "text \"a\"\nBEGIN think #1 id=\"1\" self-closed\nEND think #1 self-closed\ntext \"b\"\nEND\n");
}

TEST(cut_02_a_tag_name)
{
    trimmed("a<thi|nk/>b",
            "text \"a\"\nBEGIN think #think-1* self-closed\nEND think #think-1* self-closed\ntext \"b\"\nEND\n");
}

TEST(cut_03_an_attribute_value)
{
    trimmed("<think title=\"Hello W|orld\"/>",
            "BEGIN think #think-1* title=\"Hello World\" self-closed\nEND think #think-1* self-closed\nEND\n");
}

TEST(cut_04_the_slash_from_its_bracket)
{
    trimmed("a<think/|>b",
            "text \"a\"\nBEGIN think #think-1* self-closed\nEND think #think-1* self-closed\ntext \"b\"\nEND\n");
}

TEST(cut_05_an_end_tag)
{
    trimmed("<think>in</thi|nk>b",
            "BEGIN think #think-1*\nin think \"in\"\nEND think #think-1* closed\ntext \"b\"\nEND\n");
}

TEST(cut_06_the_text_inside_which_is_not_waited_for)
{
    trimmed("<think>one |two</think>",
            "BEGIN think #think-1*\nin think \"one two\"\nEND think #think-1* closed\nEND\n");
}

TEST(cut_07_one_tag_by_single_characters)
{
    trimmed("<|t|h|i|n|k| |i|d|=|\"|1|\"|/|>",
            "BEGIN think #1 id=\"1\" self-closed\nEND think #1 self-closed\nEND\n");
}

TEST(cut_08_a_pair_in_small_pieces)
{
    trimmed("<th|ink i|d=\"|7\">so| it |is</|thin|k>",
            "BEGIN think #7 id=\"7\"\nin think \"so it is\"\nEND think #7 closed\nEND\n");
}

/* Whitespace between tags. */

TEST(blank_01_between_two_self_closing_tags_is_left_out)
{
    trimmed("<br/>   <br/>", BR("1") BR("2") "END\n");
}

TEST(blank_02_between_pairs_is_left_out)
{
    trimmed("<think>a</think> \n <cite>b</cite>",
            "BEGIN think #think-1*\nin think \"a\"\nEND think #think-1* closed\n"
            "BEGIN cite #cite-2*\nin cite \"b\"\nEND cite #cite-2* closed\nEND\n");
}

TEST(blank_03_tabs_and_CR_LF_between_tags_are_left_out)
{
    trimmed("<br/>\t\r\n\t<br/>", BR("1") BR("2") "END\n");
}

TEST(blank_04_before_the_first_tag_is_left_out)
{
    trimmed("  \n<br/>", BR("1") "END\n");
}

TEST(blank_05_after_the_last_tag_is_left_out)
{
    trimmed("<br/>  \n", BR("1") "END\n");
}

TEST(blank_06_in_a_piece_of_its_own_between_tags_is_left_out)
{
    trimmed("<br/>|  \n |<br/>", BR("1") BR("2") "END\n");
}

/* Whitespace next to text. */

TEST(next_to_01_text_after_a_tag_loses_the_whitespace_before_it)
{
    trimmed("<br/>  text", BR("1") "text \"text\"\nEND\n");
}

TEST(next_to_02_text_after_a_pair_loses_the_whitespace_before_it)
{
    trimmed("<think>a</think>\n\ntext",
            "BEGIN think #think-1*\nin think \"a\"\nEND think #think-1* closed\ntext \"text\"\nEND\n");
}

TEST(next_to_03_text_before_a_tag_loses_the_whitespace_after_it)
{
    trimmed("text  <br/>", "text \"text\"\n" BR("1") "END\n");
}

TEST(next_to_04_a_piece_of_whitespace_after_a_tag_is_left_out_and_that_of_the_next_piece_too)
{
    trimmed("<br/>|  | \n|text", BR("1") "text \"text\"\nEND\n");
}

TEST(next_to_05_a_piece_of_whitespace_before_a_tag_is_left_out_because_cuts_do_not_matter)
{
    trimmed("text|  |<br/>", "text \"text\"\n" BR("1") "END\n");
}

/* Whitespace that stays. */

TEST(stays_01_inside_text)
{
    trimmed("one  two   three", "text \"one  two   three\"\nEND\n");
}

TEST(stays_02_line_ends_in_text)
{
    trimmed("one\n\ntwo\r\nthree", "text \"one\\n\\ntwo\\r\\nthree\"\nEND\n");
}

TEST(stays_03_indentation)
{
    trimmed("list:\n  - a\n    - b", "text \"list:\\n  - a\\n    - b\"\nEND\n");
}

TEST(stays_04_around_text_without_tags)
{
    trimmed("  text  ", "text \"  text  \"\nEND\n");
}

TEST(stays_05_inside_a_pair)
{
    trimmed("<think>  a \n b  </think>",
            "BEGIN think #think-1*\nin think \"  a \\n b  \"\nEND think #think-1* closed\nEND\n");
}

TEST(stays_06_of_all_kinds_mixed)
{
    trimmed("a \t b\n\t c\r\n d", "text \"a \\t b\\n\\t c\\r\\n d\"\nEND\n");
}

TEST(stays_07_across_pieces_so_that_the_joined_text_is_the_same)
{
    trimmed("one |two| three", "text \"one two three\"\nEND\n");
}

TEST(stays_08_inside_the_texts_on_both_sides_of_a_tag)
{
    trimmed("one  two<br/>three  four",
            "text \"one  two\"\n" BR("1") "text \"three  four\"\nEND\n");
}

/* Several tags. */

TEST(several_01_three_self_closing_tags)
{
    trimmed("<br/><br id=\"x\"/><br/>",
            BR("1") "BEGIN br #x id=\"x\" self-closed\n"
            "END br #x self-closed\n" BR("2") "END\n");
}

TEST(several_02_three_pairs)
{
    trimmed("<think>1</think><cite>2</cite><think>3</think>",
            "BEGIN think #think-1*\nin think \"1\"\nEND think #think-1* closed\n"
            "BEGIN cite #cite-2*\nin cite \"2\"\nEND cite #cite-2* closed\n"
            "BEGIN think #think-3*\nin think \"3\"\nEND think #think-3* closed\nEND\n");
}

TEST(several_03_mixed_and_the_end_distinguishes_a_self_closing_tag_from_an_empty_pair)
{
    trimmed("<br/><br></br><think>1</think>",
            BR("1") "BEGIN br #br-2*\nEND br #br-2* closed\n"
            "BEGIN think #think-3*\nin think \"1\"\nEND think #think-3* closed\nEND\n");
}

TEST(several_04_with_text_between)
{
    trimmed("a<br/>b<think>c</think>d",
            "text \"a\"\n" BR("1") "text \"b\"\n"
            "BEGIN think #think-2*\nin think \"c\"\nEND think #think-2* closed\ntext \"d\"\nEND\n");
}

/* Edges. */

TEST(edge_01_no_tags)
{
    trimmed("only text", "text \"only text\"\nEND\n");
}

TEST(edge_02_only_tags)
{
    trimmed("<br/><think></think>", BR("1") "BEGIN think #think-2*\nEND think #think-2* closed\nEND\n");
}

TEST(edge_03_an_orphan_end_tag_is_not_text_but_an_END)
{
    trimmed("a</think>b", "text \"a\"\nEND think orphan\ntext \"b\"\nEND\n");
}

TEST(edge_04_an_unclosed_pair_ends_as_unclosed_and_not_as_text_because_its_content_was_returned)
{
    trimmed("a<think>b c", "text \"a\"\nBEGIN think #think-1*\nin think \"b c\"\nEND think #think-1* unclosed\nEND\n");
}

TEST(edge_05_a_begin_tag_that_is_cut_by_the_end_is_text)
{
    trimmed("a<think id=\"1", "text \"a<think id=\\\"1\"\nEND\n");
}

TEST(edge_06_a_bracket_that_is_never_closed_is_text_and_holds_nothing_back)
{
    trimmed("a < b and more", "text \"a < b and more\"\nEND\n");
}

TEST(edge_07_an_empty_pair_has_no_text_between_its_BEGIN_and_END)
{
    trimmed("<think></think>", "BEGIN think #think-1*\nEND think #think-1* closed\nEND\n");
}

TEST(edge_08_single_characters)
{
    trimmed("x|<br/>|y", "text \"x\"\n" BR("1") "text \"y\"\nEND\n");
}

TEST(edge_09_empty_pieces)
{
    trimmed("a||<th||ink>||b||</think>",
            "text \"a\"\nBEGIN think #think-1*\nin think \"b\"\nEND think #think-1* closed\nEND\n");
}

TEST(edge_10_a_name_of_1000_characters)
{
    static char name[1001];
    elelem_str listed;

    memset(name, 'n', 1000);
    listed = elelem_str_of(name);
    plain();
    settings.names = &listed;
    settings.name_count = 1;
    add("a<");
    add(name);
    add(" id=\"1\">b</");
    add(name);
    add(">");
    split_built("text \"a\"\nBEGIN nnnnnnnnnnnnnnnnnnnn #1 id=\"1\"\nin nnnnnnnnnnnnnnnnnnnn \"b\"\n"
                "END nnnnnnnnnnnnnnnnnnnn #1 closed\nEND\n");
}

TEST(edge_11_a_value_of_1000_characters)
{
    plain();
    add("<think id=\"");
    add_times("v", 1000);
    add("\"/>");
    split_built("BEGIN think #vvvvvvvvvvvvvvvvvvvv id=\"vvvvvvvvvvvvvvvvvvvv\" self-closed\n"
                "END think #vvvvvvvvvvvvvvvvvvvv self-closed\nEND\n");
}

/* Realistic. */

TEST(real_01_reasoning_between_pieces_of_text)
{
    trimmed("Let me |analyze <thinking id=\"abc\">I should |verify first</thinking> The |answer is 4",
            "text \"Let me analyze\"\nBEGIN thinking #abc id=\"abc\"\nin thinking \"I should verify first\"\n"
            "END thinking #abc closed\ntext \"The answer is 4\"\nEND\n");
}

TEST(real_02_reasoning_several_times)
{
    trimmed("<thinking id=\"1\">a</thinking>One. <thinking id=\"2\">b</thinking>Two.",
            "BEGIN thinking #1 id=\"1\"\nin thinking \"a\"\nEND thinking #1 closed\ntext \"One.\"\n"
            "BEGIN thinking #2 id=\"2\"\nin thinking \"b\"\nEND thinking #2 closed\ntext \"Two.\"\nEND\n");
}

TEST(real_03_a_code_fence_stays)
{
    trimmed("So:\n```html\n<p class=\"x\">1 < 2</p>\n"
            "```\n", "text \"So:\\n```html\\n<p class=\\\"x\\\">1 < 2</p>\\n```\\n\"\nEND\n");
}

TEST(real_04_many_attributes)
{
    trimmed("<artifact id=\"a1\" type=\"code\" language=\"c\" title='Two \"words\"' version=3 draft/>",
            "BEGIN artifact #a1 id=\"a1\" type=\"code\" language=\"c\" title=\"Two \"words\"\" version=\"3\" "
            "draft self-closed\n"
            "END artifact #a1 self-closed\nEND\n");
}

TEST(real_05_ten_thousand_characters_between_tags_which_are_not_waited_for)
{
    static char expected[11000];

    plain();
    settings.trim = ELELEM_TAG_TRIM_OUTSIDE;
    add("<br/>");
    add_times("0123456789", 1000);
    strcpy(expected, BR("1") "text \"");
    memcpy(expected + strlen(expected), built + 5, 10000);
    strcat(expected, "\"\n" BR("2") "END\n");
    add("<br/>");
    split_built(expected);
}

TEST(real_06_quick_alternation)
{
    trimmed("a<br/>b<br/>c<br/>",
            "text \"a\"\n" BR("1") "text \"b\"\n" BR("2") "text \"c\"\n" BR("3") "END\n");
}

TEST(real_07_names_with_punctuation)
{
    trimmed("<a-b_c.d:e x-y_z.w:v=\"1\">t</a-b_c.d:e>",
            "BEGIN a-b_c.d:e #a-b_c.d:e-1* x-y_z.w:v=\"1\"\nin a-b_c.d:e \"t\"\nEND a-b_c.d:e #a-b_c.d:e-1* closed\n"
            "END\n");
}

/* Combinations. */

TEST(both_01_trimmed_at_the_borders_of_tags_and_not_inside)
{
    trimmed("  a  <think>  b  </think>  c  ",
            "text \"  a\"\nBEGIN think #think-1*\nin think \"  b  \"\nEND think #think-1* closed\ntext \"c  \"\nEND\n");
}

TEST(both_02_tabs_and_line_ends)
{
    trimmed("a\t\n<br/>\r\n\tb", "text \"a\"\n" BR("1") "text \"b\"\nEND\n");
}

TEST(both_03_a_paragraph_break_before_a_tag_is_left_out_even_from_an_earlier_piece)
{
    trimmed("para\n\n|<br/>", "text \"para\"\n" BR("1") "END\n");
}

TEST(both_04_whitespace_in_many_pieces_waits_for_what_follows_and_is_kept_before_text)
{
    trimmed("a| |\n| |b| | |<br/>", "text \"a \\n b\"\n" BR("1") "END\n");
}

TEST(both_05_without_tags_whitespace_is_unchanged)
{
    trimmed(" \t a \r\n b \n", "text \" \\t a \\r\\n b \\n\"\nEND\n");
}

/* Text that is no listed tag. */

TEST(what_is_not_a_listed_tag_passes_unchanged)
{
    static const char *const rows[] = {
        "a < b and c > d", "a<b", "std::vector<int> v;", "Map<String, List<int>>", "<div class=\"think\">x</div>",
        "<p>", "x <<= 2; y >>= 1;", "<>", "</>", "< think>", "<think", "</think", "<thin>", "<thinks>",
        "<think-er>", "<Think>", "<THINK>", "</ think>", "<//think>", "<think\xc3\xa9>", "<!-- think -->",
        "<?think?>", "<!think>", "<think<", "<", "a <", "<<<<<", "if (a <think && b) {", "\"<\" '<'", "<br", "<b",
        "<cit", "<", "2 <3", "<think /", "<think a=\"", "<think a='b\"", "<think a=", "<think a =", "<think a= ",
        "<think a=b/", "<think a=\"b\"/"
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++)
        is_text(rows[i]);
}

TEST(a_tag_that_is_not_well_formed_is_text)
{
    static const char *const rows[] = {
        "<think / >", "<think //>", "<think a/b>", "<think =b>", "<think a=>", "<think a==b>", "<think \"a\">",
        "<think'a'>", "<think a\"b\">", "<think a=b\"c\">", "<think a=\"b\"c>", "<think a='b'c='d'>",
        "<think a='b'\"c\">", "<think/a>", "</think/>", "</think a>", "<think a=b<c>", "<think a<b>",
        "<think a=<b>", "<think a <b>", "<think a=\"b\"<>", "<think/<>"
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++)
        is_text(rows[i]);
    kept("<think>|x</cite a>", "BEGIN think #think-1*\nin think \"x</cite a>\"\nEND think #think-1* unclosed\nEND\n");
}

TEST(after_what_is_not_a_tag_any_bracket_may_begin_one)
{
    kept("<<br/>", "text \"<\"\n" BR("1") "END\n");
    kept("<think<br/>", "text \"<think\"\n" BR("1") "END\n");
    kept("<think a=\"<br/>", "text \"<think a=\\\"\"\n" BR("1") "END\n");
    kept("<think a=\"<cite b='\"<br/>", "text \"<think a=\\\"<cite b='\\\"\"\n" BR("1") "END\n");
    kept("</<br/>", "text \"</\"\n" BR("1") "END\n");
}

TEST(text_is_returned_as_soon_as_it_cannot_become_a_tag)
{
    static const struct { const char *pushed, *out; } rows[] = {
        { "a < b", "a < b" }, { "a <", "a " }, { "a <t", "a " }, { "a <ta", "a <ta" }, { "<thinking", "" },
        { "<thinkings", "<thinkings" }, { "</", "" }, { "</x", "</x" }, { "<think \"", "<think \"" },
        { "x<think a=\"b", "x" }, { "<<<", "<<" }, { "caf\xc3", "caf" }, { "caf\xc3\xa9", "caf\xc3\xa9" },
        { "\xf0\x9f\x98", "" }, { "\xf0\x9f\x98<", "\xf0\x9f\x98" }, { "  ", "  " }, { "\xc3x", "\xc3x" },
        { "\xff", "\xff" }, { "\xa9", "\xa9" }
    };
    size_t i;

    plain();
    for (i = 0; i < COUNT(rows); i++) {
        elelem_tag_piece piece;
        elelem_status status;
        check_context(rows[i].pushed);
        elelem_tag_splitter_init(&splitter, &settings);
        rebuilt_size = 0;
        CHECK_INT(push(&splitter, rows[i].pushed, strlen(rows[i].pushed)), ELELEM_OK);
        while ((status = elelem_tag_splitter_next(&splitter, &piece)) == ELELEM_OK)
            rebuild(piece.text);
        CHECK_INT(status, ELELEM_MORE);
        CHECK_STR(rebuilt, rebuilt_size, rows[i].out);
        elelem_tag_splitter_free(&splitter);
    }
}

TEST(text_without_tags_comes_as_one_slice_of_the_pushed_bytes)
{
    static const char text[] = "a < b, vector<int>, <p>, <thin> and so on";
    elelem_tag_piece piece;

    plain();
    elelem_tag_splitter_init(&splitter, &settings);
    push(&splitter, text, sizeof text - 1);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
    CHECK(piece.text.data == text);
    CHECK_U64(piece.text.size, sizeof text - 1);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_MORE);
    elelem_tag_splitter_free(&splitter);
}

TEST(characters_are_never_cut)
{
    kept("gr\xc3\xbc\xc3\x9f<think>\xe2\x82\xac \xf0\x9f\x98\x80</think>\xf0\x9f\x98\x80",
         "text \"gr\xc3\xbc\xc3\x9f\"\nBEGIN think #think-1*\nin think \"\xe2\x82\xac \xf0\x9f\x98\x80\"\n"
         "END think #think-1* closed\ntext \"\xf0\x9f\x98\x80\"\nEND\n");
    kept("<think a=\"\xe2\x82\xac\xf0\x9f\x98\x80", "text \"<think a=\\\"\xe2\x82\xac\xf0\x9f\x98\x80\"\nEND\n");
    kept("<cite a=\xe2\x82\xac\xf0\x9f\x98\x80>x", "BEGIN cite #cite-1* a=\"\xe2\x82\xac\xf0\x9f\x98\x80\"\n"
         "in cite \"x\"\n"
         "END cite #cite-1* unclosed\nEND\n");
}

TEST(bytes_that_are_not_utf8_pass)
{
    static const char *const rows[] = {
        "\xff\xfe", "\xc3", "\xc3(", "a\x80\x80", "\xe2\x82", "\xe2\x82x", "\xed\xa0\x80", "\xf0\x9f\x98",
        "\xf5\x80\x80\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xf4\x90\x80\x80", "\xc3\xc3\xa9", "\xe2\xe2\x82\xac",
        "\xf0\x9f\x98<br>"
    };
    size_t i;

    plain();
    for (i = 0; i < COUNT(rows); i++) {
        size_t cut, size = strlen(rows[i]);
        check_context(rows[i]);
        for (cut = 0; cut <= size; cut++) {
            elelem_tag_piece piece;
            elelem_tag_splitter_init(&splitter, &settings);
            rebuilt_size = 0;
            push(&splitter, rows[i], cut);
            while (elelem_tag_splitter_next(&splitter, &piece) == ELELEM_OK)
                rebuild(piece.kind == ELELEM_TAG_TEXT ? piece.text : piece.raw);
            push(&splitter, rows[i] + cut, size - cut);
            finish(&splitter);
            while (elelem_tag_splitter_next(&splitter, &piece) == ELELEM_OK)
                rebuild(piece.kind == ELELEM_TAG_TEXT ? piece.text : piece.raw);
            CHECK_STR(rebuilt, rebuilt_size, rows[i]);
            elelem_tag_splitter_free(&splitter);
        }
    }
}

TEST(bytes_that_cannot_become_a_character_are_not_held_back)
{
    static const char *const rows[] = { "\xe0\x80", "\xf0\x80", "\xed\xa0", "\xf4\x90", "\xe2 ", "\xf0\x9f<" };
    size_t i;

    plain();
    for (i = 0; i < COUNT(rows); i++) {
        size_t size = strlen(rows[i]);
        elelem_tag_piece piece;
        check_context(rows[i]);
        elelem_tag_splitter_init(&splitter, &settings);
        push(&splitter, rows[i], size - 1);
        CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_MORE);
        push(&splitter, rows[i] + size - 1, 1);
        CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
        CHECK_BYTES(piece.text.data, piece.text.size, rows[i], size - 1);
        elelem_tag_splitter_free(&splitter);
    }
}

TEST(zero_bytes_pass_like_all_others)
{
    plain();
    split_bytes("a\0b<think a=\"\0\">\0</think>", 25,
                "text \"a\\000b\"\nBEGIN think #think-1* a=\"\"\nin think \"\\000\"\nEND think #think-1* closed\n"
                "END\n");
}

/* Begin and end tags. */

TEST(a_quoted_value_may_hold_anything_but_its_quote)
{
    kept("<cite a=\"x > y < z / 'q'\" b='<think>\n\"'/>",
         "BEGIN cite #cite-1* a=\"x > y < z / 'q'\" b=\"<think>\n\"\" self-closed\nEND cite #cite-1* self-closed\n"
         "END\n");
}

TEST(whitespace_may_be_on_both_sides_of_the_equals_sign)
{
    kept("<cite a  = \"1\"\tb\n=\r\n'2' c= 3 d =4 e f\n>", "BEGIN cite #cite-1* a=\"1\" b=\"2\" c=\"3\" d=\"4\" e f\n"
         "END cite #cite-1* unclosed\nEND\n");
}

TEST(a_bare_value_ends_at_whitespace_or_the_end_of_the_tag)
{
    kept("<cite a=http://x/y?z=1&q/>", "BEGIN cite #cite-1* a=\"http://x/y?z=1&q\" self-closed\n"
         "END cite #cite-1* self-closed\nEND\n");
    kept("<br a=/x/>", "BEGIN br #br-1* a=\"/x\" self-closed\nEND br #br-1* self-closed\nEND\n");
    kept("<br a=x/ b=y/z //>", "text \"<br a=x/ b=y/z //>\"\nEND\n");
    kept("<br a=x/ b=y/z />", "BEGIN br #br-1* a=\"x/\" b=\"y/z\" self-closed\nEND br #br-1* self-closed\nEND\n");
    kept("<br a=//>", "BEGIN br #br-1* a=\"/\" self-closed\nEND br #br-1* self-closed\nEND\n");
    kept("<br a=/></br>", "BEGIN br #br-1* a=\"/\"\nEND br #br-1* closed\nEND\n");
}

TEST(an_empty_value_is_not_the_same_as_no_value)
{
    kept("<br a=\"\" b='' c/>", "BEGIN br #br-1* a=\"\" b=\"\" c self-closed\nEND br #br-1* self-closed\nEND\n");
}

TEST(entities_are_not_decoded)
{
    kept("<br a=\"&lt;&quot;\"/>", "BEGIN br #br-1* a=\"&lt;&quot;\" self-closed\nEND br #br-1* self-closed\nEND\n");
}

TEST(whitespace_may_follow_the_name_of_an_end_tag)
{
    kept("<think >a</think \n>", "BEGIN think #think-1*\nin think \"a\"\nEND think #think-1* closed\nEND\n");
}

TEST(the_first_id_that_is_not_empty_counts)
{
    kept("<br id id=\"\" id='a' id=b/>", "BEGIN br #a id id=\"\" id=\"a\" id=\"b\" self-closed\n"
         "END br #a self-closed\nEND\n");
    kept("<br id=\"\"/>", "BEGIN br #br-1* id=\"\" self-closed\nEND br #br-1* self-closed\nEND\n");
    kept("<br ID=\"a\" idx=\"b\"/>", "BEGIN br #br-1* ID=\"a\" idx=\"b\" self-closed\nEND br #br-1* self-closed\n"
         "END\n");
}

TEST(the_longest_listed_name_is_read_whatever_the_order_of_the_list)
{
    static const elelem_str both[] = { { "thinking", 8 }, { "th", 2 }, { "think", 5 }, { "tag", 3 }, { "thin", 4 } };

    plain();
    settings.names = both;
    settings.name_count = COUNT(both);
    split("<think/><thinking/><th/><thin/><tag/>",
          "BEGIN think #think-1* self-closed\nEND think #think-1* self-closed\n"
          "BEGIN thinking #thinking-2* self-closed\nEND thinking #thinking-2* self-closed\n"
          "BEGIN th #th-3* self-closed\nEND th #th-3* self-closed\n"
          "BEGIN thin #thin-4* self-closed\nEND thin #thin-4* self-closed\n"
          "BEGIN tag #tag-5* self-closed\nEND tag #tag-5* self-closed\nEND\n");
    split("<thi/><thinki/><ta/><t/><thinkings/>", "text \"<thi/><thinki/><ta/><t/><thinkings/>\"\nEND\n");
}

TEST(a_name_that_begins_like_one_listed_name_and_continues_like_another_is_not_listed)
{
    static const elelem_str two[] = { { "abc", 3 }, { "xyd", 3 } };

    plain();
    settings.names = two;
    settings.name_count = COUNT(two);
    split("<abd><xyc></abd>", "text \"<abd><xyc></abd>\"\nEND\n");
}

TEST(case_is_ignored_on_request_and_the_name_is_returned_as_listed)
{
    plain();
    settings.ignore_case = 1;
    split("<THINK Id=\"A\">x</tHiNk><ThInKiNg/>",
          "BEGIN think #A Id=\"A\"\nin think \"x\"\nEND think #A closed\n"
          "BEGIN thinking #thinking-1* self-closed\nEND thinking #thinking-1* self-closed\nEND\n");
    split("<TH@NK>", "text \"<TH@NK>\"\nEND\n");
}

TEST(without_names_the_tags_are_think_thinking_and_reasoning)
{
    memset(&settings, 0, sizeof settings);
    split("<think/><thinking/><reasoning/><cite/>",
          "BEGIN think #think-1* self-closed\nEND think #think-1* self-closed\n"
          "BEGIN thinking #thinking-2* self-closed\nEND thinking #thinking-2* self-closed\n"
          "BEGIN reasoning #reasoning-3* self-closed\nEND reasoning #reasoning-3* self-closed\ntext \"<cite/>\"\n"
          "END\n");
}

TEST(names_that_cannot_be_found_are_harmless)
{
    static const elelem_str odd[] = { { "", 0 }, { NULL, 0 }, { "a b", 3 }, { "/x", 2 }, { "x>", 2 }, { "x", 1 } };

    plain();
    settings.names = odd;
    settings.name_count = COUNT(odd);
    split("<a b><><//x><x>>", "text \"<a b><><//x>\"\nBEGIN x #x-1*\nin x \">\"\nEND x #x-1* unclosed\nEND\n");
    settings.name_count = 0;
    split("<x>", "text \"<x>\"\nEND\n");
}

/* Nesting. */

TEST(tags_of_the_same_name_nest)
{
    kept("<think>a<think>b</think>c</think>d",
         "BEGIN think #think-1*\nin think \"a\"\nBEGIN think #think-2*\nin think \"b\"\nEND think #think-2* closed\n"
         "in think \"c\"\nEND think #think-1* closed\ntext \"d\"\nEND\n");
}

TEST(an_end_tag_ends_the_tags_inside_it_too)
{
    kept("<think id=t><cite id=c><br id=b>x</think>y",
         "BEGIN think #t id=\"t\"\nBEGIN cite #c id=\"c\"\nBEGIN br #b id=\"b\"\nin br \"x\"\nEND br #b implied\n"
         "END cite #c implied\nEND think #t closed\ntext \"y\"\nEND\n");
}

TEST(an_orphan_inside_a_tag_does_not_end_it)
{
    kept("<think>a</cite>b</think>", "BEGIN think #think-1*\nin think \"a\"\nEND cite orphan\nin think \"b\"\n"
         "END think #think-1* closed\nEND\n");
}

TEST(a_second_end_tag_is_an_orphan)
{
    kept("<think><cite></cite>a</cite></think>",
         "BEGIN think #think-1*\nBEGIN cite #cite-2*\nEND cite #cite-2* closed\nin think \"a\"\nEND cite orphan\n"
         "END think #think-1* closed\nEND\n");
}

TEST(tags_that_are_open_at_the_end_end_from_the_innermost_on)
{
    kept("<think id=t>a<cite id=c>b", "BEGIN think #t id=\"t\"\nin think \"a\"\nBEGIN cite #c id=\"c\"\nin cite \"b\"\n"
         "END cite #c unclosed\nEND think #t unclosed\nEND\n");
}

TEST(pieces_have_the_depth_name_and_id_of_the_tag_around_them)
{
    static const char text[] = "x<think id=\"t\">y<cite>z</think></br>";
    static const struct { unsigned kind, depth, index; const char *id; } rows[] = {
        { ELELEM_TAG_TEXT, 0, ELELEM_NO_TAG, "" }, { ELELEM_TAG_BEGIN, 1, 0, "t" }, { ELELEM_TAG_TEXT, 1, 0, "t" },
        { ELELEM_TAG_BEGIN, 2, 3, "cite-1" }, { ELELEM_TAG_TEXT, 2, 3, "cite-1" }, { ELELEM_TAG_END, 2, 3, "cite-1" },
        { ELELEM_TAG_END, 1, 0, "t" }, { ELELEM_TAG_END, 0, 4, "" }
    };
    elelem_tag_piece piece;
    size_t i;

    plain();
    elelem_tag_splitter_init(&splitter, &settings);
    push(&splitter, text, sizeof text - 1);
    for (i = 0; i < COUNT(rows); i++) {
        CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
        CHECK_INT(piece.kind, rows[i].kind);
        CHECK_U64(piece.depth, rows[i].depth);
        CHECK_U64(piece.name_index, rows[i].index);
        CHECK_STR(piece.id.data, piece.id.size, rows[i].id);
    }
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_MORE);
    elelem_tag_splitter_free(&splitter);
}

/* Whitespace. */

TEST(whitespace_is_kept_by_default)
{
    kept(" a \n<think> b </think>\n\n c ", "text \" a \\n\"\nBEGIN think #think-1*\nin think \" b \"\n"
         "END think #think-1* closed\n"
         "text \"\\n\\n c \"\nEND\n");
}

TEST(inside_and_outside_are_trimmed_separately_or_together)
{
    static const char text[] = " a | <think>| \nb\n <br/> c| </think> |\n d </cite> e ";

    plain();
    settings.trim = ELELEM_TAG_TRIM_OUTSIDE;
    split(text, "text \" a\"\nBEGIN think #think-1*\nin think \" \\nb\"\n" BR("2") "in think \"c \"\n"
          "END think #think-1* closed\ntext \"d\"\nEND cite orphan\n"
          "text \"e \"\nEND\n");
    settings.trim = ELELEM_TAG_TRIM_INSIDE;
    split(text, "text \" a  \"\nBEGIN think #think-1*\nin think \"b\\n \"\n" BR("2") "in think \" c\"\n"
          "END think #think-1* closed\ntext \" \\n d \"\nEND cite orphan\n"
          "text \" e \"\nEND\n");
    settings.trim = ELELEM_TAG_TRIM_INSIDE | ELELEM_TAG_TRIM_OUTSIDE;
    split(text, "text \" a\"\nBEGIN think #think-1*\nin think \"b\"\n" BR("2") "in think \"c\"\n"
          "END think #think-1* closed\ntext \"d\"\nEND cite orphan\n"
          "text \"e \"\nEND\n");
}

TEST(whitespace_before_what_is_not_a_tag_stays)
{
    trimmed("a | <thin> | </b> |<|", "text \"a  <thin>  </b> <\"\nEND\n");
    trimmed(" | ", "text \"  \"\nEND\n");
    trimmed("a <think x=\" <br/> ", "text \"a <think x=\\\"\"\n" BR("1") "END\n");
}

TEST(a_very_long_run_of_whitespace_stays_before_a_tag_and_is_left_out_after_one)
{
    plain();
    settings.trim = ELELEM_TAG_TRIM_OUTSIDE;
    settings.max_tag_bytes = 8;
    split("a       <br/>b", "text \"a\"\n" BR("1") "text \"b\"\nEND\n");
    split("a        <br/>b", "text \"a        \"\n" BR("1") "text \"b\"\nEND\n");
    split("a                       <br/>           b",
          "text \"a                       \"\n" BR("1") "text \"b\"\nEND\n");
    split("                  x <br/>", "text \"                  x\"\n" BR("1") "END\n");
}

/* Limits. */

TEST(a_tag_of_4096_bytes_is_allowed_unless_the_caller_says_otherwise)
{
    size_t more;

    plain();
    for (more = 0; more < 2; more++) {
        tally count;
        add("<br id=\"");
        add_times("i", 4096 - 11 + more);
        add("\"/>");
        count = run(built, built_size, built_size);
        CHECK_INT(count.begins, more == 0);
        CHECK_INT(count.text, more == 0 ? 0 : built_size);
        built_size = 0;
    }
}

TEST(a_tag_longer_than_allowed_is_text)
{
    plain();
    settings.max_tag_bytes = 16;
    split("<think id=\"123\">x", "BEGIN think #123 id=\"123\"\nin think \"x\"\nEND think #123 unclosed\nEND\n");
    split("<think id=\"1234\">x</think>", "text \"<think id=\\\"1234\\\">x\"\nEND think orphan\nEND\n");
    split("<think a=\"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\"/>",
          "text \"<think a=\\\"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\\\"/>\"\nEND\n");
    split("<think a=\"12345678<br/>", "text \"<think a=\\\"12345678\"\n" BR("1") "END\n");
    split("</think         >", "text \"</think         >\"\nEND\n");
}

TEST(a_tag_with_more_attributes_than_allowed_is_text)
{
    plain();
    settings.max_attributes = 2;
    split("<br a b=\"c\"/>", "BEGIN br #br-1* a b=\"c\" self-closed\nEND br #br-1* self-closed\nEND\n");
    split("<br a b=\"c\" d/>", "text \"<br a b=\\\"c\\\" d/>\"\nEND\n");
}

/* Splits a tag of so many attributes, " a" each, with the default limit. */
static void split_attributes(int count, const char *before, const char *after)
{
    char text[400] = "<br", expected[800];
    int i, size;

    size = snprintf(expected, sizeof expected, "%s", before);
    for (i = 0; i < count; i++) {
        strcat(text, " a");
        size += snprintf(expected + size, sizeof expected - (size_t)size, " a");
    }
    strcat(text, "/>");
    snprintf(expected + size, sizeof expected - (size_t)size, "%s", after);
    split(text, expected);
}

TEST(by_default_a_tag_may_have_64_attributes)
{
    plain();
    split_attributes(64, "BEGIN br #br-1*", " self-closed\nEND br #br-1* self-closed\nEND\n");
    split_attributes(65, "text \"<br", "/>\"\nEND\n");
}

TEST(a_tag_nested_more_deeply_than_allowed_is_text_and_so_is_its_end_tag)
{
    plain();
    settings.max_depth = 2;
    split("<think>1<think>2<think>3<cite>4<br/></cite></think></think>1</think>0</think>",
          "BEGIN think #think-1*\nin think \"1\"\nBEGIN think #think-2*\n"
          "in think \"2<think>3<cite>4<br/></cite></think>\"\n"
          "END think #think-2* closed\nin think \"1\"\nEND think #think-1* closed\ntext \"0\"\nEND think orphan\n"
          "END\n");
    settings.trim = ELELEM_TAG_TRIM_INSIDE | ELELEM_TAG_TRIM_OUTSIDE;
    split("<think> <think> <br/> | <think> 3 </think> | </think>",
          "BEGIN think #think-1*\nBEGIN think #think-2*\nin think \"<br/>  <think> 3 </think>\"\n"
          "END think #think-2* closed\n"
          "END think #think-1* unclosed\nEND\n");
}

TEST(a_tag_that_is_text_because_of_its_depth_is_all_text)
{
    plain();
    settings.max_depth = 1;
    split("<think><think a=\"</think>|<br/>\">1</think>2</think>",
          "BEGIN think #think-1*\nin think \"<think a=\\\"</think><br/>\\\">1</think>2\"\nEND think #think-1* closed\n"
          "END\n");
}

/* P7 of docs/threats.md. */

TEST(P7_the_start_of_a_tag_is_text_when_nothing_follows)
{
    is_text("<thi");
    is_text("Well, <thi|");
}

TEST(P7_an_attribute_of_a_megabyte_passes_unchanged)
{
    static char text[(1 << 20) + 64];
    size_t size, got = 0, at, held = 0;
    elelem_tag_piece piece;

    memset(text, 'v', sizeof text);
    memcpy(text, "<think a=\"", 10);
    memcpy(text + sizeof text - 3, "\"/>", 3);
    plain();
    elelem_tag_splitter_init(&splitter, &settings);
    for (at = 0; at < sizeof text; at += size) {
        size = sizeof text - at < 1000 ? sizeof text - at : 1000;
        push(&splitter, text + at, size);
        while (elelem_tag_splitter_next(&splitter, &piece) == ELELEM_OK) {
            CHECK_INT(piece.kind, ELELEM_TAG_TEXT);
            if (!CHECK(memcmp(piece.text.data, text + got, piece.text.size) == 0)) return;
            got += piece.text.size;
        }
        if (at + size - got > held) held = at + size - got;
    }
    CHECK_U64(got, sizeof text);
    CHECK(held <= 4096);
    elelem_tag_splitter_free(&splitter);
}

TEST(P7_ten_thousand_nested_tags_are_that_many_levels_if_the_limit_allows_them)
{
    tally count;

    plain();
    settings.max_depth = 20000;
    built_size = 0;
    add_times("<br>", 10000);
    count = run(built, built_size, 7);
    CHECK_INT(count.status, ELELEM_END);
    CHECK_U64(count.depth, 10000);
    CHECK_U64(count.ends, 10000);
    CHECK_U64(count.text, 0);
    built_size = 0;
}

TEST(P7_ten_thousand_nested_tags_are_text_beyond_the_limit_and_so_are_their_end_tags)
{
    static char text[90001];
    tally count;
    size_t i;

    for (i = 0; i < 10000; i++) {
        memcpy(text + 4 * i, "<br>", 4);
        memcpy(text + 40000 + 5 * i, "</br>", 5);
    }
    plain();
    count = run(text, 90000, 90000);
    CHECK_U64(count.depth, 64);
    CHECK_U64(count.closed, 64);
    CHECK_U64(count.ends, 64);
    CHECK_U64(count.text, 90000 - 64 * 9);
}

TEST(P7_four_megabytes_of_brackets_are_text)
{
    static char text[4 << 20];
    tally count;

    memset(text, '<', sizeof text);
    plain();
    count = run(text, sizeof text, 4096);
    CHECK_INT(count.status, ELELEM_END);
    CHECK_U64(count.text, sizeof text);
    CHECK_U64(count.begins + count.ends, 0);
}

/* Memory. */

static const char rich[] = "a <think id=\"one\" x=1> b<cite><br/> c</think> <think a=\"<br><br></br>\xe2\x82\xac "
                           "<cite id='long long long id'> d</cite>";

TEST(memory_is_not_taken_before_the_first_tag_or_cut)
{
    limits_heap heap = ELELEM_INIT;

    plain();
    settings.allocator = limits_allocator(&heap);
    run("a < b, <p>, <thin>, </cit>", 26, 100);
    CHECK_U64(heap.calls, 0);
    run("<br/>", 5, 5);
    CHECK(heap.calls > 0);
    CHECK_U64(heap.blocks, 0);
}

TEST(blocks_that_move_change_nothing) /* C6 */
{
    limits_heap heap = ELELEM_INIT;

    plain();
    settings.allocator = limits_allocator(&heap);
    settings.max_tag_bytes = 48;
    split_bytes(rich, sizeof rich - 1, NULL);
    CHECK_U64(heap.blocks, 0);
}

/* Gives no block of more than 300 bytes. */
static void *small_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    return new_size > 300 ? NULL : limits_resize(context, block, old_size, new_size);
}

TEST(a_refused_doubling_is_tried_again_with_what_is_needed)
{
    limits_heap heap = ELELEM_INIT;

    plain();
    settings.allocator.resize = small_resize;
    settings.allocator.context = &heap;
    add("<br id=\"");
    add_times("i", 100);
    add("\"/>");
    CHECK_INT(run(built, built_size, built_size).status, ELELEM_END);
    built_size = 0;
}

TEST(refused_memory_is_an_error_that_sticks_and_leaks_nothing)
{
    size_t piece_size;
    int fail_at;

    plain();
    settings.max_tag_bytes = 48;
    for (piece_size = 1; piece_size < 200; piece_size += 33) {
        elelem_status status = ELELEM_ERROR_MEMORY;
        tally whole, part;
        memset(&settings.allocator, 0, sizeof settings.allocator);
        whole = run(rich, sizeof rich - 1, piece_size);
        for (fail_at = 1; status != ELELEM_END; fail_at++) {
            limits_heap heap = ELELEM_INIT;
            heap.refuse = fail_at;
            heap.stays = 1;
            settings.allocator = limits_allocator(&heap);
            part = run(rich, sizeof rich - 1, piece_size);
            status = part.status;
            CHECK(status == ELELEM_END || status == ELELEM_ERROR_MEMORY);
            if (status == ELELEM_END) CHECK(part.text == whole.text && part.begins == whole.begins && part.ends == whole.ends);
            CHECK(part.text <= whole.text && part.begins <= whole.begins);
            CHECK_U64(heap.blocks, 0);
            if (!CHECK(fail_at < 100)) return;
        }
    }
}

TEST(an_error_has_an_offset_and_reset_clears_it)
{
    limits_heap heap = ELELEM_INIT;
    elelem_tag_piece piece;

    plain();
    heap.refuse = 1;
    heap.stays = 1;
    settings.allocator = limits_allocator(&heap);
    elelem_tag_splitter_init(&splitter, &settings);
    CHECK_INT(error(&splitter).status, ELELEM_OK);
    push(&splitter, "ab<br>", 6);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_ERROR_MEMORY);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_ERROR_MEMORY);
    CHECK_INT(push(&splitter, "x", 1), ELELEM_ERROR_MEMORY);
    CHECK_INT(error(&splitter).status, ELELEM_ERROR_MEMORY);
    CHECK_U64(error(&splitter).offset, 2);
    heap.refuse = 0;
    elelem_tag_splitter_reset(&splitter);
    CHECK_INT(error(&splitter).status, ELELEM_OK);
    CHECK_INT(push(&splitter, "<br>", 4), ELELEM_OK);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
    CHECK_INT(piece.kind, ELELEM_TAG_BEGIN);
    elelem_tag_splitter_free(&splitter);
}

TEST(a_kilobyte_is_enough_for_reasoning)
{
    static unsigned char memory[1024];
    elelem_arena arena;

    plain();
    settings.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    split("a<think id=\"one\">b <cite/> c</think>d",
          "text \"a\"\nBEGIN think #one id=\"one\"\nin think \"b \"\nBEGIN cite #cite-1* self-closed\n"
          "END cite #cite-1* self-closed\nin think \" c\"\nEND think #one closed\ntext \"d\"\nEND\n");
    CHECK_U64(elelem_arena_used(&arena), 0);
}

/* Use. */

TEST(generated_ids_are_counted_in_tens)
{
    elelem_tag_piece piece;
    char id[24];
    int i;

    plain();
    elelem_tag_splitter_init(&splitter, &settings);
    for (i = 1; i <= 120; i++) {
        snprintf(id, sizeof id, "br-%d", i);
        push(&splitter, "<br/>", 5);
        CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
        CHECK_STR(piece.id.data, piece.id.size, id);
        CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
        CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_MORE);
    }
    elelem_tag_splitter_free(&splitter);
}

TEST(generated_ids_count_from_one_again_after_reset)
{
    elelem_tag_piece piece;
    int i;

    plain();
    elelem_tag_splitter_init(&splitter, &settings);
    for (i = 0; i < 2; i++) {
        push(&splitter, "<think><thi", 11);
        CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
        CHECK_STR(piece.id.data, piece.id.size, "think-1");
        CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_MORE);
        elelem_tag_splitter_reset(&splitter);
    }
    finish(&splitter);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_END);
    elelem_tag_splitter_free(&splitter);
}

TEST(finish_before_the_pieces_are_taken_changes_nothing)
{
    elelem_tag_piece piece;

    plain();
    elelem_tag_splitter_init(&splitter, &settings);
    push(&splitter, "<br>a<thi", 9);
    finish(&splitter);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
    CHECK_INT(piece.kind, ELELEM_TAG_BEGIN);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
    CHECK_STR(piece.text.data, piece.text.size, "a<thi");
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
    CHECK_INT(piece.how, ELELEM_TAG_UNCLOSED);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_END);
    elelem_tag_splitter_free(&splitter);
}

TEST(finish_does_not_end_a_tag_that_starts_in_held_bytes_and_ends_in_pushed_ones)
{
    elelem_tag_piece piece;

    plain();
    elelem_tag_splitter_init(&splitter, &settings);
    push(&splitter, "<think a=\"<br", 13);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_MORE);
    push(&splitter, " x='\"b'/>", 9);
    finish(&splitter);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
    CHECK_STR(piece.text.data, piece.text.size, "<think a=\"");
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
    CHECK_INT(piece.kind, ELELEM_TAG_BEGIN);
    CHECK_STR(piece.raw.data, piece.raw.size, "<br x='\"b'/>");
    elelem_tag_splitter_free(&splitter);
}

TEST(callers_mistakes_change_nothing)
{
    elelem_tag_piece piece;
    elelem_tag_splitter zeroed = ELELEM_INIT;

    elelem_tag_splitter_free(&zeroed);
    elelem_tag_splitter_free(&zeroed);
    elelem_tag_splitter_init(&splitter, NULL);
    CHECK_INT(push(&splitter, NULL, 0), ELELEM_OK);
    CHECK_INT(push(&splitter, NULL, 5), ELELEM_ERROR_MISUSE);
    CHECK_INT(push(&splitter, "ab", 2), ELELEM_OK);
    CHECK_INT(push(&splitter, "cd", 2), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
    CHECK_STR(piece.text.data, piece.text.size, "ab");
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_MORE);
    CHECK_INT(push(&splitter, "cd", 2), ELELEM_OK);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_OK);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_MORE);
    finish(&splitter);
    finish(&splitter);
    CHECK_INT(push(&splitter, "cd", 2), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_END);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_END);
    CHECK_INT(error(&splitter).status, ELELEM_OK);
    elelem_tag_splitter_free(&splitter);
    CHECK_INT(elelem_tag_splitter_next(&splitter, &piece), ELELEM_ERROR_MISUSE);
    elelem_tag_splitter_free(&splitter);
}

TEST(a_quote_in_a_name_of_an_attribute_or_in_a_bare_value_makes_it_text)
{
    is_text("<think a'b>");
    is_text("<think a'>");
    is_text("<think a=b'c>");
    is_text("<think a=b\"c>");
}

TEST(blanks_may_be_around_the_equals_sign)
{
    kept("<think a \t = \n b  c>", "BEGIN think #think-1* a=\"b\" c\nEND think #think-1* unclosed\nEND\n");
}

TEST(a_listed_name_shorter_than_what_was_read_does_not_fit)
{
    static const elelem_str listed[] = { { "cite", 4 }, { "ci", 2 }, { "citron", 6 } };

    plain();
    settings.names = listed;
    settings.name_count = COUNT(listed);
    split("<citr|on>", "BEGIN citron #citron-1*\nEND citron #citron-1* unclosed\nEND\n");
    split("<ci>", "BEGIN ci #ci-1*\nEND ci #ci-1* unclosed\nEND\n");
}

CHECK_MAIN("tags",
           RUN(a_tag_of_4096_bytes_is_allowed_unless_the_caller_says_otherwise)
    RUN(generated_ids_are_counted_in_tens)
    RUN(basic_01_a_self_closing_tag_between_two_pieces_of_text)
           RUN(basic_02_a_pair_with_an_attribute_and_text_that_is_returned_in_pieces)
           RUN(basic_03_a_pair_without_attributes_has_a_generated_id)
           RUN(basic_04_br)
           RUN(basic_05_three_attributes)
           RUN(basic_06_three_attributes_and_a_space_before_the_slash)
           RUN(basic_07_a_repeated_attribute_is_two_attributes_in_order_and_not_a_list)
           RUN(cut_01_a_begin_tag)
           RUN(cut_02_a_tag_name)
           RUN(cut_03_an_attribute_value)
           RUN(cut_04_the_slash_from_its_bracket)
           RUN(cut_05_an_end_tag)
           RUN(cut_06_the_text_inside_which_is_not_waited_for)
           RUN(cut_07_one_tag_by_single_characters)
           RUN(cut_08_a_pair_in_small_pieces)
           RUN(blank_01_between_two_self_closing_tags_is_left_out)
           RUN(blank_02_between_pairs_is_left_out)
           RUN(blank_03_tabs_and_CR_LF_between_tags_are_left_out)
           RUN(blank_04_before_the_first_tag_is_left_out)
           RUN(blank_05_after_the_last_tag_is_left_out)
           RUN(blank_06_in_a_piece_of_its_own_between_tags_is_left_out)
           RUN(next_to_01_text_after_a_tag_loses_the_whitespace_before_it)
           RUN(next_to_02_text_after_a_pair_loses_the_whitespace_before_it)
           RUN(next_to_03_text_before_a_tag_loses_the_whitespace_after_it)
           RUN(next_to_04_a_piece_of_whitespace_after_a_tag_is_left_out_and_that_of_the_next_piece_too)
           RUN(next_to_05_a_piece_of_whitespace_before_a_tag_is_left_out_because_cuts_do_not_matter)
           RUN(stays_01_inside_text)
           RUN(stays_02_line_ends_in_text)
           RUN(stays_03_indentation)
           RUN(stays_04_around_text_without_tags)
           RUN(stays_05_inside_a_pair)
           RUN(stays_06_of_all_kinds_mixed)
           RUN(stays_07_across_pieces_so_that_the_joined_text_is_the_same)
           RUN(stays_08_inside_the_texts_on_both_sides_of_a_tag)
           RUN(several_01_three_self_closing_tags)
           RUN(several_02_three_pairs)
           RUN(several_03_mixed_and_the_end_distinguishes_a_self_closing_tag_from_an_empty_pair)
           RUN(several_04_with_text_between)
           RUN(edge_01_no_tags)
           RUN(edge_02_only_tags)
           RUN(edge_03_an_orphan_end_tag_is_not_text_but_an_END)
           RUN(edge_04_an_unclosed_pair_ends_as_unclosed_and_not_as_text_because_its_content_was_returned)
           RUN(edge_05_a_begin_tag_that_is_cut_by_the_end_is_text)
           RUN(edge_06_a_bracket_that_is_never_closed_is_text_and_holds_nothing_back)
           RUN(edge_07_an_empty_pair_has_no_text_between_its_BEGIN_and_END)
           RUN(edge_08_single_characters)
           RUN(edge_09_empty_pieces)
           RUN(edge_10_a_name_of_1000_characters)
           RUN(edge_11_a_value_of_1000_characters)
           RUN(real_01_reasoning_between_pieces_of_text)
           RUN(real_02_reasoning_several_times)
           RUN(real_03_a_code_fence_stays)
           RUN(real_04_many_attributes)
           RUN(real_05_ten_thousand_characters_between_tags_which_are_not_waited_for)
           RUN(real_06_quick_alternation)
           RUN(real_07_names_with_punctuation)
           RUN(both_01_trimmed_at_the_borders_of_tags_and_not_inside)
           RUN(both_02_tabs_and_line_ends)
           RUN(both_03_a_paragraph_break_before_a_tag_is_left_out_even_from_an_earlier_piece)
           RUN(both_04_whitespace_in_many_pieces_waits_for_what_follows_and_is_kept_before_text)
           RUN(both_05_without_tags_whitespace_is_unchanged)
           RUN(what_is_not_a_listed_tag_passes_unchanged)
           RUN(a_tag_that_is_not_well_formed_is_text)
           RUN(after_what_is_not_a_tag_any_bracket_may_begin_one)
           RUN(text_is_returned_as_soon_as_it_cannot_become_a_tag)
           RUN(text_without_tags_comes_as_one_slice_of_the_pushed_bytes)
           RUN(characters_are_never_cut)
           RUN(bytes_that_are_not_utf8_pass)
           RUN(bytes_that_cannot_become_a_character_are_not_held_back)
           RUN(zero_bytes_pass_like_all_others)
           RUN(a_quoted_value_may_hold_anything_but_its_quote)
           RUN(whitespace_may_be_on_both_sides_of_the_equals_sign)
           RUN(a_bare_value_ends_at_whitespace_or_the_end_of_the_tag)
           RUN(an_empty_value_is_not_the_same_as_no_value)
           RUN(entities_are_not_decoded)
           RUN(whitespace_may_follow_the_name_of_an_end_tag)
           RUN(the_first_id_that_is_not_empty_counts)
           RUN(the_longest_listed_name_is_read_whatever_the_order_of_the_list)
           RUN(a_name_that_begins_like_one_listed_name_and_continues_like_another_is_not_listed)
           RUN(case_is_ignored_on_request_and_the_name_is_returned_as_listed)
           RUN(without_names_the_tags_are_think_thinking_and_reasoning)
           RUN(names_that_cannot_be_found_are_harmless)
           RUN(tags_of_the_same_name_nest)
           RUN(an_end_tag_ends_the_tags_inside_it_too)
           RUN(an_orphan_inside_a_tag_does_not_end_it)
           RUN(a_second_end_tag_is_an_orphan)
           RUN(tags_that_are_open_at_the_end_end_from_the_innermost_on)
           RUN(pieces_have_the_depth_name_and_id_of_the_tag_around_them)
           RUN(whitespace_is_kept_by_default)
           RUN(inside_and_outside_are_trimmed_separately_or_together)
           RUN(whitespace_before_what_is_not_a_tag_stays)
           RUN(a_very_long_run_of_whitespace_stays_before_a_tag_and_is_left_out_after_one)
           RUN(a_tag_longer_than_allowed_is_text)
           RUN(a_tag_with_more_attributes_than_allowed_is_text)
           RUN(by_default_a_tag_may_have_64_attributes)
           RUN(a_tag_nested_more_deeply_than_allowed_is_text_and_so_is_its_end_tag)
           RUN(a_tag_that_is_text_because_of_its_depth_is_all_text)
           RUN(P7_the_start_of_a_tag_is_text_when_nothing_follows)
           RUN(P7_an_attribute_of_a_megabyte_passes_unchanged)
           RUN(P7_ten_thousand_nested_tags_are_that_many_levels_if_the_limit_allows_them)
           RUN(P7_ten_thousand_nested_tags_are_text_beyond_the_limit_and_so_are_their_end_tags)
           RUN(P7_four_megabytes_of_brackets_are_text)
           RUN(memory_is_not_taken_before_the_first_tag_or_cut)
           RUN(blocks_that_move_change_nothing)
           RUN(a_refused_doubling_is_tried_again_with_what_is_needed)
           RUN(refused_memory_is_an_error_that_sticks_and_leaks_nothing)
           RUN(an_error_has_an_offset_and_reset_clears_it)
           RUN(a_kilobyte_is_enough_for_reasoning)
           RUN(generated_ids_count_from_one_again_after_reset)
           RUN(finish_before_the_pieces_are_taken_changes_nothing)
           RUN(finish_does_not_end_a_tag_that_starts_in_held_bytes_and_ends_in_pushed_ones)
           RUN(callers_mistakes_change_nothing)
           RUN(a_quote_in_a_name_of_an_attribute_or_in_a_bare_value_makes_it_text)
           RUN(blanks_may_be_around_the_equals_sign)
           RUN(a_listed_name_shorter_than_what_was_read_does_not_fit))
