#!/usr/bin/env python3
"""Tests of the independent check: figures by hand, spoiled releases, and its matching against brute force."""

import itertools
import json
import random
import tempfile
import unittest
from pathlib import Path

import check

ORIGINAL = [("21", "Male", "Flu"), ("23", "Male", "Cold"), ("41", "Female", "Flu"), ("25", "Female", "Gout")]
AGES = [["21", "20-29", "*"], ["23", "20-29", "*"], ["25", "20-29", "*"], ["41", "40-49", "*"]]


def write(path: Path, header: str, rows: list[tuple[str, ...]]) -> None:
    path.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")


class Releases(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        write(self.folder / "table.csv", "age,sex,disease", ORIGINAL)
        self.job = {"table": str(self.folder / "table.csv"), "sensitive": "disease", "k": 2, "l": 2, "t": None,
                    "columns": {"age": {"type": "integer", "hierarchy": None}, "sex": {"type": "text", "hierarchy": None}}}

    def check(self, rows: list[tuple[str, ...]], notation: str = "throng", header: str = "age,sex,disease") -> dict:
        write(self.folder / "release.csv", header, rows)
        return check.check(self.job, notation, self.folder / "release.csv")

    def test_figures_by_hand(self) -> None:
        found = self.check([("21..23", "Male", "Cold"), ("21..23", "Male", "Flu"),
                            ("25..41", "Female", "Flu"), ("25..41", "Female", "Gout")])
        self.assertEqual(found["broken"], [])
        self.assertEqual((found["k"], found["l"], found["classes"], found["left_out"]), (2, 2, 2, 0))
        self.assertAlmostEqual(found["information_loss"], (2 * 2 / 20 + 2 * 16 / 20) / 4)
        self.assertAlmostEqual(found["gcp"], (2 * 2 / 20 + 2 * 16 / 20) / 8)
        self.assertEqual(found["discernibility"], 8)
        self.assertAlmostEqual(found["t"], 0.25)  # Cold 1/2 instead of 1/4, Gout 0 instead of 1/4
        self.assertEqual(found["contained"], "yes")

    def test_sets_stars_and_records_left_out(self) -> None:
        found = self.check([("*", "{Female|Male}", "Cold"), ("*", "{Female|Male}", "Flu")])
        self.assertEqual((found["left_out"], found["information_loss"], found["gcp"]), (2, 2.0, 1.0))
        self.assertEqual(found["discernibility"], 4 + 2 * 4)
        self.assertEqual(found["broken"], [])

    def test_labels_of_a_hierarchy(self) -> None:
        (self.folder / "age.csv").write_text("\n".join(";".join(line) for line in AGES), encoding="utf-8")
        self.job["columns"]["age"]["hierarchy"] = str(self.folder / "age.csv")
        found = self.check([("20-29", "Male", "Cold"), ("20-29", "Male", "Flu")], "labels")
        self.assertAlmostEqual(found["information_loss"], 2 / 3)
        self.assertEqual(found["broken"], [])

    def test_anonypy(self) -> None:
        self.job["k"], self.job["l"] = 4, 3
        found = self.check([("['21-41']", '"[\'Male,Female\']"', value, count)
                            for value, count in (("Flu", "2"), ("Cold", "1"), ("Gout", "1"))],
                           "anonypy", "age,sex,disease,count")
        self.assertEqual((found["k"], found["l"], found["gcp"], found["broken"]), (4, 3, 1.0, []))

    def test_too_small_and_too_uniform_classes(self) -> None:
        found = self.check([("21", "Male", "Flu"), ("41", "Female", "Flu")])
        self.assertEqual(found["broken"], ["k is 1", "l is 1"])
        self.job["t"] = 0.2
        found = self.check([("21..23", "Male", "Cold"), ("21..23", "Male", "Flu"),
                            ("25..41", "Female", "Flu"), ("25..41", "Female", "Gout")])
        self.assertEqual(found["broken"], ["t is 0.25"])

    def test_tampered_releases_are_caught(self) -> None:
        self.job["k"] = self.job["l"] = 1
        honest = [("21..23", "Male", "Cold"), ("21..23", "Male", "Flu"), ("41", "Female", "Flu"), ("25", "Female", "Gout")]
        self.assertEqual(self.check(honest)["broken"], [])
        for row, spoiled in ((0, ("21..23", "Male", "Gout")),  # another's disease
                             (0, ("24..30", "Male", "Cold")),  # regions without such a record
                             (2, ("41", "Male", "Flu")),  # a sex that does not fit
                             (3, ("41", "Female", "Flu"))):  # the same record twice
            rows = [*honest[:row], spoiled, *honest[row + 1:]]
            self.assertTrue(self.check(rows)["broken"], spoiled)
        self.assertTrue(self.check([*honest, honest[0]])["broken"])
        self.assertTrue(self.check([("21", "Robot", "Flu")])["broken"])
        self.assertTrue(self.check([])["broken"])
        self.assertTrue(self.check([("21", "Flu")], header="age,disease")["broken"])

    def test_overlapping_classes_that_want_the_same_record(self) -> None:
        self.job["k"] = self.job["l"] = 1
        self.assertEqual(self.check([("*", "Male", "Flu"), ("21..25", "*", "Flu")])["contained"], "no")
        found = self.check([("*", "*", "Flu"), ("21..25", "*", "Flu")])
        self.assertEqual((found["contained"], found["why"]), ("yes", "by matching"))

    def test_escapes(self) -> None:
        domain = check.Domain(["a|b", "c", "*"])
        self.assertEqual(check.region_of_throng("{a\\|b|c}", domain).values, {"a|b", "c"})
        self.assertEqual(check.region_of_throng("\\*", domain).values, {"*"})
        self.assertEqual(check.region_of_throng("*", domain).values, {"a|b", "c", "*"})


def matched_by_brute_force(size: int, demands: list[tuple[int, int]]) -> bool:
    seats = [cover for cover, count in demands for _ in range(count)]
    return any(all(seat >> record & 1 for seat, record in zip(seats, chosen, strict=True))
               for chosen in itertools.permutations(range(size), len(seats)))


class Matching(unittest.TestCase):
    def test_against_brute_force(self) -> None:
        seed = random.randrange(1 << 30)
        draw = random.Random(seed)
        answers = set()
        for trial in range(400):
            size = draw.randint(1, 6)
            demands = []
            room = size
            while room and draw.random() < 0.8:
                count = draw.randint(1, room)
                room -= count
                demands.append((draw.getrandbits(size) | draw.getrandbits(size), count))
            expected = matched_by_brute_force(size, demands)
            answers.add(expected)
            self.assertEqual(check.matching((1 << size) - 1, demands), expected, json.dumps([seed, trial, size, demands]))
        self.assertEqual(answers, {True, False}, seed)


if __name__ == "__main__":
    unittest.main()
