"""Sentences that say in other words than "the documents do not say" that the sources are silent: something is nowhere to be found, a search came
back empty, the minutes keep it to themselves. English.

Such a sentence says where it was looked for, or who looked, and what came of it. That something is not in a paper is not enough: "theft is not
covered by the policy" and "the label does not list sugar" answer.
"""

from __future__ import annotations

import re

_KIND = (
    r"(?:documents?|documentation|docs?|contexts?|passages?|sources?|texts?|articles?|excerpts?|extracts?|snippets?|materials?|chunks?|"
    r"knowledge base|archives?|manuals?|pages?|handbooks?|guides?|faqs?|brochures?|leaflets?|reports?|e-?mails?|threads?|notes|minutes|"
    r"transcripts?|memos?|data ?sheets?|instructions|newsletters?|wiki|listings?|catalogue|chapters?|sections?|paragraphs?|logs?|"
    r"spreadsheets?|tables?|files?|records?|tickets?|agenda|survey|programme|advisory|schematics?|letters?|correspondence|index|dataset|"
    r"data|summar(?:y|ies)|attachments?|slides?|deck|specifications?|specs?|readme|changelog|bulletins?|booklet|statements?|annex|"
    r"append(?:ix|ices)|briefing|dossier|paperwork|literature|collection|repository|entries|cards?|filings?|prospectus|stud(?:y|ies)|"
    r"papers?|terms|contracts?|agreements?|uploads?|search results?|history)\b"
)
_PAPER = rf"(?:the|this|these|those|your|our|my)(?: [\w’'-]{{1,20}}){{0,3}} {_KIND}"
# Who answers speaks of what lies before them.
_BEFORE_ME = (
    r"(?:(?:that |which )?(?:i|we)(?:[’']ve)? (?:have|had|hold|got|(?:can )?see|(?:was|were) (?:given|handed|shown|sent)|received|retrieved|pulled|"
    r"found|checked|searched)|(?:that |which )?you(?:[’']ve| have)? (?:gave|given|shared|provided|uploaded|attached|pasted|sent)|"
    r"(?:given|supplied|provided|furnished|available|handed|shown|accessible|visible) to (?:me|us)|(?:at|on) hand|in front of (?:me|us)|"
    r"before me|at my disposal)\b"
)
_GIVEN = (
    r"(?:the|these|your|any|any of the|my) (?:(?:provided|given|available|retrieved|supplied|attached|uploaded|indexed|pasted|shared)"
    rf"(?: [\w’'-]{{1,20}}){{0,2}} {_KIND}|(?:[\w’'-]{{1,20}} ){{0,2}}(?:excerpts?|extracts?|snippets?|passages?|contexts?|chunks?|uploads?|"
    r"search results?|knowledge base)\b)"
)
_MINE = rf"(?:{_GIVEN}|(?:the|this|these|those|your|our|my)(?: [\w’'-]{{1,20}}){{1,4}} {_BEFORE_ME}|(?:what|anything|everything) {_BEFORE_ME})"
_ANY = rf"(?:{_MINE}|{_PAPER})"
_SURELY = r"(?:(?:explicitly|directly|specifically|actually|clearly|simply|just|really|even|ever|also) ){0,2}"
_IS_NOT = (
    r"(?:(?:is|are|was|were|has been|have been)(?:n[’']t| not| never)|(?:has|have)(?:n[’']t| not| never) been|"
    r"(?:does|do|did)(?:n[’']t| not) (?:get|seem to be|appear to be)|never gets?)"
)
# What a writer does: papers that bind "include", "cover" and "give".
_TOLD = (
    r"(?:recorded|named|depicted|shown|addressed|listed|stated|documented|mentioned|described|quoted|specified|spell?(?:ed|t) out|noted|"
    r"reported|discussed|touched (?:on|upon)|brought up|gone into|identified|explained|disclosed|referred to|alluded to)"
)
_BARE = r"(?:missing|absent|omitted|left out|included|covered|given|provided|contained|part of|among)"
_UNTOLD = r"un(?:mentioned|stated|specified|recorded|named|documented|addressed|explained|answered|listed)"
_NAMING = (
    r"(?:mentioning|naming|saying|stating|giving|specifying|explaining|detailing|describing|telling|identifying|indicating|listing|"
    r"going into|touching (?:on|upon)|disclosing)"
)
_NO_HITS = r"(?:no|zero|0|not (?:a single|one)) (?:\w+ ){0,2}(?:mention|trace|hits?|match(?:es)?|results?|entry|entries|references?|records?|word)"
_LOOKED = r"(?:searched|looked|combed|scanned|sifted|dug|went|gone|leafed|hunted|scoured|read|checked|reviewed|trawled|skimmed|queried|consulted)"
_EMPTY = (
    rf"(?:nothing\b|nowhere\b|{_NO_HITS}\b|empty[- ]?handed|(?:up|back|away) (?:empty|blank)|without (?:success|luck|finding)|to no avail|"
    rf"{_IS_NOT} {_SURELY}(?:{_TOLD}|there)|(?:could|can)(?:not|n[’']t| not) (?:find|locate|spot|see))"
)
_NOT_A_WORD = r"(?:nothing|not a (?:single )?word|no word|no (?:mention|hint|clue|reference|allusion|indication))"
_CANNOT = r"(?:can[’']?t|cannot|can not|couldn[’']t|could not|wouldn[’']t|am unable to)"
_SILENT = re.compile(
    "|".join(
        (
            # It stands nowhere: "the name isn't recorded in the minutes", "sanding is missing from the excerpts".
            rf"\b{_IS_NOT} {_SURELY}{_TOLD}(?: anywhere)? (?:in|on|by|within|among) {_ANY}",
            rf"\b(?:{_IS_NOT} {_SURELY}|is |are |was |were ){_BARE}(?: anywhere)? (?:in|on|by|of|from|within|among) {_MINE}",
            rf"(?:[:;,–—] |^\W{{0,3}})not (?:{_TOLD}|{_BARE}) (?:in|on|by|within|among) {_ANY}",
            rf"\b(?:goes|go|went|remains?|stays?|is|are|was|were)(?: left)? {_UNTOLD}(?: anywhere)? (?:in|by) {_ANY}",
            rf"\bnowhere (?:to be found\b|in {_ANY})|\b(?:appears|stands|is|are|mentioned|named) nowhere in {_ANY}",
            rf"\b(?:never|doesn[’']t|does not|don[’']t|do not) (?:come|crop|turn|show)s? up(?: anywhere)? in {_ANY}|\bnever (?:come|crop)s? up\W*$",
            r"^\W{0,6}(?:not found|nothing found|no (?:match(?:es)?|hits?|results?|answer)(?: found)?)\W*$",
            # Somebody looked, and what came of it: "searched the handbook; zero hits".
            rf"(?:\b(?:i|we)(?:[’']ve| have)?(?: \w+ly| just| also)?|^\W{{0,3}}) ?{_LOOKED}\b[^.?!]{{0,90}}?\b{_EMPTY}",
            rf"^\W{{0,3}}(?:(?:the|my|your|a) )?(?:search|lookup|query|retrieval)\b[^.?!]{{0,50}}?\b(?:returned|gave|found|yielded|produced|turned up|came) (?:back )?(?:with )?"
            rf"{_EMPTY}(?! (?:because|since|until|unless|when|as)\b)",
            r"\b(?:came|come|coming) (?:up|back|away) (?:empty|blank)",
            rf"^\W{{0,3}}(?:(?:sorry|hmm|alas|regrettably|unfortunately)\W{{1,3}})?(?!no entr){_NO_HITS} (?:on|for|about|of|concerning|regarding)\b"
            r"(?![^.?!]*\b(?:is|are|was|were|will|may|must|can|has|have|exists?|kept|needed|required)\b)",
            r"\bno \w+(?: \w+){0,4} (?:was|were|has been|have been) (?:retrieved|surfaced|indexed)\b",
            r"^\W{0,3}(?:couldn[’']t|could not|can[’']t|didn[’']t|unable to) (?:find|locate|dig|see|spot|track|trace|turn up)\b",
            r"\b(?:i|we)(?: really| just| simply| still)? (?:couldn[’']t|could not|can[’']t|cannot|didn[’']t|did not) (?:spot|dig|track|trace|turn up|"
            r"come across|unearth|make out)\b",
            # The source keeps it to itself.
            rf"{_ANY}(?:[^.?!,;]{{0,30}} (?:says?|tells?|reveals?|gives?|holds?|has|have|contains?|makes?)(?: us| me| you)? {_NOT_A_WORD} (?:about|on|of|as to|regarding|to|for)"
            r"|(?: \w+)? makes? no (?:mention|reference|allusion) (?:of|to)"
            r"|(?: \w+)? (?:keeps?|leaves?) (?:that|this|it|the (?:question|point|matter|issue)) (?:to (?:itself|themselves)|open|out|unsaid|unanswered)"
            r"|(?: \w+)? (?:skips? over|passes over|never (?:mentions?|says?|states?|names?|gets? (?:to|around to)|touch(?:es)?|explains?))"
            r"|(?: \w+)? (?:breaks? off|cuts? off|is cut off|are cut off) (?:\w+ )?before"
            rf"|[^.?!]{{0,60}}\bwithout (?:ever |even |actually )?{_NAMING})\b",
            rf"{_MINE} (?:\w+ )?(?:leaves? out|omits?)\b|\b(?:it|they)(?: \w+)? makes? no (?:mention|reference|allusion) (?:of|to)\b",
            rf"\b(?:about|on|of|regarding|concerning|as (?:for|to)) [^.?!]{{2,60}} {_ANY} (?:says?|tells?|has|have) {_NOT_A_WORD}\b",
            rf"^\W{{0,3}}(?:but |and )?(?:there[’']s |there is )?{_NOT_A_WORD}(?: (?:there|here|at all))?\W*$",
            # Beyond what there is, or nothing to answer with.
            rf"\b(?:falls?|lies?|is|are|that[’']s|it[’']s) (?:well |just |far )?(?:outside|beyond)(?: of)? (?:(?:the )?(?:scope|range|coverage) of )?(?:{_MINE}|what (?:i|we)\b)",
            r"\b(?:i|we) (?:have|see|(?:was|were|have been) given) (?:no|nothing)\b[^.?!]{0,60} (?:to (?:draw from|draw on|go on|work with|quote)|on (?:that|this|file|record))\b",
            r"^\W{0,3}(?:(?:sorry|hmm|well|honestly|i have|i[’']ve)\W{1,3})?(?:no idea|no clue|not a clue|beats me|hard to say)\b",
            r"\byour guess is as good as mine\b|\bi(?:[’']m| am) (?:at a loss|in the dark|none the wiser|stumped)\b",
            rf"\b(?:leaves?|leaving) (?:me|us) (?:unable|guessing|none the wiser|in the dark)\b|\bi therefore {_CANNOT} (?:say|tell)\b",
            rf"[,;–—] (?:so|and|hence|therefore|which) i {_CANNOT} (?:say|tell|judge|confirm)\b(?! enough)",
        )
    ),
    re.IGNORECASE,
)

# One of these is in whatever the pattern finds: most sentences have none of them, and need not be searched.
_SIGNS = (
    " no", "n't", "n’t", " 0 ", "zero", "cannot", "never", "without", "missing", "absent", "omit", "left out", "leave", "leaving", "keep", "empty",
    "empti", "blank", " un", "outside", "beyond", "skip", "passes over", "break", "cut", "guess", "a loss", "the dark", "wiser", "stumped", "beats me",
    "hard to say", "in vain",
)  # fmt: skip
_LOOKS = re.compile(
    rf"(?:i|we)(?:[’']ve| have)?(?: \w+ly| just| also)? {_LOOKED} [^.?!,;:]{{2,90}}\W{{0,2}}", re.IGNORECASE
)
_OF_SOURCES = re.compile(
    rf"^(?:(?:but|instead|however|hmm|well|sorry),? )?(?:{_ANY}|{_MINE}[^.?!,;:]{{0,40}}) (?:only |mainly |just )?(?:talks? about|deals? with|(?:is|are) (?:only )?(?:about|for)|"
    r"concerns?|covers?|focus(?:es)? on|(?:run|range|start|begin|stop|end)s? (?:from|with|in|at)|[^.?!]{1,60} (?:exclusively|only)\W*$)",
    re.IGNORECASE,
)


def is_silent(sentence: str) -> bool:
    """Whether a sentence says that what was asked stands nowhere, or that the one who answers does not know."""
    low = f" {sentence.lower()}"
    return any(sign in low for sign in _SIGNS) and _SILENT.search(sentence) is not None


def is_of_sources(sentence: str) -> bool:
    """Whether a sentence says where one looked, or what the sources are about instead: no answer, beside one that declines."""
    return _LOOKS.fullmatch(sentence) is not None or _OF_SOURCES.search(sentence) is not None
