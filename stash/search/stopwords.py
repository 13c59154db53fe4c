"""English words that say nothing about what a text is about. "May" stays: it is a month."""

_WORDS = """
a about above after again all also am an and any are as at be because been before being below between both but by
can cannot could did do does doing down during each few for from further get gets got had has have having he her
here hers herself him himself his how i if in into is it its itself just let me more most my myself no nor not now
of off on once only or other our ours ourselves out over own same shall she should so some such than that the their
theirs them themselves then there these they this those through to too under until up upon us very was we were
what when where which while who whom whose why will with would yet you your yours yourself yourselves
"""

STOP = frozenset(_WORDS.split())
