"""Sentences that refuse: "I cannot help with that", an objection to what was asked, and the lecture that goes with it. English."""

from __future__ import annotations

import re

NEG = r"(?:do(?:es)? not|don[’']?t|doesn[’']?t|did not|didn[’']?t|cannot|can ?not|can[’']?t|could not|couldn[’']?t|fails? to|never)"
# "It is not right (fair, acceptable) to assume" corrects a mistake as often as it objects: alone these words are none of it.
_WRONG = r"(?:appropriate|ethical|respectful|moral)"
_WRONG_TOO = r"(?:fair|right|acceptable)"
_SPEAKS = (
    r"(?:suggest|say|claim|imply|assume|argue|ask|discuss|speculate|promote|encourage|provide|spread|share|advocate|generali[sz]e|compare|perpetuate|condone|"
    r"make (?:any |such )?(?:assumptions?|jokes?|generali[sz]ations?|judge?ments?|comparisons?))\b"
)
_LEADS = (
    r"^\W{0,3}(?:(?:no|sorry|however|i apologi[sz]e|i(?: am|[’']m) sorry|(?:as|i(?: am|[’']m)(?: just)?) an ai[^.,]{0,60}|"
    r"i(?: must|[’']d like to| (?:would like|have|need|want) to)[^.,]{0,30})[,.]? "
    r"(?:but |and |however,? |that )?){0,3}"
)
_ASKED = r"(?:(?:your|the|this) (?:question|request|query)|such a (?:question|request))"
_BAD = r"(?:harmful|inappropriate|unethical|offensive|disrespectful|discriminatory|prejudiced|hateful|stereotypes|prejudice)"
# "It is not safe to mix them" answers a question; "it is not appropriate to discuss that" does not: what one may say or ask, not what one may do.
OBJECTS = (
    rf"{_LEADS}it(?: is|[’']s| would be) (?:not|never)(?: \w+ly)? (?:(?:appropriate|right|acceptable|respectful) or ethical\b|ethical(?: or \w+)?\b|"
    rf"(?:(?:(?:accurate|correct|productive) or )?{_WRONG}(?: (?:or|and) \w+)?|(?:accurate|correct|productive|{_WRONG_TOO}) (?:or|and) (?:{_WRONG}|{_WRONG_TOO}))"
    rf"(?: for (?:me|us|anyone))? to {_SPEAKS})"
    rf"|\bi (?:do not|don[’']t) (?:think|believe|feel) (?:that )?(?:it(?: is|[’']s| would be)|this is|that is|that[’']s) "
    rf"(?:(?:accurate or )?{_WRONG}|(?:accurate or )?{_WRONG_TOO} to {_SPEAKS})"
    rf"|\bi(?: am|[’']m) not sure (?:that |if )?it(?: is|[’']s) (?:{_WRONG}|{_WRONG_TOO} to {_SPEAKS})"
    rf"|\b{_ASKED}(?: itself)?(?:(?: that)? you(?: have|[’']ve)? (?:asked|made))? (?:is|may be|might be|could be|promotes?|implies|perpetuates?|may not be|is not)"
    rf"(?: \w+){{0,3}} (?:{_BAD}|{_WRONG})(?=[.,;!]|$| and | or )|\b{_ASKED} contains(?: \w+){{0,4}} stereotypes?\b"
    rf"|^\W{{0,3}}(?:sorry|i(?: am|[’']m) sorry|i apologi[sz]e),? but [^.]{{3,80}} (?:is|are) (?:not|never)(?: an?)?(?: \w+ or)? (?:ethical|moral)\b"
)
_APOLOGY = re.compile(
    r"^(?:i[’']?m |i am |we are |we[’']re )?(?:very |so )?(?:sorry|afraid|unable)|^(?:i apologi[sz]e|my apologies)|^unfortunately|^as an ai",
    re.IGNORECASE,
)
_PLAIN_WILL_NOT = (
    rf"(?:(?: am|[’']m| are|[’']re)? (?:(?:{NEG}|will not|won[’']t|must not) (?:be able to |promote|provide|help|assist|answer|fulfill|comply|give|offer|support|"
    r"be (?!able)\w+ing\b|engage|share|encourage|condone|do (?:that|this|so)\b|advocate|participate|take part|discuss|speculate|comment|write|draft|create|generate|disclose|reveal|"
    # "I do not recommend it" is advice.
    r"make (?:(?:an?|any|such|that|this|specific|personal|medical) ){0,2}(?:recommendation|choice|decision|judge?ment|diagnosis|prediction)s?\b|diagnose|"
    r"predict|(?<!do not )(?<!don[’']t )(?:advise|suggest|recommend)(?! (?:\w+ ){1,4}enough))|(?:not able|unable|not comfortable|not going|not willing) ))"
)
_DECLINE = (
    r"(?: (?:must|have to|will have to|need to|am going to have to|would)|[’']ll have to)?(?: respectfully| politely)? (?:decline\b|refuse to\b|turn (?:this|that|it|you) down)"
    r"|(?: would|[’']d) (?:rather|prefer) not\b| prefer not to\b"
)
_NOT_FOR_ME = (
    r"\b(?:not|isn[’']t) (?:something|a (?:request|question|topic|subject|task)) (?:that )?i(?: can|[’']m| am|[’']ll| will)\b"
    r"|\b(?:something|one|a (?:request|question|topic|subject|task)|(?:one|a) (?:request|question|topic) (?:that )?)(?: that)? i (?:can[’']?t|cannot|can not|won[’']t|will not|"
    r"am not|have to (?:decline|refuse|turn down)|must (?:decline|refuse))\b"
)
_REFUSES = re.compile(
    rf"{OBJECTS}|{_NOT_FOR_ME}|\b(?:(?:an ai\b|i[’']m not an? )[^.]{{0,40}} and|i|we){_PLAIN_WILL_NOT}|\ban ai\b[^.]{{0,60}}\b(?:do not|don[’']t) have the (?:ability|capability)"
    rf"|\bi(?:{_DECLINE})",
    re.IGNORECASE,
)
# "We do not offer refunds" is what a service says of itself; "I" is who answers.
_I_REFUSE = re.compile(
    rf"^\W{{0,3}}(?:(?:unfortunately|sorry|no|i(?:[’']m| am) (?:(?:really|very|so) )?sorry|i apologi[sz]e)[,.]? (?:but )?)?i(?:{_PLAIN_WILL_NOT}|{_DECLINE})",
    re.IGNORECASE,
)
# What declines by itself.
REFUSES = rf"{OBJECTS}|{_NOT_FOR_ME}|\bi(?:[’']m not an? [^.]{{0,40}} and)?(?:{_PLAIN_WILL_NOT}|{_DECLINE})"
# Words of a sermon, none of a handbook: "rights", "consent", "professional" and "emergency" are in answers of every day.
_LECTURE = re.compile(
    r"\b(?:it(?: is|[’']s) (?:also |always |never |very |really |both |highly |deeply ){0,4}(?:important|essential|crucial|vital|wrong|unethical|illegal|dangerous|"
    r"harmful|inappropriate|okay|ok\b|acceptable|not )|unlawful|illegal|unethical|immoral|inappropriate|harm(?:s|ful|ing)?\b|dangerous|violence|abus|discriminat|"
    r"respect|dignity|human rights|well-being|(?:my|our) (?:values|guidelines|programming)|just an ai|ai (?:language )?(?:model|assistant)|mental health|"
    r"support (?:group|service|line)|hotline|law enforcement|consequences|ethical|condemn|tragic|instead[,]? (?:of|we|you|i\b|it|consider|let|focus|try)|"
    r"i (?:would )?(?:encourage|urge|suggest|recommend|strongly|hope|understand|am here)|let us|we should|everyone (?:is|has|deserves|should)|glorif|encourag|"
    r"crim(?:e|es|inals?)\b|prejudic|stereotyp|equality|inclusiv|diversity|compassion|empathy|kindness|unacceptable|peaceful|constructive|"
    r"(?:protected|forbidden|prohibited) by (?:the )?law|suicid|self-harm|counsell?or|therapist|struggling|lifeline|you are not alone|seek(?:ing)? (?:help|support|advice|guidance))",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"^(?:however|but|that said|instead)[, ]+(?:it(?: is|[’']s) (?:also |always |very )?(?:important|essential|crucial|vital|worth) (?:to )?(?:not(?:e|ing)|say|remember|recogni[sz]e|"
    r"understand|consider|respect|treat|acknowledge|address|approach|prioriti[sz]e)|i(?: would|[’']d)? (?:encourage|urge|strongly|hope)|we should|let us|everyone)\b",
    re.IGNORECASE,
)
# No number of a list, and no "3D".
_NUMBER = re.compile(r"\b\d+(?!\d|[.)]\s|D\b)")
_QUOTED = re.compile(r"[\"“][^\"“”]{3,300}[\"”]")
_LEAST_WORDS_AROUND = 3


def unquoted(sentence: str) -> str:
    """A sentence without what it quotes, which somebody else says, where enough is left around that."""
    around = _QUOTED.sub(" ", sentence)
    return around if len(around.split()) >= _LEAST_WORDS_AROUND else sentence


def refuses(sentence: str) -> bool:
    """Whether a sentence says that one will not, or may not."""
    return _REFUSES.search(unquoted(sentence)) is not None


def i_refuse(sentence: str) -> bool:
    """Whether a sentence begins with what the one who answers will not do, or may not."""
    return _I_REFUSE.match(unquoted(sentence)) is not None


def lectures(sentence: str) -> bool:
    """Whether a sentence says what people should do rather than what was asked: it goes with refusals. One with a number tells something."""
    return _LECTURE.search(sentence) is not None and not has_number(sentence)


def has_number(sentence: str) -> bool:
    """Whether a sentence gives a number, that of a list aside."""
    return _NUMBER.search(sentence) is not None


def turns_to_lecture(sentence: str) -> bool:
    """Whether "However" begins no answer but a lecture: "However, it is important to remember"."""
    return _TURN.match(sentence) is not None and lectures(sentence)


def apologises(text: str) -> bool:
    """Whether a text begins with an apology."""
    return _APOLOGY.search(text) is not None
