"""What an answer's first sentence says by itself, where its question names what it speaks of: "It was opened in 2009." to "When was the Hamburg office opened?" is
"The Hamburg office was opened in 2009."

Without that the sentence is true of whatever the documents say it of. Only plain questions are read, of one clause, and answers that begin with a pronoun,
name who it is ("Alice does.", "That would be Alice.") or say no more than yes or no ("It is."); everything else stays as it is. English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_MOST_ASKED, _MOST_SUBJECT, _FEW_WORDS, _TAKEN_UP, _STEM = 24, 8, 8, 3, 4
_BE = r"is|are|was|were"
_HELP = rf"{_BE}|do|does|did|can|could|will|would|should|must|may|might|has|have|had"
_UNIT = r"times?|days?|dates?|hours|years?|months?|price|age|address|temperature|size|colou?r|weight|number|percentage|share"
_ASKED = re.compile(
    r"\A(?:(?:and|so|ok|okay|hi|hello)[,!]? )?(?:(?:(?:at|until|by|from|since|for|in|on|to) )?"
    r"(?P<wh>when|where|why|how(?: (?:much|many|long|often|far|old|big|large|tall|high|heavy|fast|expensive|late|early|soon|wide|deep|hot|warm|cold|strong))?"
    rf"|(?:what|which)(?: (?:{_UNIT}))?) )?(?P<help>{_HELP}) (?P<rest>[^?,;:]{{2,120}}?)(?: (?:please|exactly|then))?\?\Z",
    re.IGNORECASE,
)
_WHAT_IS = re.compile(r"\A(?P<wh>what|where|when|how)['’]s (?P<rest>[^?,;:]{2,120})\?\Z", re.IGNORECASE)
_WHO = re.compile(
    r"\A(?P<wh>who|which \w+|what)['’]?(?:(?P<short>s)\b)? (?P<rest>[^?,;:]{3,120})\?\Z",
    re.IGNORECASE,
)
_NO_SUBJECT = frozenset(
    "i you we he she it they there this that these those one someone anyone people in on at to for of not".split()
)
_WORD = re.compile(r"[\w'’-]++")
_BEING = frozenset(_BE.split("|"))
_POINTING = re.compile(r"\A(?:that|this|these|those)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\A(?:it|they|that|this|these|those)(?P<short>['’](?:s|ll|re|d))?\s+(?P<verb>\S+)", re.IGNORECASE
)
_LONG = {"s": "is", "ll": "will", "re": "are", "d": "would"}
# "It is possible to ...", "it depends", "it says": no thing is meant.
_NOTHING_MEANT = re.compile(
    r"\A(?:it|that|this)(?:['’]s| (?:is|was|will be|would be|may be|can be)(?:n['’]t)?)\s(?:\w+ly |not |also )?(?:possible|impossible|allowed|permitted|"
    r"forbidden|recommended|advisable|important|best|better|necessary|likely|unlikely|worth|required|mandatory|stated|mentioned|said|noted|clear|unclear|true|false|correct|right|wrong|"
    r"because|why|how|what|when|where|up to|"
    r"a good idea|easy|hard|difficult|crucial|essential|helpful|useful|common|safe|okay|ok|fine|free to|as if|about|believed|estimated|thought|known|a matter)\b"
    r"|\Ait (?:depends|seems|appears|says|states|turns|looks|rains|snows|makes sense|should be noted|must be|can take|could|might|may be)\b",
    re.IGNORECASE,
)
_ENDS_SUBJECT = frozenset(
    "open closed available due included valid located over free possible needed required allowed covered served opened founded built held paid charged made sold used "
    "called named based born shipped delivered processed released published launched deprecated removed enabled insured scheduled planned".split()
)
_VERBS = frozenset(
    "cost take last start begin end open close leave depart arrive run weigh need have include cover come go work pay charge contain expire happen apply mean live stand "
    "belong look hold support use require offer finish stay fit return ship deliver measure earn get receive make sell serve teach report develop change compare differ "
    "perform grow".split()
)
_DETERMINERS = frozenset("the a an my our your his her their its this that these those each every which".split())
_NO_VERBS = frozenset("from with into over than that this your have been were they".split())
_NO_NAMES = frozenset("not yes no neither both either none".split())
_ONE, _SEVERAL = frozenset("is was does has it".split()), frozenset("are were do have they these those".split())
_FOR = re.compile(r"\bfor (?P<what>(?:the|an?|one|two|my|our|your)? ?[^?,;:]{2,60})\?\Z", re.IGNORECASE)
_TAG = re.compile(
    r"\A(?:it|they|that|this|he|she|you|i|we|there) (?:is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have)(?P<no>n['’]t| not)?[.!]?",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\A(?P<who>[A-Z0-9][^,;:.?!]{1,60}?|(?:The|An?|Our|Your|My) [^,;:.?!]{1,60}?) (?P<verb>do|does|did|is|are|was|were|has|have|can|will)[.!]?"
)
# Of two things a name alone says which, and both stand in the documents: the sentence tells what is compared.
_ALONE = re.compile(r"(?P<who>(?:(?:The|An?|Our|Your|My) )?[^\W\d][\w'’-]{0,20}(?: [\w'’-]{1,20}){0,3})[.!]?")
_COMPARES = re.compile(
    r"\b(?:cheaper|dearer|faster|slower|quicker|longer|shorter|larger|bigger|smaller|higher|lower|heavier|lighter|older|younger|newer|closer|nearer|farther|further|earlier|"
    r"later|better|worse|stronger|weaker|warmer|colder|hotter|cooler|wider|narrower|taller|deeper|louder|quieter|safer|easier|harder|more|less|fewer)\b(?! than)",
    re.IGNORECASE,
)
_WOULD_BE = re.compile(
    r"\A(?:(?:that|it)(?:['’]s| is| was| would be|['’]d be| will be)|they are|they['’]re) (?P<who>[^,;:?!]{2,80}?)[.!]?",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"\A(?:(?:you|that)(?:['’]ll| will| would|['’]d)? (?:pay|cost|costs|be charged|be)|(?:the|your) (?:price|cost|fee|total|charge) (?:is|would be|will be|comes to))"
    r" (?:about |around |only |just )?[^\w\s]?\d[\d.,]*\s?(?:[€$£]|[A-Za-z]{3,8})?(?: (?:a|per|each) \w+)?[.!]?",
    re.IGNORECASE,
)


def resolved(question: str, claim: str) -> str:
    """The claim, or what it says of what the question names."""
    words = _SENTENCES.split(question.strip())[-1].split()
    asked = " ".join(words)
    if not asked.endswith("?") or len(words) > _MOST_ASKED or not claim.strip():
        return claim
    tag = _TAG.fullmatch(claim)
    found = _ASKED.match(asked) or _WHAT_IS.match(asked)
    if tag:
        yes_or_no = found is not None and found.groupdict().get("help") is not None and not found["wh"]
        return f"{'No' if tag['no'] else 'Yes'}, {claim[0].lower()}{claim[1:]}" if yes_or_no else claim
    if named := _named(asked, claim):
        return named
    subject = _subject(found, claim) if found and found["wh"] else ""
    if _PRICE.fullmatch(claim):
        bought = _FOR.search(asked)
        what = subject or (bought["what"] if bought else "")
        return f"{claim.rstrip('.!')} for {what}." if what else claim
    if not subject:
        return claim
    pronoun = None if _NOTHING_MEANT.match(claim) else _PRONOUN.match(claim)
    if pronoun is None or (_POINTING.match(claim) and not (pronoun["short"] or _is_verb(pronoun["verb"]))):
        return claim
    verb = f"{_LONG[pronoun['short'][1:].lower()]} " if pronoun["short"] else ""
    return f"{subject[0].upper()}{subject[1:]} {verb}{claim[pronoun.start('verb') :]}"


def _named(asked: str, claim: str) -> str:
    """What an answer says that only names who or what it is; "" of any other."""
    who = _WHO.match(asked)
    if who is None or len(claim.split()) > _FEW_WORDS:
        return ""
    what = f"is {who['rest']}" if who["short"] else who["rest"]
    first = what.split()[0].lower()
    asks_for_it = who["wh"].lower() != "what" or first in _BEING
    if first in ("do", "does", "did", "can", "should", "will", "would", "could") or not asks_for_it:
        return ""
    told = what.lower().split()
    taken_up = told[-1] in _ENDS_SUBJECT or told[-1] in _WORD.findall(claim.lower())
    of_when = told[1:2] and told[1] in _DETERMINERS and taken_up  # "which days is the shop open"
    if first in _BEING and (of_when or not _NO_SUBJECT.isdisjoint(told[1:2])):
        return ""
    one = _DOES.fullmatch(claim) or _WOULD_BE.fullmatch(claim)
    if one is None and _COMPARES.search(what) and who["wh"].lower() != "what":
        one = _ALONE.fullmatch(claim)
    if one is None or one["who"].split()[0].lower() in _NO_SUBJECT | _NO_NAMES:
        return ""
    if who["wh"].lower() == "what" and not claim.lower().startswith(("it", "that", "they")):
        return ""
    return f"{one['who']} {what}."


def _subject(found: re.Match[str], claim: str) -> str:
    """What a question asks about: all behind its auxiliary, up to the verb that the answer takes up."""
    words = found["rest"].split()
    verb = _verb_at(words, claim)
    helping = (found.groupdict().get("help") or "is").lower()
    if verb is None and helping not in _BEING:
        return ""
    number = {helping, claim.split()[0].lower()}
    if number & _ONE and number & _SEVERAL:
        return ""
    own = words[:verb]
    while len(own) > 1 and verb is None and own[-1].lower() in _ENDS_SUBJECT:
        own = own[:-1]
    if not own or len(own) > _MOST_SUBJECT or own[0].lower() in _NO_SUBJECT or own[-1].lower() in _DETERMINERS:
        return ""
    if own[-1].lower() in _WORD.findall(claim.lower()):
        return ""
    return " ".join("your" if word.lower() in ("my", "our") else word for word in own)


def _verb_at(words: Sequence[str], claim: str) -> int | None:
    """The word of a question, behind its first, that the answer takes up as its verb, or that is one."""
    begins = {word[:_STEM].lower() for word in claim.split()[:_TAKEN_UP] if word.lower() not in _NO_VERBS}
    for n, word in enumerate(words[1:], 1):
        low = word.lower()
        if low in _VERBS or (low in _ENDS_SUBJECT and low[:_STEM] in begins):
            return n
    return next(
        (n for n, word in enumerate(words[1:], 1) if len(word) >= _STEM and word[:_STEM].lower() in begins), None
    )


def _is_verb(word: str) -> bool:
    low = word.lower()
    return low in _HELP.split("|") or low.rstrip("s") in _VERBS or low in _VERBS
