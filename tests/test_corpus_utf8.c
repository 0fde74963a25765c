/* The UTF-8 vectors of the corpus, $ELELEM_CORPUS/utf8: byte sequences, JSON strings, and
 * bitmaps over all sequences of one to three bytes. Their JSON has one member a line, so
 * reading it takes no parser. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "fragments.h"

#define LINE_BYTES 4096

static FILE *open_file(const char *name)
{
    char path[1024];
    const char *corpus = getenv("ELELEM_CORPUS");
    static int told;
    FILE *file;

    snprintf(path, sizeof path, "%s/utf8/%s", corpus ? corpus : "../shared/corpus", name);
    file = fopen(path, "rb");
    if (!file && !told++) check_nothing("no vectors in $ELELEM_CORPUS/utf8");
    if (!file) check_now.nothing = 1;
    return file;
}

/* One vector. */
typedef struct vector {
    char name[200];
    unsigned char bytes[LINE_BYTES];
    size_t size;
    char decoded[LINE_BYTES];
    size_t decoded_size;
    int valid;
    int utf8_valid;
    int lone_surrogate;
    int has_decoded;
    long error_start;
    long first_bad; /* -1: the text only ends too early */
} vector;

static size_t read_hex(unsigned char *bytes, const char *text)
{
    size_t size = 0;
    unsigned byte;

    while (sscanf(text + 2 * size, "%2x", &byte) == 1)
        bytes[size++] = (unsigned char)byte;
    return size;
}

static size_t read_base64(unsigned char *bytes, const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned long bits = 0;
    size_t count, size = 0;

    for (count = 0; *text && *text != '='; text++, count++) {
        bits = (bits << 6 | (unsigned long)(strchr(letters, *text) - letters)) & 0xffffff;
        if (count % 4 > 0) bytes[size++] = (unsigned char)(bits >> (6 - count % 4 * 2));
    }
    return size;
}

static void read_member(vector *v, const char *name, const char *value)
{
    int is_true = strncmp(value, "true", 4) == 0;

    if (strcmp(name, "name") == 0) snprintf(v->name, sizeof v->name, "%.199s", value);
    if (strcmp(name, "hex") == 0) v->size = read_hex(v->bytes, value);
    if (strcmp(name, "json_base64") == 0) v->size = read_base64(v->bytes, value);
    if (strcmp(name, "valid") == 0 || strcmp(name, "rfc8259_valid") == 0) v->valid = is_true;
    if (strcmp(name, "input_utf8_valid") == 0) v->utf8_valid = is_true;
    if (strcmp(name, "lone_surrogate") == 0) v->lone_surrogate = is_true;
    if (strcmp(name, "error_start") == 0) v->error_start = strtol(value, NULL, 10);
    if (strcmp(name, "first_bad") == 0) v->first_bad = *value == 'n' ? -1 : strtol(value, NULL, 10);
    if (strcmp(name, "decoded_utf8_hex") == 0) {
        v->decoded_size = read_hex((unsigned char *)v->decoded, value);
        v->has_decoded = 1;
    }
}

/* Reads up to the end of one object; 0 at the end of the file. */
static int read_vector(FILE *file, vector *v)
{
    char line[LINE_BYTES], name[40], value[LINE_BYTES];

    memset(v, 0, sizeof *v);
    v->first_bad = -1;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '}') return 1;
        value[0] = '\0';
        if (sscanf(line, "\"%39[^\"]\": \"%4000[^\"]\"", name, value) == 2 || sscanf(line, "\"%39[^\"]\": %20[^,\n]", name, value) == 2 ||
            sscanf(line, "\"%39[^\"]\": \"", name) == 1)
            read_member(v, name, value);
    }
    return 0;
}

TEST(every_sequence_is_valid_up_to_the_character_that_the_corpus_names)
{
    static vector v;
    FILE *file = open_file("sequences.json");
    int count = 0;

    while (file && read_vector(file, &v)) {
        elelem_str text;
        text.data = (const char *)v.bytes;
        text.size = v.size;
        check_context(v.name);
        CHECK_INT(elelem_utf8_valid(text), v.valid ? v.size : (size_t)v.error_start);
        count++;
    }
    if (!file) return;
    fclose(file);
    CHECK(count > 5000);
}

/* Returns the first byte that is not plain text in a JSON string. */
static size_t plain_size(const vector *v)
{
    size_t i = 0;

    while (i < v->size && v->bytes[i] >= 0x20 && v->bytes[i] != '"' && v->bytes[i] != '\\')
        i++;
    return i;
}

static void feed_quoted(const vector *v, const char *before, const char *behind, size_t bad)
{
    static char input[LINE_BYTES + 40];
    char expected[120];
    size_t ahead = strlen(before);

    memcpy(input, before, ahead);
    memcpy(input + ahead, v->bytes, v->size);
    memcpy(input + ahead + v->size, behind, strlen(behind));
    fragments_new();
    if (v->valid) {
        FEED(&fragments_object, input, ahead + v->size + strlen(behind), NULL);
        CHECK(feed_whole.size > 4 && memcmp(feed_whole.text + feed_whole.size - 4, "END\n", 4) == 0);
        return;
    }
    FEED(&fragments_object, input, ahead + v->size + strlen(behind), NULL);
    snprintf(expected, sizeof expected, "ERROR_UTF8 at %lu\n", (unsigned long)(ahead + bad));
    feed_whole.text[feed_whole.size] = '\0';
    CHECK(feed_whole.size >= strlen(expected) && strstr(feed_whole.text, expected));
}

TEST(every_sequence_in_a_string_or_key_is_taken_or_refused_at_its_first_bad_byte)
{
    static vector v;
    FILE *file = open_file("sequences.json");
    int count = 0;

    while (file && read_vector(file, &v)) {
        size_t bad = v.valid ? v.size : v.first_bad < 0 ? v.size : (size_t)v.first_bad;
        if (plain_size(&v) < bad) continue;
        check_context(v.name);
        feed_quoted(&v, "\"", "\"", bad);
        feed_quoted(&v, "{\"", "\":1}", bad);
        count++;
    }
    if (!file) return;
    fclose(file);
    CHECK(count > 4000);
}

/* Nonzero if a document that strict mode refuses is refused only because of a lone surrogate. */
static void check_strict(const vector *v)
{
    fragments_new()->desc.single_document = 1;
    fragments_now.desc.strict_surrogates = 1;
    FEED(&fragments_object, (const char *)v->bytes, v->size, NULL);
    feed_whole.text[feed_whole.size] = '\0';
    CHECK((strstr(feed_whole.text, "ERROR_SURROGATE at ") != NULL) == v->lone_surrogate);
}

TEST(every_json_string_is_decoded_or_refused)
{
    static vector v;
    static feed_log expected;
    FILE *file = open_file("json-strings.json");
    int count = 0;

    while (file && read_vector(file, &v)) {
        int good = v.valid && v.utf8_valid;
        check_context(v.name);
        fragments_new()->desc.single_document = 1;
        FEED(&fragments_object, (const char *)v.bytes, v.size, NULL);
        CHECK_INT(feed_whole.size >= 4 && memcmp(feed_whole.text + feed_whole.size - 4, "END\n", 4) == 0, good);
        if (good && v.has_decoded) {
            expected.size = 0;
            if (v.decoded_size > 0) feed_bytes(&expected, "$ STRING", v.decoded, v.decoded_size);
            feed_line(&expected, "$ DONE string");
            feed_line(&expected, "END");
            CHECK_BYTES(feed_whole.text, feed_whole.size, expected.text, expected.size);
        }
        if (good) check_strict(&v);
        count++;
    }
    if (!file) return;
    fclose(file);
    CHECK(count > 300);
}

/* Compares whether every sequence of `size` bytes is valid with the bitmap. */
static void check_bitmap(const char *name, unsigned size)
{
    unsigned char *bits = (unsigned char *)malloc(1u << 21);
    unsigned long i, count = 1ul << 8 * size;
    FILE *file = open_file(name);

    if (file && CHECK(fread(bits, 1, count / 8, file) == count / 8))
        for (i = 0; i < count; i++) {
            char bytes[3];
            elelem_str text;
            unsigned b;
            for (b = 0; b < size; b++)
                bytes[b] = (char)(i >> 8 * (size - 1 - b) & 0xff);
            text.data = bytes;
            text.size = size;
            if ((elelem_utf8_valid(text) == size) == (bits[i / 8] >> i % 8 & 1)) continue;
            check_cut("sequence", i);
            check_true(0, "the bitmap says otherwise", __FILE__, __LINE__);
        }
    if (file) fclose(file);
    free(bits);
}

TEST(all_sequences_of_one_byte_are_valid_as_in_the_bitmap)
{
    check_bitmap("valid-1byte.bitmap", 1);
}

TEST(all_sequences_of_two_bytes_are_valid_as_in_the_bitmap)
{
    check_bitmap("valid-2byte.bitmap", 2);
}

TEST(all_sequences_of_three_bytes_are_valid_as_in_the_bitmap)
{
    check_bitmap("valid-3byte.bitmap", 3);
}

/* The same in a string of the parser, which has another code for it. Bytes that a string cannot have
   without an escape are left out. */
TEST(all_sequences_of_two_bytes_in_a_string_are_valid_as_in_the_bitmap)
{
    static unsigned char bits[8192];
    FILE *file = open_file("valid-2byte.bitmap");
    unsigned i;
    elelem_fragment_parser parser;

    if (!file) return;
    elelem_fragment_parser_init(&parser, NULL);
    if (CHECK(fread(bits, 1, sizeof bits, file) == sizeof bits))
        for (i = 0; i < 0x10000; i++) {
            unsigned char input[4];
            unsigned cut;
            input[0] = input[3] = '"';
            input[1] = (unsigned char)(i >> 8);
            input[2] = (unsigned char)i;
            if (input[1] < 0x20 || input[2] < 0x20 || strchr("\"\\", input[1]) || strchr("\"\\", input[2])) continue;
            for (cut = 0; cut < 4; cut++) {
                elelem_fragment fragment;
                elelem_status status;
                elelem_fragment_parser_reset(&parser);
                elelem_fragment_parser_push(&parser, input, cut);
                while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
                    continue;
                elelem_fragment_parser_push(&parser, input + cut, 4 - cut);
                while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
                    continue;
                check_cut("sequence", i);
                CHECK_INT(status == ELELEM_END, bits[i / 8] >> i % 8 & 1);
            }
        }
    fclose(file);
    elelem_fragment_parser_free(&parser);
}

CHECK_MAIN("corpus_utf8",
    RUN(every_sequence_is_valid_up_to_the_character_that_the_corpus_names)
    RUN(every_sequence_in_a_string_or_key_is_taken_or_refused_at_its_first_bad_byte)
    RUN(every_json_string_is_decoded_or_refused)
    RUN(all_sequences_of_one_byte_are_valid_as_in_the_bitmap)
    RUN(all_sequences_of_two_bytes_are_valid_as_in_the_bitmap)
    RUN(all_sequences_of_three_bytes_are_valid_as_in_the_bitmap)
    RUN(all_sequences_of_two_bytes_in_a_string_are_valid_as_in_the_bitmap))
