from stash_client.sender import main

main()
