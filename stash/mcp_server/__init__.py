"""The memory as tools of the Model Context Protocol: a few flat ones over the services everything else uses."""
