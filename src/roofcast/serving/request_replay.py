r"""Requests through an engine: arrivals, queue, batching, chunked prompts, preemption; same seed, same answer.

Each step gives every running sequence one token, and the rest of ``max_num_batched_tokens`` to prompts, first come
first served, as long as sequences and KV pages allow; where pages run out, the youngest sequence gives its pages back
and starts again, with what its pages still hold that nobody took since (as vLLM's scheduler does, with its default of
cached prefixes). Between two events all steps are alike but for their growing contexts, and
are taken at once.

.. math:: T = f(b) + \phi \, (f(b + p) - f(b)) + g(b) + \alpha_b \, b + \alpha_c \sum_i c_i
    + \phi \beta \sum_j p_j a_j + h

f(n) : s of all that n tokens pass, from a table. b : sequences with a token each. p : tokens of prompts. phi : 1; what
prompts take over the model, where a measured run says so. g(b) : s of what only sequences pass: of a prompt the last
token alone goes through the output layer. c_i : tokens that sequence i holds. p_j, a_j : tokens of prompt j in the
step, and tokens that each attends to. alpha, beta : s, of the attention's operators. h : s of the host.

Reason: W. Kwon et al., SOSP 2023, doi:10.1145/3600006.3613165 (pages, preemption); A. Agrawal et al., OSDI 2024
(chunked prompts).
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.serving.batch_step import Batch, Node, Plan, time_steps
from roofcast.serving.language_model import LanguageModel
from roofcast.serving.steady_state import ENGINE, EngineConstants

MOST_REQUESTS = 1_000_000
"""Requests of a replay; more take minutes and say nothing new."""
TOKENS = tuple(float(n) for n in (1, 2, 4, 8, 16, 32, 64, 128, 192, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536))
FAR = 4096.0
"""Tokens of the distant batches between which a step's time is taken as linear."""


@dataclass(frozen=True)
class Scheduler:
    """Settings of an engine, with the defaults of vLLM on GPUs of 70 GB and more."""

    max_num_seqs: int = 1024
    max_num_batched_tokens: int = 8192
    gpu_memory_utilization: float = 0.9


@dataclass(frozen=True)
class StepTable:
    """Seconds of any step of one deployment, as the formula above has them."""

    tokens: tuple[float, ...]
    seconds: tuple[float, ...]
    """f(n) + h, s."""
    per_sequence_s: float
    per_context_s: float
    per_attended_s: float
    prompt_factor: float = 1.0
    """phi: 1."""
    more: tuple[float, ...] = ()
    """g(n), s; none: 0."""

    def scaled(self, tokens: float, prompts: float) -> StepTable:
        """Scale the time of tokens and of prompts."""
        return StepTable(
            self.tokens, tuple(s * tokens for s in self.seconds), self.per_sequence_s * tokens,
            self.per_context_s * tokens, self.per_attended_s * tokens, prompts / tokens,
            tuple(s * tokens for s in self.more),
        )  # fmt: skip

    def passed_s(self, tokens: float, of: Sequence[float]) -> float:
        """S of what so many tokens pass, from a table of seconds."""
        i = min(max(bisect_right(self.tokens, tokens), 1), len(self.tokens) - 1)
        x0, x1, y0, y1 = self.tokens[i - 1], self.tokens[i], of[i - 1], of[i]
        return y0 + (y1 - y0) * (tokens - x0) / (x1 - x0)

    def time_s(self, tokens: float, sequences: float, context: float, attended: float) -> float:
        """S of a step. tokens : of sequences and prompts. context : tokens that all sequences hold. attended : sum of
        prompts' tokens times attended ones.
        """
        seconds = self.passed_s(tokens, self.seconds)
        if self.prompt_factor != 1.0 and tokens > sequences:
            decoding = self.passed_s(sequences, self.seconds) if sequences else 0.0
            seconds = decoding + self.prompt_factor * (seconds - decoding)
        if self.more and sequences:
            seconds += self.passed_s(sequences, self.more)
        seconds += self.prompt_factor * self.per_attended_s * attended
        return seconds + self.per_sequence_s * sequences + self.per_context_s * context


def tabulate_steps(model: LanguageModel, plan: Plan, node: Node, engine: EngineConstants = ENGINE) -> StepTable:
    """Time the steps that the table needs."""
    plain = [Batch(0.0, 0.0, n, 1.0, 1.0) for n in TOKENS] + [Batch(n, 1.0) for n in TOKENS]
    far = [Batch(64.0, 1.0), Batch(64.0, FAR), Batch(0.0, 0.0, FAR, 1.0, 1.0), Batch(0.0, 0.0, FAR, FAR, 1.0)]
    parts = time_steps(model, plan, [*plain, *far], node)
    n = len(TOKENS)
    passed = parts.weights_s + parts.other_s + parts.collective_s
    near, wide, first, last = (float(t) for t in parts.attention_s[2 * n :])
    per_context = (wide - near) / (64.0 * (FAR - 1.0))
    return StepTable(
        TOKENS, tuple((passed[:n] + engine.host_s).tolist()), max(near / 64.0 - per_context, 0.0), per_context,
        max(last - first, 0.0) / (FAR * (FAR - 1.0)), 1.0, tuple((passed[n : 2 * n] - passed[:n]).tolist()),
    )  # fmt: skip


@dataclass(frozen=True)
class Replayed:
    """What requests saw, n of them in the order of arrival; NaN of those that never ran."""

    queue_s: FloatArray
    ttft_s: FloatArray
    tpot_s: FloatArray
    """Mean of each request; NaN of those with one token."""
    end_s: float
    tokens: float
    preemptions: int

    @property
    def tokens_per_s(self) -> float:
        """Output tokens per second, first arrival to last token."""
        return self.tokens / self.end_s if self.end_s > 0 else math.nan

    def percentiles(self, values: FloatArray) -> tuple[float, float, float]:
        """p50, p90, p99."""
        known = values[np.isfinite(values)]
        if not len(known):
            return math.nan, math.nan, math.nan
        p50, p90, p99 = np.percentile(known, (50, 90, 99))
        return float(p50), float(p90), float(p99)


def draw_arrivals(rate_per_s: float, requests: int, seed: int = 0) -> FloatArray:
    """Arrivals of a Poisson process, s from the first on."""
    gaps = np.random.default_rng(seed).exponential(1.0 / rate_per_s, requests)
    gaps[0] = 0.0
    return np.cumsum(gaps)


class Engine:
    """State of a replay; requests are numbers."""

    def __init__(self, arrival: FloatArray, inputs: Sequence[int], outputs: Sequence[int], table: StepTable,
                 scheduler: Scheduler, kv_tokens: float) -> None:  # fmt: skip
        known = np.isfinite(arrival)
        self.released = int(known.sum())
        """Requests that have an arrival: all others come one by one, each when one ends."""
        self.arrival, self.inputs, self.outputs = arrival.tolist(), list(inputs), list(outputs)
        self.table, self.scheduler, self.kv_tokens = table, scheduler, kv_tokens
        n = len(self.inputs)
        self.start = [math.nan] * n
        self.first, self.last = [math.nan] * n, [math.nan] * n
        self.left = [0] * n
        """Tokens of the prompt that are not computed."""
        self.made = [0] * n
        """Tokens made, at the step that ``since`` names."""
        self.since = [0] * n
        self.waiting: deque[int] = deque()
        self.filling: deque[int] = deque()
        self.running: dict[int, int] = {}
        """Request -> step that ends it; in the order of their first tokens."""
        self.ends: list[tuple[int, int]] = []
        self.taken = 0
        """Tokens that pages were taken for so far."""
        self.given: dict[int, tuple[int, int]] = {}
        """Request that gave its pages back -> its tokens, and ``taken`` then: the last of its pages go first."""
        self.now, self.step, self.context, self.held, self.preemptions = 0.0, 0, 0, 0, 0
        self.next = 0

    def replay(self) -> Replayed:
        """All requests to their end."""
        n = len(self.inputs)
        while self.next < n or self.waiting or self.filling or self.running:
            self.take_arrivals()
            if not (self.waiting or self.filling or self.running):
                self.now = self.arrival[self.next]
                continue
            self.admit()
            if self.filling:
                self.mixed_step()
            else:
                self.decode_steps()
        start, first, last = (np.asarray(v) for v in (self.start, self.first, self.last))
        arrived, out = np.asarray(self.arrival), np.asarray(self.outputs)
        with quietly():
            tpot = np.where(out > 1, (last - first) / (out - 1), np.nan)
        return Replayed(start - arrived, first - arrived, tpot, self.now - self.arrival[0], float(out.sum()),
                        self.preemptions)  # fmt: skip

    def take_arrivals(self) -> None:
        """Requests that have come by now wait."""
        while self.next < len(self.arrival) and self.arrival[self.next] <= self.now:
            self.waiting.append(self.next)
            self.next += 1

    def admit(self) -> None:
        """Waiting requests while sequences and pages allow."""
        while self.waiting and len(self.running) + len(self.filling) < self.scheduler.max_num_seqs:
            request = self.waiting[0]
            need = self.inputs[request] + self.made[request]
            if self.held + self.context + need > self.kv_tokens and (self.running or self.filling):
                return
            self.waiting.popleft()
            self.held += need
            tokens, then = self.given.pop(request, (0, 0))
            cached = min(max(tokens - (self.taken - then), 0), need - 1)
            self.taken += need - cached
            self.left[request] = need - cached
            if math.isnan(self.start[request]):
                self.start[request] = self.now
            self.filling.append(request)

    def mixed_step(self) -> None:
        """One step with prompts in it."""
        budget = self.scheduler.max_num_batched_tokens - len(self.running)
        prompt, attended, done = 0, 0.0, []
        while self.filling and budget > 0:
            request = self.filling[0]
            chunk = min(self.left[request], budget)
            whole = self.inputs[request] + self.made[request]
            attended += chunk * (whole - self.left[request] + 0.5 * chunk)
            self.left[request] -= chunk
            prompt, budget = prompt + chunk, budget - chunk
            if self.left[request]:
                break
            done.append(self.filling.popleft())
        b = len(self.running)
        self.now += self.table.time_s(prompt + b, b, self.context, attended)
        self.advance(1)
        for request in done:
            whole = self.inputs[request] + self.made[request]
            self.held -= whole
            if math.isnan(self.first[request]):
                self.first[request] = self.now
            self.made[request] += 1
            self.begin(request, whole + 1)

    def begin(self, request: int, context: int) -> None:
        """A request with its first token goes on, or ends."""
        rest = self.outputs[request] - self.made[request]
        if rest <= 0:
            self.end(request)
            return
        self.context += context
        self.since[request] = self.step
        self.running[request] = self.step + rest
        heapq.heappush(self.ends, (self.step + rest, request))

    def end(self, request: int) -> None:
        """A request has its last token; its client sends the next one."""
        self.last[request] = self.now
        if self.released < len(self.arrival):
            self.arrival[self.released] = self.now
            self.released += 1

    def advance(self, steps: int) -> None:
        """Every running sequence by some tokens; those at their end leave."""
        self.step += steps
        self.context += steps * len(self.running)
        self.taken += steps * len(self.running)
        while self.ends and self.ends[0][0] <= self.step:
            end, request = heapq.heappop(self.ends)
            if self.running.get(request) != end:
                continue
            del self.running[request]
            self.context -= self.inputs[request] + self.outputs[request]
            self.end(request)
        while self.context + self.held > self.kv_tokens and len(self.running) > 1:
            self.preempt()

    def preempt(self) -> None:
        """The youngest gives back its pages and waits in front."""
        request, _ = self.running.popitem()
        self.made[request] += self.step - self.since[request]
        tokens = self.inputs[request] + self.made[request]
        self.context -= tokens
        self.given[request] = tokens, self.taken
        self.waiting.appendleft(request)
        self.preemptions += 1

    def decode_steps(self) -> None:
        """All steps up to the next event, at once."""
        b = len(self.running)
        while self.ends and self.running.get(self.ends[0][1]) != self.ends[0][0]:
            heapq.heappop(self.ends)
        steps = self.ends[0][0] - self.step
        steps = max(1, min(steps, math.ceil((self.kv_tokens - self.context - self.held) / b) or 1))
        step_s, grows = self.table.time_s(b, b, self.context, 0.0), self.table.per_context_s * b
        if self.next < self.released:
            gap = self.arrival[self.next] - self.now
            steps = max(1, min(steps, math.ceil(gap / step_s)))
        self.now += steps * step_s + grows * 0.5 * steps * (steps - 1)
        self.advance(steps)


def replay_requests(
    arrival: FloatArray, inputs: Sequence[int], outputs: Sequence[int], table: StepTable,
    scheduler: Scheduler | None = None, kv_tokens: float = math.inf,
) -> Replayed:  # fmt: skip
    """Send requests through one replica. arrival : (n,) s, rising; infinite of those that come when another ends.

    inputs, outputs : tokens, from 1 on.

    kv_tokens : tokens that the KV cache holds.

    Raises
    ------
    InputError : no requests, too many, lengths below 1, or one that the cache can never hold.
    """
    scheduler = scheduler or Scheduler()
    if not 0 < len(inputs) <= MOST_REQUESTS:
        raise InputError(f"{len(inputs):,} requests: replay 1 to {MOST_REQUESTS:,}")
    if min(inputs) < 1 or min(outputs) < 1:
        raise InputError("a request has at least one token in and one out")
    longest = max(i + o for i, o in zip(inputs, outputs, strict=True))
    if longest > kv_tokens:
        raise InputError(f"a request of {longest:,} tokens does not fit into a KV cache of {int(kv_tokens):,}")
    if min(scheduler.max_num_seqs, scheduler.max_num_batched_tokens) < 1 or \
            scheduler.max_num_batched_tokens < scheduler.max_num_seqs:  # fmt: skip
        raise InputError("max_num_batched_tokens must be at least max_num_seqs, and both above 0")
    return Engine(np.asarray(arrival, np.float64), inputs, outputs, table, scheduler, min(kv_tokens, 1e15)).replay()
