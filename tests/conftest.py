"""Which tests are slow, and how tests are dealt out to processes.

Most of the time of these tests is compilation: a test that plays another policy on another family
costs 2 to 10 seconds of a processor. So `pytest` alone runs a core with every law and one
representative of each kind, within two minutes on two processors; what is marked `slow` here, or
in its own file, is `pytest -m slow`, and CI runs both; of the laws of all pairs of a policy and a
family, `pytest -m pairs`, it runs a twelfth.

Tests of one file run in one process, because they share what is compiled; those of the laws of
policies, by far the largest file, are dealt out by the pair of a policy and a family.
"""

from __future__ import annotations

import re
import zlib
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

# Several folders have a conftest.py; none holds doctests, and as modules they share one name.
collect_ignore_glob = ["*conftest.py"]

# The file, which of its tests are slow, and which of those are in the core all the same.
SLOW = [
    ("figures/test_atlas_figures.py", r"written", ""),
    ("atlas/test_atlas.py", r"goes_on|processes|arm_bias|trillion", ""),
    ("bench/test_bench.py", r"ours|loop|choices|informa|threads|study|end_to_end|once", ""),
    ("choosers/test_champion.py", r"few_solved|same_way|bounds_of", r"bounds_of.*\[(Bern|Exp)"),
    ("choosers/test_choosers.py", r"ties|any_number|come_and_go", ""),
    ("choosers/test_choosers_with_evidence.py", r"any_statistics", r"KLUCB.*Bern"),
    ("cli/test_cli.py", r"reproduce|scale|init_writes|interrupted_run", ""),
    ("cli/test_interrupts.py", r"\[", r"compare"),
    ("cli/test_narrow.py", r"nothing_is_cut|terminal", r"compare"),
    ("cli/test_one_replication.py", r"compare_says_so", ""),
    ("cli/test_own_classes.py", r"brings|installed|without_defaults", ""),
    ("cli/test_streams.py", r"\[", r"leaves_at_once\[policies\]"),
    ("engine/test_engine.py", r"have_the_law|goes_on|of_a_user_is|same_reward|company", ""),
    ("policies/test_adaptive.py", r"governs|target|limit_which|is_the_run|never|cover", ""),
    ("policies/test_biases.py", r"\[", r"\[Bern.*-mean\]"),
    ("policies/test_ids_many_arms.py", r"", ""),
    ("studies/test_run_survives.py", r"five_times|full_disk|share_a_folder", r"full_disk.*\[28\]"),
    ("studies/test_stand_ins.py", r"anything_with_on|recommended", ""),
    ("studies/test_study_forms.py", r"theoretical_constant", ""),
    ("theory/test_theory.py", r"a_study_can_ask", ""),
    ("theory/test_paper_errata.py", r"proposition_5_fails", ""),
    ("live/test_decider_refusals.py", r"other_supports", ""),
    ("test_classes_of_users.py", r"without_the_compiler", ""),
    ("testing/test_checks_find_flaws.py", r"linear_regret", ""),
    ("theory/test_bounds_cli.py", r"papers_report|large_enough|request_is_drawn", ""),
    ("theory/test_bias_theory.py", r"\[|exponential", r"\[Bernoulli-mean"),
    ("theory/test_paper_propositions.py", r"\[", r"law[012]-"),
    ("engine/test_interrupt.py", r"run_stops", ""),
    ("live/test_decider_pending.py", r"do_not_freeze", ""),
    ("figures/test_figure_charts.py", r"\[adaptive", ""),
    ("figures/test_figure_drawing.py", r"adaptive", ""),
    (
        "families/test_extreme_numbers.py",
        r"find_the_best_arm|squares_that|large_scale|rate_underflows",
        "",
    ),
    (
        "families/test_family_laws.py",
        r"prior_a=[20]|_shape=[203]\.|=-1.0|=0.5\)|=3.0, |=0.3|-2.0, |0.7",
        "",
    ),
    ("evidence/test_evidence_statistics.py", r"linear|logis|rbmle|jo|surp|draw|sing|perm|zero", ""),
    ("live/test_decider_saving.py", r"a_kill_leaves", ""),
    ("live/test_decider_losses.py", r"version_1|named_dec|[-\[](KLUCB|Thomp)", ""),
    ("random/test_mersenne.py", r"\[[1-9]", ""),
    ("live/test_live_equals_simulated.py", r"commitment|supposed|\[(Thomp|Greedy)", ""),
    ("paper/test_published.py", r"every_printed_digit\[(Gaussian|Exponential)", ""),
    ("policies/test_ids.py", r"\[|commitment", ""),
    ("policies/test_policies.py", r"mean\[Bayes", ""),
    ("policies/test_trial.py", r"needs_the_horizon_is_played", ""),
    ("report/test_stored.py", r"reported|times", r"study_is_reported"),
    ("service/test_client.py", r"", r"not_before"),
    ("service/test_contexts.py", r"", r"to_the_bit|damaged"),
    ("service/test_http.py", r"", ""),
    ("service/test_http_evidence.py", r"", ""),
    ("service/test_ledger.py", r"", r"as_an_event"),
    ("service/test_migrations.py", r"", ""),
    ("service/test_served_equals_live.py", r"", ""),
    ("service/test_served_evidence.py", r"", ""),
    ("service/test_storage.py", r"take_turns", ""),
    ("service/test_verify.py", r"", ""),
    ("studies/test_run_damage.py", r"played_again\[", r"\[empty"),
    ("studies/test_run_shared.py", r"waits_for|taken_over|everything_once|no_entry", ""),
    ("testing/test_checks_find_flaws.py", r"flaw=[45]", ""),
    ("test_cache.py", r"damaged|full_disk|neither", ""),
    ("test_classes_of_users.py", r"the_laws|code_for|defined_again|nor_does|says_nothing", ""),
]  # fmt: skip

# Where the longest groups are: they come first, so that no process is left with one at the end.
LONGEST = ("documentation", "policies", "choosers", "paper", "families", "studies", "live")

# Slow tests that say the same of many pairs of a policy and a family, or of many cells, and are
# marked `pairs`: CI runs a part of them, another part for another commit.
PAIRS = {
    "test_bench.py",
    "test_biases.py",
    "test_champion.py",
    "test_choosers.py",
    "test_choosers_with_evidence.py",
    "test_classes_of_users.py",
    "test_evidence_equals_simulated.py",
    "test_evidence_played.py",
    "test_extreme_problems.py",
    "test_family_laws.py",
    "test_ids.py",
    "test_ids_many_arms.py",
    "test_knowledge_bounds.py",
    "test_late_rewards.py",
    "test_policy_laws.py",
    "test_published.py",
    "test_served_evidence.py",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", default="0/1", help="2/12: the third of twelve parts of `-m pairs`")


def in_part(item: pytest.Item, part: str) -> bool:
    """Whether the test is in that part. Tests that differ in the last parameter stay together."""
    number, count = map(int, part.split("/"))
    return zlib.crc32((item.nodeid.rpartition("-")[0] or item.nodeid).encode()) % count == number


def is_slow(item: pytest.Item) -> bool:
    place = item.path.as_posix()
    return any(
        place.endswith(f"tests/{file}")
        and re.search(slow, item.name)
        and not (core and re.search(core, item.name))
        for file, slow, core in SLOW
    )


def rank(item: pytest.Item) -> int:
    folder = item.path.parent.name
    return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)


class ByWhatIsCompiled(LoadScopeScheduling):  # type: ignore[misc]
    """Deals out tests so that those that share what is compiled run in one process."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        if test.startswith("test_every_pair"):  # code for GPUs, of which nothing is shared
            return nodeid
        return nodeid.rpartition("-")[0] if test.startswith("test_policy[") else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    config.option.loadscopereorder = False  # `LONGEST` has the order
    return ByWhatIsCompiled(config, log)


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what is marked
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("postgres"):  # by that marker alone: `-m slow` needs no server
            item.own_markers[:] = [each for each in item.own_markers if each.name != "slow"]
        elif is_slow(item):
            item.add_marker(pytest.mark.slow)
        tables = item.get_closest_marker("tables")
        if item.get_closest_marker("slow") and not tables and item.path.name in PAIRS:
            item.own_markers[:] = [each for each in item.own_markers if each.name != "slow"]
            item.add_marker(pytest.mark.pairs)
    part = config.getoption("--part")
    left_out = [each for each in items if not in_part(each, part)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [each for each in items if in_part(each, part)]
    items.sort(key=rank)
