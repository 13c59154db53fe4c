import sys

from stash_client.cli import main

sys.exit(main())
