#!/usr/bin/env python3
"""scripts/check-layout accepts a small tree, and refuses it after each of the things that it is there to find."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check-layout"

GOOD = {
    "include/carom/core/error.hpp": "#include <string>\n#include <Eigen/Core>\nnamespace carom {}\n",
    "src/core/check.hpp": '#include "carom/core/error.hpp"\nnamespace carom {}\n',
    "src/broad/sweep.cpp": '#include "core/check.hpp"\n#include <vector>\nnamespace carom::broad {}\n',
    "src/narrow/convex/gjk.hpp": '#include "broad/sweep.hpp"\nnamespace carom::convex {}\n',
    "src/world/step.cpp": '#include "narrow/convex/gjk.hpp"\nnamespace carom {}\n',
    "tests/broad/sweep_test.cpp": '// The way, the look and most_pairs are words of a comment.\nconst char* text = "way";\n',
}


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return subprocess.run([sys.executable, str(SCRIPT), folder], capture_output=True, text=True, check=False)


class CheckLayout(unittest.TestCase):
    def refused(self, name, text, said):
        result = run({**GOOD, name: text})
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr.strip().split("\n"), [f"check-layout: {said}"])

    def test_accepts_what_keeps_the_rules(self):
        result = run(GOOD)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_refuses_an_include_that_goes_upwards(self):
        self.refused("src/broad/sweep.cpp", '\n#include "world/state.hpp"\nnamespace carom::broad {}\n',
                     "src/broad/sweep.cpp:2: includes world/state.hpp, which is above broad")

    def test_refuses_a_folder_without_a_place(self):
        self.refused("src/extra/x.cpp", "namespace carom::extra {}\n",
                     "src/extra/x.cpp: folder extra is not in the order of folders")

    def test_refuses_the_namespace_of_another_folder(self):
        self.refused("src/broad/sweep.cpp", "\n\nnamespace carom::mid {}\n",
                     "src/broad/sweep.cpp:3: namespace carom::mid in folder broad")

    def test_refuses_a_stage_in_the_folder_of_the_world(self):
        self.refused("src/world/find_pairs.cpp", "namespace carom {}\n",
                     "src/world/find_pairs.cpp: belongs to the folder of its stage")

    def test_refuses_names_that_are_not_those_of_the_glossary(self):
        for name in ("most_pairs", "least_gap", "keep_share", "way", "look", "meeting", "rub", "homeless", "RigidKind"):
            self.refused("apps/carom/main.cpp", f"int a;\nint {name};\n", f"apps/carom/main.cpp:2: the name {name}")

    def test_refuses_other_libraries_in_public_headers(self):
        self.refused("include/carom/core/error.hpp", "#include <fmt/format.h>\n",
                     "include/carom/core/error.hpp:1: a public header includes <fmt/format.h>")
        self.refused("include/carom/core/error.hpp", '#include "core/check.hpp"\n',
                     "include/carom/core/error.hpp:1: a public header includes core/check.hpp")


if __name__ == "__main__":
    unittest.main()
