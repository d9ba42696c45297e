"""A Dask cluster on loopback within this process: what travels is pickled as between machines."""

from distributed import LocalCluster


def cluster(workers):
    """A scheduler and so many workers of one thread, as a context."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address=None,
    )


def lose(cluster, name):
    """A worker of ``cluster`` ends at once, with all that it holds."""
    cluster.sync(cluster.workers[name].close, timeout=0, executor_wait=False, nanny=False)
