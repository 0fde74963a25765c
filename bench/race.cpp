#include "race.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

const double round_seconds = 0.01;

double now()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/* Seconds a byte, of as many runs as a round takes. */
double measure(const entrant &e)
{
    double start = now(), passed = 0;
    size_t runs = 0;
    while (passed < round_seconds) {
        e.run();
        runs++;
        passed = now() - start;
    }
    return passed / double(runs * e.bytes);
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

} // namespace

bool only_counts;

/* Instructions are not counted of all, because that takes fifty times as long. */
bool is_raced(const std::string &race_name, size_t piece)
{
    if (!only_counts) return true;
    if (race_name == "parse") return piece == 16 || piece == 0;
    return race_name == "stream" && piece == 1024;
}

/* What callgrind counts, by this name. */
extern "C" void counted_run(const entrant &e);
extern "C" void counted_run(const entrant &e)
{
    e.run();
}

static void (*volatile counted)(const entrant &) = counted_run;

static void count_rows(report &out, const std::string &text, const std::string &piece, const std::vector<entrant> &entrants)
{
    for (const entrant &e : entrants) {
        counted(e);
        out.row("count", text, e.bytes, piece, e.name, { 0, 0 });
    }
}

std::vector<result> race(const std::vector<entrant> &entrants, int rounds)
{
    size_t n = entrants.size();
    std::vector<std::vector<double>> times(n), ratios(n);
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < n; i++) { /* another one begins in each round */
            size_t turn = (i + size_t(round)) % n;
            times[turn].push_back(measure(entrants[turn]));
        }
        for (size_t i = 0; i < n; i++)
            ratios[i].push_back(times[i].back() / times[0].back());
    }
    std::vector<result> results;
    for (size_t i = 0; i < n; i++)
        results.push_back({ 1e-6 / median(times[i]), median(ratios[i]) });
    return results;
}

std::string piece_name(size_t piece)
{
    return piece ? std::to_string(piece) : "whole";
}

static FILE *opened(void *file)
{
    return static_cast<FILE *>(file);
}

report::report(const char *path) : file(std::fopen(path, "w"))
{
    if (!file) {
        std::perror(path);
        std::exit(1);
    }
}

report::~report()
{
    std::fclose(opened(file));
}

void report::comment(const std::string &text)
{
    std::fprintf(opened(file), "# %s\n", text.c_str());
    std::fprintf(stderr, "%s\n", text.c_str());
}

void report::row(const std::string &race, const std::string &text, size_t bytes, const std::string &piece,
                 const std::string &name, const result &r)
{
    std::fprintf(opened(file), "%s,%s,%zu,%s,%s,%.2f,%.2f\n", race.c_str(), text.c_str(), bytes, piece.c_str(), name.c_str(),
                 r.rate, r.ratio);
}

void report::figure(const std::string &what, const std::string &of, size_t bytes)
{
    std::fprintf(opened(file), "%s,%s,%zu,,elelem,,\n", what.c_str(), of.c_str(), bytes);
}

void race_rows(report &out, const std::string &race_name, const std::string &text, const std::string &piece,
               const std::vector<entrant> &entrants, int rounds)
{
    if (only_counts) return count_rows(out, text, piece, entrants);
    std::fprintf(stderr, "  %s, %s, %s\n", race_name.c_str(), text.c_str(), piece.c_str());
    std::vector<result> results = race(entrants, rounds);
    for (size_t i = 0; i < entrants.size(); i++)
        out.row(race_name, text, entrants[i].bytes, piece, entrants[i].name, results[i]);
}
