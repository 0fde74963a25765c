#!/bin/sh
# The tables and the chart are those that bench/report.sh makes of bench/results.csv. No times are taken here.
set -u
if bench/report.sh --check; then echo 'ok tables_and_chart_are_made_of_the_results'
else echo 'not ok tables_and_chart_are_made_of_the_results'; fi
