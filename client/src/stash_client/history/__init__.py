"""Bringing in what agents wrote before Stash was there: their own session files, read and made clean on this machine.

``finding`` lists the files, ``plan`` says which belong to what, ``ledger`` remembers what is done, ``reading`` turns a
file into requests, ``workers`` does it in parallel, ``lessons`` and ``card`` say what was in it.
"""
