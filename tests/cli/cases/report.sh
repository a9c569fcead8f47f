# report as a page; the winner's source comes from the template.
read=$(dirname "$0")/../../browser/read_page.py
$FAKE report -o page.html
python3 "$read" page.html
# Text from the database is never code in the page.
echo "--- hostile"
GPUTUNE_FAKE=hostile $FAKE report -o hostile.html
python3 "$read" hostile.html
# The page can hold 10^5 trials.
echo "--- many"
GPUTUNE_FAKE=many $FAKE report -o many.html
python3 "$read" many.html
# There is nothing to report.
GPUTUNE_FAKE=empty exit_of $FAKE report
exit_of $FAKE report copi
exit_of $FAKE report -o no-folder/page.html
