"""PyTorch on one thread for a while."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Context in which PyTorch runs on one thread; the number of threads is restored afterwards.

    Results then do not depend on the number of cores, and runs in parallel do not compete for them.
    PyTorch keeps the number for each thread of the process, so that sweeps may nest and overlap.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
