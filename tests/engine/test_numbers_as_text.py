"""Numbers in tables: only 0 looks like 0, and all have enough digits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbmle._io.text import number_text, text_table, with_error

SIZES = st.floats(1e-300, 1e300)


@given(SIZES, st.sampled_from([-1.0, 1.0]))
def test_a_number_is_told_to_within_five_hundredths_of_it(size, sign):
    said = number_text(sign * size)
    assert float(said.replace(",", "")) == pytest.approx(sign * size, rel=0.05)
    assert len(said) <= 12


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"), (-0.0, "0"), (0.0001, "0.0001"), (-0.04, "-0.04"), (0.05, "0.05"),
        (0.99951, "1.0"), (1.0, "1.0"), (9.96, "10.0"), (1000.0, "1,000.0"), (99999.94, "99,999.9"),
        (123456.78, "123,457"), (9e9, "9e9"), (-9.87654e12, "-9.877e12"), (1e-5, "1e-5"),
        (float("nan"), "-"), (float("-inf"), "-inf"),
    ],
)  # fmt: skip
def test_numbers_of_every_size(value, said):
    assert number_text(value) == said


@given(SIZES, SIZES)
def test_a_mean_with_its_error_is_never_finer_than_the_error(mean, error):
    shown, spread = with_error(mean, error)
    if 1e-4 <= error < 1e6 and error < 99.0:
        assert len(shown.partition(".")[2]) == len(spread.partition(".")[2])
    assert float(spread.replace(",", "")) == pytest.approx(error, rel=0.06)


def test_columns_are_as_wide_as_what_they_hold():
    table = text_table(("a", "b"), [("row", ["1", "12,345,678,901"]), ("longer row", ["2", "3"])])
    assert len({len(line) for line in table.splitlines()}) == 1
    assert "  12,345,678,901" in table
    assert text_table(("a",), []).split() == ["a"]
