"""PyTorch on one thread, and the caller's number of threads back afterwards."""

from contextlib import contextmanager


@contextmanager
def one_torch_thread():
    """Results do not depend on the number of cores, and runs side by side do not fight for them.

    PyTorch keeps the number for each thread of the process, so that sweeps may nest and overlap.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
