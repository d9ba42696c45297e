"""The running example of the first half: four next tokens behind two queries, one common word.

Small enough to print: ``WORDS`` names the ids of the contextual tokens and of the queries.
"""

from lib.scan_snap.attention_flow import block_classes

NEXT_TOKENS = ("guitar", "drums", "goal", "racket")
WORDS = ("play", "strum", "chord", "beat", "stick", "kick", "net", "serve", "court", "band", "team")
COMMON_WEIGHT = 0.8  # beside distinct words of weight 1 and 0.6


def four_classes(common_weight=COMMON_WEIGHT):
    """``SequenceClasses`` of the example: 4 classes over 11 ids, word ``i`` being ``WORDS[i]``.

    Query "band" leads to guitar or drums, query "team" to goal or racket.  Each class has two
    distinct words, the first one more frequent; "play" occurs with all of them.
    """
    return block_classes([[common_weight]] * 4, [[1, 0.6]] * 4, groups=[0, 0, 1, 1])
