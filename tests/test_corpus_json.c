/* The JSON files of the corpus, $ELELEM_CORPUS/json: JSONTestSuite, JSON_checker and the
 * documents that must be written as they were read. Each is one document, fed whole, byte by
 * byte and at every cut; the two that are longer than FEED_CUTS are refused before byte 1300, so
 * that later cuts make no difference. What RFC 8259 leaves open is decided for each i_ file in the
 * table below, and documented in docs/json-decisions.md. */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#define FEED_CUTS 2800
#include "fragments.h"

#include <dirent.h>

#define FILES_MAX 400
#define FILE_MAX (1u << 18)

typedef struct file_list {
    char names[FILES_MAX][100];
    size_t count;
} file_list;

static void path_of(char *path, size_t size, const char *folder, const char *name)
{
    const char *corpus = getenv("ELELEM_CORPUS");

    snprintf(path, size, "%s/json/%s/%s", corpus ? corpus : "../shared/corpus", folder, name);
}

/* Prints once that there is nothing to read. */
static void nothing_there(void)
{
    static int told;

    if (!told++) check_nothing("no files in $ELELEM_CORPUS/json");
    check_now.nothing = 1;
}

/* Finds the names in a folder that begin with `prefix`; returns 0 if there is no such folder. */
static int list_files(file_list *list, const char *folder, const char *begin)
{
    char path[1024];
    DIR *directory;
    struct dirent *entry;

    list->count = 0;
    path_of(path, sizeof path, folder, "");
    directory = opendir(path);
    if (!directory) {
        nothing_there();
        return 0;
    }
    while ((entry = readdir(directory)) != NULL && list->count < FILES_MAX)
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0 && strlen(entry->d_name) < 100)
            strcpy(list->names[list->count++], entry->d_name);
    closedir(directory);
    return 1;
}

/* Reads a file; SIZE_MAX if it is not there. */
static size_t read_file(char *bytes, const char *folder, const char *name)
{
    char path[1024];
    size_t size;
    FILE *file;

    path_of(path, sizeof path, folder, name);
    file = fopen(path, "rb");
    if (!file) return SIZE_MAX;
    size = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    return size;
}

/* Feeds a file in all ways. The last line of feed_whole is how it ends if it is pushed whole. */
static const char *feed_file(const char *folder, const char *name, int strict)
{
    static char bytes[FILE_MAX];
    size_t size = read_file(bytes, folder, name);
    char *line;

    check_context(name);
    fragments_new()->desc.single_document = 1;
    fragments_now.desc.strict_surrogates = strict != 0;
    if (!CHECK(size != SIZE_MAX)) return "";
    FEED(&fragments_object, bytes, size, NULL);
    CHECK(feed_whole.size > 1 && feed_whole.size < sizeof feed_whole.text);
    feed_whole.text[feed_whole.size - 1] = '\0';
    line = strrchr(feed_whole.text, '\n');
    return line ? line + 1 : feed_whole.text;
}

static void check_all(const char *folder, const char *begin, int accepted, size_t count)
{
    static file_list list;
    size_t i;

    if (!list_files(&list, folder, begin)) return;
    CHECK_INT(list.count, count);
    for (i = 0; i < list.count; i++) {
        const char *end;
        int good = accepted || strstr(list.names[i], "_EXCLUDE");
        check_context(list.names[i]);
        end = feed_file(folder, list.names[i], 0);
        CHECK(good ? strcmp(end, "END") == 0 : strncmp(end, "ERROR_", 6) == 0);
    }
}

TEST(what_must_be_accepted_is)
{
    check_all("JSONTestSuite/test_parsing", "y_", 1, 95);
}

TEST(what_must_be_refused_is)
{
    check_all("JSONTestSuite/test_parsing", "n_", 0, 188);
}

TEST(what_json_checker_passes_is_accepted)
{
    check_all("jsonchecker", "pass", 1, 3);
}

/* Two of these are valid JSON today: a string at the root, and a depth of 20. */
TEST(what_json_checker_fails_is_refused)
{
    check_all("jsonchecker", "fail", 0, 33);
}

/* The end of each i_ file, by default and with strict surrogates. */
static const struct {
    const char *name;
    const char *end;
    const char *strict_end;
} outcomes[] = {
    { "i_number_double_huge_neg_exp.json", "END", "END" },
    { "i_number_huge_exp.json", "END", "END" },
    { "i_number_neg_int_huge_exp.json", "END", "END" },
    { "i_number_pos_double_huge_exp.json", "END", "END" },
    { "i_number_real_neg_overflow.json", "END", "END" },
    { "i_number_real_pos_overflow.json", "END", "END" },
    { "i_number_real_underflow.json", "END", "END" },
    { "i_number_too_big_neg_int.json", "END", "END" },
    { "i_number_too_big_pos_int.json", "END", "END" },
    { "i_number_very_big_negative_int.json", "END", "END" },
    { "i_object_key_lone_2nd_surrogate.json", "END", "ERROR_SURROGATE at 5" },
    { "i_string_1st_surrogate_but_2nd_missing.json", "END", "ERROR_SURROGATE at 8" },
    { "i_string_1st_valid_surrogate_2nd_invalid.json", "END", "ERROR_SURROGATE at 10" },
    { "i_string_UTF-16LE_with_BOM.json", "ERROR_SYNTAX at 0", "ERROR_SYNTAX at 0" },
    { "i_string_UTF-8_invalid_sequence.json", "ERROR_UTF8 at 7", "ERROR_UTF8 at 7" },
    { "i_string_UTF8_surrogate_U+D800.json", "ERROR_UTF8 at 3", "ERROR_UTF8 at 3" },
    { "i_string_incomplete_surrogate_and_escape_valid.json", "END", "ERROR_SURROGATE at 9" },
    { "i_string_incomplete_surrogate_pair.json", "END", "ERROR_SURROGATE at 5" },
    { "i_string_incomplete_surrogates_escape_valid.json", "END", "ERROR_SURROGATE at 11" },
    { "i_string_invalid_lonely_surrogate.json", "END", "ERROR_SURROGATE at 8" },
    { "i_string_invalid_surrogate.json", "END", "ERROR_SURROGATE at 8" },
    { "i_string_invalid_utf-8.json", "ERROR_UTF8 at 2", "ERROR_UTF8 at 2" },
    { "i_string_inverted_surrogates_U+1D11E.json", "END", "ERROR_SURROGATE at 5" },
    { "i_string_iso_latin_1.json", "ERROR_UTF8 at 3", "ERROR_UTF8 at 3" },
    { "i_string_lone_second_surrogate.json", "END", "ERROR_SURROGATE at 5" },
    { "i_string_lone_utf8_continuation_byte.json", "ERROR_UTF8 at 2", "ERROR_UTF8 at 2" },
    { "i_string_not_in_unicode_range.json", "ERROR_UTF8 at 3", "ERROR_UTF8 at 3" },
    { "i_string_overlong_sequence_2_bytes.json", "ERROR_UTF8 at 2", "ERROR_UTF8 at 2" },
    { "i_string_overlong_sequence_6_bytes.json", "ERROR_UTF8 at 2", "ERROR_UTF8 at 2" },
    { "i_string_overlong_sequence_6_bytes_null.json", "ERROR_UTF8 at 2", "ERROR_UTF8 at 2" },
    { "i_string_truncated-utf-8.json", "ERROR_UTF8 at 3", "ERROR_UTF8 at 3" },
    { "i_string_utf16BE_no_BOM.json", "ERROR_SYNTAX at 0", "ERROR_SYNTAX at 0" },
    { "i_string_utf16LE_no_BOM.json", "ERROR_SYNTAX at 1", "ERROR_SYNTAX at 1" },
    { "i_structure_500_nested_arrays.json", "END", "END" },
    { "i_structure_UTF-8_BOM_empty_object.json", "ERROR_SYNTAX at 0", "ERROR_SYNTAX at 0" },
};

#define OUTCOMES (sizeof outcomes / sizeof *outcomes)

TEST(what_the_standard_leaves_open_is_decided_as_documented)
{
    static file_list list;
    size_t i;

    if (!list_files(&list, "JSONTestSuite/test_parsing", "i_")) return;
    CHECK_INT(list.count, OUTCOMES);
    for (i = 0; i < OUTCOMES; i++) {
        const char *end = feed_file("JSONTestSuite/test_parsing", outcomes[i].name, 0);
        CHECK_STR(end, strlen(end), outcomes[i].end);
        end = feed_file("JSONTestSuite/test_parsing", outcomes[i].name, 1);
        CHECK_STR(end, strlen(end), outcomes[i].strict_end);
    }
}

/* Collects the document's value and writes it. */
static elelem_status write_again(elelem_buffer *buffer, const char *bytes, size_t size, size_t piece)
{
    elelem_fragment_parser parser;
    elelem_fragment_aggregator aggregator;
    elelem_fragment fragment;
    elelem_writer writer;
    elelem_status status = ELELEM_MORE;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    size_t at = 0;

    desc.single_document = 1;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_aggregator_init(&aggregator, NULL);
    while (status == ELELEM_MORE && at <= size) {
        size_t now = piece < size - at ? piece : size - at;
        if (now == 0) elelem_fragment_parser_finish(&parser);
        elelem_fragment_parser_push(&parser, bytes + at, now);
        at += now > 0 ? now : 1;
        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
            CHECK_INT(elelem_fragment_aggregator_push(&aggregator, &fragment), ELELEM_OK);
    }
    elelem_writer_init(&writer, elelem_buffer_sink(buffer), 0);
    if (status == ELELEM_END) status = elelem_writer_value(&writer, elelem_fragment_aggregator_value(&aggregator));
    elelem_fragment_parser_free(&parser);
    elelem_fragment_aggregator_free(&aggregator);
    return status;
}

TEST(documents_are_written_as_they_were_read)
{
    static file_list list;
    static char bytes[FILE_MAX];
    elelem_allocator allocator = ELELEM_INIT;
    size_t i, piece;

    if (!list_files(&list, "roundtrip", "roundtrip")) return;
    CHECK_INT(list.count, 27);
    for (i = 0; i < list.count; i++) {
        size_t size = read_file(bytes, "roundtrip", list.names[i]);
        check_context(list.names[i]);
        for (piece = 1; piece <= size; piece++) {
            elelem_buffer buffer;
            elelem_str text;
            elelem_buffer_init(&buffer, allocator, 0);
            check_cut("pieces of", piece);
            CHECK_INT(write_again(&buffer, bytes, size, piece), ELELEM_OK);
            text = elelem_buffer_text(&buffer);
            CHECK_BYTES(text.data, text.size, bytes, size);
            elelem_buffer_free(&buffer);
        }
    }
}

CHECK_MAIN("corpus_json",
    RUN(what_must_be_accepted_is)
    RUN(what_must_be_refused_is)
    RUN(what_json_checker_passes_is_accepted)
    RUN(what_json_checker_fails_is_refused)
    RUN(what_the_standard_leaves_open_is_decided_as_documented)
    RUN(documents_are_written_as_they_were_read))
