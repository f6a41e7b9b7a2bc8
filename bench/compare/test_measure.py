#!/usr/bin/env python3
"""Tests of how runs are measured: limits hold, also for children, and memory is the command's own."""

import sys
import tempfile
import time
import unittest
from pathlib import Path

from measure import Limits, run

MEBIBYTE = 2**20


def is_running(process: int) -> bool:
    """Neither gone nor a zombie that nobody has waited for yet."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@unittest.skipUnless(sys.platform == "linux", "NOT TESTED: measures by /proc, which this system has not")
class Measured(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.limits = Limits(20, 400 * MEBIBYTE)

    def python(self, program: str, limits: Limits | None = None):
        return run([sys.executable, "-I", "-S", "-c", program], limits or self.limits, self.folder)

    def test_memory_is_not_the_parents(self) -> None:
        ours = bytearray(200 * MEBIBYTE)
        self.assertLess(self.python("pass").peak_bytes, len(ours) // 4)
        self.assertGreater(self.python(f"x = bytearray({100 * MEBIBYTE})").peak_bytes, 100 * MEBIBYTE)

    def test_output_and_failure(self) -> None:
        done = self.python("print('made')")
        self.assertEqual((done.output, done.failure), ("made\n", ""))
        self.assertEqual(self.python("raise SystemExit('no such column')").failure, "failed: no such column")
        self.assertIn("failed", run(["no-such-program"], self.limits, self.folder).failure)

    def test_too_much_memory(self) -> None:
        done = self.python(f"x = bytearray({300 * MEBIBYTE}); import time; time.sleep(20)", Limits(15, 100 * MEBIBYTE))
        self.assertIn("of memory", done.failure)

    def test_too_long_ends_children_too(self) -> None:
        done = self.python("import os, time\nif os.fork(): print(os.getpid(), flush=True); time.sleep(60)\n"
                           f"else: open({str(self.folder / 'child')!r}, 'w').write(str(os.getpid())); time.sleep(60)",
                           Limits(1, 400 * MEBIBYTE))
        self.assertEqual(done.failure, "over 1 s")
        child = int((self.folder / "child").read_text(encoding="ascii"))
        for _ in range(100):
            if not is_running(child):
                break
            time.sleep(0.05)
        self.assertFalse(is_running(child))


if __name__ == "__main__":
    unittest.main()
