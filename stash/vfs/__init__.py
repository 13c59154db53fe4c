"""The memory as files: a tree of what a person may see (``mounts``), and the commands agents know (``shell``)."""
