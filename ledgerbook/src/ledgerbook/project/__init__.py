"""What everything stands on: settings, paths, files, argument checks, child processes."""
