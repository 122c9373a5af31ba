"""The one place that knows the order of the stages: from files to reports.

`verify_file` and `verify_files` never raise for what a user can cause: faults of the input are
diagnostics of the report, an internal fault is E0009.
"""

from vxproof.driver.options import Options
from vxproof.driver.run import resolve_targets, verify_file, verify_files
from vxproof.report.model import Outcome, RunReport, TargetReport, UnitReport

__all__ = [
    "Options",
    "Outcome",
    "RunReport",
    "TargetReport",
    "UnitReport",
    "resolve_targets",
    "verify_file",
    "verify_files",
]
