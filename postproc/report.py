#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One HTML file of a result or a study, to read, to send, to keep: no network, no other file.

    postproc/report.py out/silo                    out/silo/report.html
    postproc/report.py out/beverloo study.html --open
"""
import argparse
import webbrowser
from pathlib import Path

import sablier
import sablier.report


def main():
    parser = argparse.ArgumentParser(prog="sablier report", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", metavar="DIR", help="directory of `sablier run` or `sablier study`")
    parser.add_argument("page", nargs="?", help="default: report.html in that directory")
    parser.add_argument("--open", action="store_true", help="show it in a browser")
    options = parser.parse_args()
    path = sablier.report.write(options.result, options.page)
    print(path)
    if options.open:
        webbrowser.open(Path(path).resolve().as_uri())


if __name__ == "__main__":
    sablier.script(main, code=3, name="")  # bad input, as for the other commands
