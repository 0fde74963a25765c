/* A race: several ways to do the same work, in one process, in rounds in which each has its turn. What counts is the
 * median over the rounds of the ratio within a round, because what the machine does in addition slows all alike. Times are
 * the CPU time of the process.
 */
#ifndef ELELEM_BENCH_RACE_H
#define ELELEM_BENCH_RACE_H

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

struct entrant {
    std::string name;
    size_t bytes;              /* how many one run takes */
    std::function<void()> run;
};

struct result {
    double rate;  /* megabytes (10^6 bytes) a second */
    double ratio; /* how many times as fast the first entrant is */
};

/* One result for each entrant, in their order. */
std::vector<result> race(const std::vector<entrant> &entrants, int rounds);

/* In place of all races, for bench/count.sh: each entrant of some races runs once, in counted_run, and its row has no figures. */
extern bool only_counts;

/* Whether this race takes place. */
bool is_raced(const std::string &race_name, size_t piece);

/* Lines of bench/results.csv: comments, and one row for each result. */
class report {
public:
    explicit report(const char *path);
    ~report();
    report(const report &) = delete;
    report &operator=(const report &) = delete;

    void comment(const std::string &text);
    void row(const std::string &race, const std::string &text, size_t bytes, const std::string &piece, const std::string &name,
             const result &r);
    void figure(const std::string &what, const std::string &of, size_t bytes);

private:
    void *file;
};

/* Races the entrants and writes the rows. */
void race_rows(report &out, const std::string &race_name, const std::string &text, const std::string &piece,
               const std::vector<entrant> &entrants, int rounds);

/* Pieces of this size: "whole" if it is zero. */
std::string piece_name(size_t piece);

/* Calls take(data, size) for all pieces until one is refused; nonzero if none was. */
template <class Take> bool in_pieces(const std::string &text, size_t piece, Take take)
{
    size_t step = piece ? piece : text.size();
    for (size_t at = 0; at < text.size(); at += step)
        if (!take(text.data() + at, step < text.size() - at ? step : text.size() - at)) return false;
    return true;
}

/* The races. */
void race_parsers(report &out);
void race_streams(report &out);
void race_prefixes(report &out);

#endif
