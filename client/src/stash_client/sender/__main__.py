from stash_client.sender.process import main

main()
