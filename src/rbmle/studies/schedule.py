"""What to play next: the replications that are left, cut into tasks that are worth handing out.

A task costs an executor some milliseconds, whatever is in it. A second of work makes that cost
small, and is little to lose with a worker. The size of tasks is calibrated: the first tasks of a
policy are small, and each task that comes back says how long it took.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from ..engine import DECISIONS_A_TASK
from ..engine.plan import Task
from ..policies.base import ranks_only
from .progress_table import Claims, ProgressTable

SECONDS_A_TASK = 1.0
# With more workers than this, tasks are longer in proportion: a task takes about 4 ms of the
# process that hands it out and takes it back, so 200 a second keep it almost busy.
_TASKS_A_SECOND = 200
# The last tasks are smaller, so that all workers end together; but not below this many seconds,
# three times what a task costs besides its work (9 ms, `python -m benchmarks --only cluster`).
_LEAST_SECONDS = 0.03
_BYTES_A_TASK = 32_000_000  # of results: short horizons give many rows in a second
# Replications in the first task of a policy on a GPU, which takes as long for one of them.
_FIRST_ON_A_GPU = 4096

Tasks = tuple[Task, ...]  # played together: policies on the same rewards, one unless in order


class Backlog:
    """What is left of one policy on one problem; of several that are played together, in order.

    chunks: not claimed yet. ready: claimed, to be handed out. left: replications in both.
    """

    def __init__(self, table: ProgressTable, chunks: Sequence[Task]) -> None:
        self.table, self.chunks, self.ready = table, deque(chunks), deque[Task]()
        self.problem, self.policy = chunks[0][:2]
        self.left = sum(gap.size for chunk in chunks for gap in table.gaps(chunk))
        numbers = 2 * len(table.study.rounds) + table.plan.problems[self.problem].n_arms
        self.most = max(1, _BYTES_A_TASK // (8 * numbers))

    @property
    def chunks_left(self) -> int:
        """How many chunks are left, the one that is begun among them."""
        return len(self.chunks) + bool(self.ready)

    def claim(self, claims: Claims, wanted: int) -> None:
        """Claim chunks until that many replications can be handed out, or no chunk is free."""
        ready = sum(task.size for task in self.ready)
        for _ in range(len(self.chunks)):
            if ready >= wanted:
                return
            chunk = self.chunks.popleft()
            before = sum(gap.size for gap in self.table.gaps(chunk))
            gaps = claims.claim(chunk)
            if gaps is None:
                self.chunks.append(chunk)  # another process has it: try again later
                continue
            self.ready.extend(gaps)
            count = sum(gap.size for gap in gaps)
            self.left += count - before  # others may have played some of it meanwhile
            ready += count

    def take(self, wanted: int) -> Tasks:
        """Take what was claimed: at most that many replications without a gap; in order, all."""
        if not self.ready:
            return ()
        if self.table.in_order:
            taken = tuple(self.ready)
            self.ready.clear()
        else:
            task = self.ready.popleft()
            while self.ready and self.ready[0].first == task.last:
                task = task._replace(last=self.ready.popleft().last)
            cut = min(task.last, task.first + wanted)
            if cut < task.last:
                self.ready.appendleft(task._replace(first=cut))
            taken = (task._replace(last=cut),)
        self.left -= sum(task.size for task in taken)
        return taken


class Schedule:
    """The order of tasks. Problems are played one after the other, and the policies of a problem
    side by side, so that an interrupted run has about as many replications of each.

    calibrated: whether tasks are to take about a second. device: where they are played.
    """

    def __init__(self, claims: Claims, calibrated: bool = True, device: str = "cpu") -> None:
        self.claims, self.calibrated, self.device = claims, calibrated, device
        self.backlogs = [Backlog(claims.table, chunks) for chunks in _chunks(claims.table)]
        # Seconds and replications: of each policy on each problem, and where it was last measured.
        self._spent: dict[tuple[int, int], tuple[float, int]] = {}
        self._last: dict[int, tuple[float, int]] = {}

    @property
    def empty(self) -> bool:
        """Whether everything is handed out."""
        return not any(each.chunks or each.ready for each in self.backlogs)

    def tasks(self, slots: int) -> Iterator[Tasks]:
        """The next tasks, as long as there are chunks that other processes have not claimed.

        slots: how many tasks the executor plays at the same time.
        """
        blocked: set[Backlog] = set()
        while True:
            self.backlogs = [each for each in self.backlogs if each.chunks or each.ready]
            left = [each for each in self.backlogs if each not in blocked]
            first = [each for each in left if each.problem == left[0].problem]
            if not first:
                return
            backlog = max(first, key=lambda each: each.chunks_left)
            size = self._size(backlog, slots)
            # Tasks of less than a second do not cross chunks: a chunk is stored once it is played.
            backlog.claim(self.claims, size if self.calibrated else 1)
            tasks = backlog.take(size)
            if tasks:
                yield tasks
            else:
                blocked.add(backlog)

    def learn(self, task: Task, seconds: float) -> None:
        """Note how long a task took."""
        spent, played = self._spent.get(task[:2], (0.0, 0))
        self._spent[task[:2]] = self._last[task.policy] = spent + seconds, played + task.size

    def _pace(self, backlog: Backlog) -> float | None:
        """Seconds a replication: as measured on this problem, else on another; None at first."""
        policy = backlog.policy
        spent = self._spent.get((backlog.problem, policy)) or self._last.get(policy)
        return None if spent is None else spent[0] / spent[1]

    def _size(self, backlog: Backlog, slots: int) -> int:
        """How many replications the next task should have."""
        table, pace = self.claims.table, self._pace(backlog)
        if table.in_order:
            return backlog.left
        if not self.calibrated or pace is None:
            on_cpu = max(1, DECISIONS_A_TASK // table.study.horizon)
            return on_cpu if self.device == "cpu" else _FIRST_ON_A_GPU
        most = max(SECONDS_A_TASK, slots / _TASKS_A_SECOND)
        enough, left = 2 * slots * most, 0.0
        for each in self.backlogs:
            known = self._pace(each)
            left = enough if known is None else left + known * each.left
            if left >= enough:
                break
        seconds = max(_LEAST_SECONDS, left / (2 * slots))
        return max(1, min(round(min(seconds, most) / max(pace, 1e-9)), backlog.most))


def _chunks(table: ProgressTable) -> list[list[Task]]:
    """The chunks that are left, those of a policy on a problem together.

    In order, one chunk has all replications. On each problem the policies that draw nothing are
    played together, because drawing the table of rewards takes most of their time; then those that
    draw are played together.
    """
    found: dict[tuple[int, int], list[Task]] = {}
    for each in table.all_of_each():
        policy, _ = table.plan.players[each.problem][each.policy]
        together = not ranks_only(policy) if table.in_order else each.policy
        found.setdefault((each.problem, together), []).extend(table.chunks(each))
    return [found[each] for each in sorted(found) if found[each]]
