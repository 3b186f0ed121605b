#!/usr/bin/env python
"""The command line of the product: `python manage.py help` lists the commands."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_admin.settings")
    only_helps = sys.argv[1:2] in ([], ["help"], ["version"], ["--version"]) or {"--help", "-h"} & set(sys.argv)
    if only_helps or sys.argv[1:2] == ["verify_report"]:
        os.environ["MAKES_NOTHING"] = "true"
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:  # settings say what is wrong and what to do: no traceback on top
        sys.exit(f"Error: {problem}")
