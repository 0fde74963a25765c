/* What is raced on: documents and streams of our own, always the same, and if the recordings are at hand, those too. */
#ifndef ELELEM_BENCH_TEXTS_H
#define ELELEM_BENCH_TEXTS_H

#include <string>
#include <vector>

struct document_set {
    std::string name;
    std::vector<std::string> documents; /* each is parsed alone */
    bool has_long_strings;
};

size_t bytes_of(const std::vector<std::string> &texts);

/* Arguments of tool calls, edit lists, small objects, other scripts than Latin, and plain text; then the three public
   documents of other benchmarks, or if ELELEM_CORPUS/bench does not have one, one of our own that is like it. */
std::vector<document_set> document_sets();

/* The arguments of one call that writes a file, of about this size. */
std::string file_arguments(size_t bytes);

struct stream_set {
    std::string name; /* of the shape */
    std::vector<std::string> bodies;
    bool recorded; /* nonzero: from ELELEM_CORPUS/streams; else our own */
};

std::vector<stream_set> stream_sets();

#endif
