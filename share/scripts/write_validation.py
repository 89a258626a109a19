"""Writes validation.md from the figures (results/*.csv) that tests leave: write_validation.py results out.md [tests that were not run ...], which the page names."""
import csv
import glob
import os
import sys

import provenance


def main(results, target, *left):
    files = sorted(glob.glob(f"{results}/*.csv"))
    if not files:
        sys.exit(f"no figures in {results}: the gates have not run")
    body, missed = [], 0
    for path in files:
        body += [f"## {os.path.basename(path)[:-4]}", "", "| figure | value | bound | |", "|---|---|---|---|"]
        with open(path, newline="") as f:
            for row in csv.DictReader(f):
                if None in row or None in row.values():
                    sys.exit(f"{path}: got {list(row.values())}, expected rows of what, value, bound, verdict")
                missed += row["verdict"] != "ok"
                cells = {k: v.replace("|", "\\|") for k, v in row.items()}
                body.append("| {what} | {value} | {bound} | {verdict} |".format(**cells))
        body.append("")
    head = ["# Validation", "", f"Written by `share/scripts/write_validation.py` ({'share/validate: the tests labelled slow' if left else 'share/validate_long: all gates'}). Every figure comes from a gate of tests/, which starts from rest unless it says otherwise.",
            "", provenance.line(), "", f"{len(files)} gates, {missed} figures missed.", ""]
    if left:
        body += [f"## Not run for this page: {len(left)} tests labelled long (share/validate_long)", "", ", ".join(f"`{name}`" for name in sorted(left)), ""]
    os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
    with open(target, "w") as f:
        f.write("\n".join(head + body))
    print(f"{target}: {len(files)} gates, {missed} figures missed")


main(*sys.argv[1:])
