/* test_request_results.c with one call and one result more. */
#define ELELEM_STREAM_IMPLEMENTATION
#define ROOM "deep_request_results"
#define CALLS 3
#define RESULTS 3
#include "test_request_results.c"
