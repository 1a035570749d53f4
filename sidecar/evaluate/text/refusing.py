"""Sentences that refuse: "I cannot help with that", an objection to what was asked, and the lecture that goes with it. English."""

from __future__ import annotations

import re

NEG = r"(?:do(?:es)? not|don[’']?t|doesn[’']?t|did not|didn[’']?t|cannot|can ?not|can[’']?t|could not|couldn[’']?t|fails? to|never)"
_WRONG = r"(?:appropriate|ethical|fair|right|acceptable|respectful|moral)"
_SPEAKS = (
    r"(?:suggest|say|claim|imply|assume|argue|ask|request|discuss|speculate|promote|encourage|provide|spread|share|advocate|generali[sz]e|compare|perpetuate|condone|"
    r"make (?:any |such )?(?:assumptions?|jokes?|generali[sz]ations?|judge?ments?|comparisons?))\b"
)
_LEADS = (
    r"^\W{0,3}(?:(?:no|sorry|however|i apologi[sz]e|i(?: am|[’']m) sorry|(?:as|i(?: am|[’']m)(?: just)?) an ai[^.,]{0,60}|i must[^.,]{0,30}|i(?: would|[’']d) like to point out)[,.]? "
    r"(?:but |and |however,? |that )?){0,3}"
)
_ASKED = r"(?:(?:your|the|this) (?:question|request|query)|such a (?:question|request))"
_BAD = r"(?:harmful|inappropriate|unethical|offensive|disrespectful|illegal|discriminatory|prejudiced|hateful|violent|stereotypes?|prejudice)"
# "It is not safe to mix them" answers a question; "it is not appropriate to discuss that" does not: what one may say or ask, not what one may do.
OBJECTS = (
    rf"{_LEADS}it(?: is|[’']s| would be) (?:not|never)(?: \w+ly)? (?:(?:appropriate|right|acceptable|respectful) or ethical\b|ethical(?: or \w+)?\b|"
    rf"(?:(?:accurate|correct|productive) or )?{_WRONG}(?: (?:or|and) \w+)?(?: for (?:me|us|anyone))? to {_SPEAKS})"
    rf"|\bi (?:do not|don[’']t) (?:think|believe|feel) (?:that )?(?:it(?: is|[’']s| would be)|this is|that is|that[’']s) (?:accurate or )?{_WRONG}"
    rf"|\bi(?: am|[’']m) not sure (?:that |if )?it(?: is|[’']s) {_WRONG}"
    rf"|\bi (?:must|have to|need to|would like to|want to|should)(?: \w+ly)? (?:clarify|point out|emphasi[sz]e|stress|note)\b[^.]{{0,60}}\b"
    rf"(?:not (?:{_WRONG}|(?:accurate|correct) or|advocating)|{_BAD})\b"
    rf"|\b{_ASKED}(?: itself)?(?:(?: that)? you(?: have|[’']ve)? (?:asked|made))? (?:is|may be|might be|could be|contains?|promotes?|implies|perpetuates?|may not be|is not)"
    rf"(?: \w+){{0,3}} (?:{_BAD}|{_WRONG})\b"
    rf"|\b(?:asking|seeking)\b[^.]{{0,60}} (?:is|can be) (?:not {_WRONG}|never|{_BAD})"
    rf"|^\W{{0,3}}(?:sorry|i(?: am|[’']m) sorry|i apologi[sz]e),? but [^.]{{3,80}} (?:is|are) (?:not|never)(?: an?)?(?: \w+ or)? (?:ethical|moral)\b"
)
_APOLOGY = re.compile(
    r"^(?:i[’']?m |i am |we are |we[’']re )?(?:very |so )?(?:sorry|afraid|unable)|^(?:i apologi[sz]e|my apologies)|^unfortunately|^as an ai",
    re.IGNORECASE,
)
_PLAIN_WILL_NOT = (
    rf"(?:(?: am|[’']m| are|[’']re)? (?:(?:{NEG}|will not|won[’']t|must not) (?:be able to |promote|provide|help|assist|answer|fulfill|comply|give|offer|support|"
    r"engage|share|encourage|condone|do (?:that|this|so)\b|advise|advocate|participate|take part|discuss|speculate|comment|write|draft|create|generate|disclose|reveal|"
    r"(?:suggest|recommend)(?! (?:\w+ ){1,4}enough))|(?:not able|unable|not comfortable|not going|not willing) ))"
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
    rf"{OBJECTS}|{_NOT_FOR_ME}|\b(?:an ai\b[^.]{{0,40}} and|i|we){_PLAIN_WILL_NOT}|\ban ai\b[^.]{{0,60}}\b(?:do not|don[’']t) have the (?:ability|capability)"
    rf"|\bi(?:{_DECLINE})",
    re.IGNORECASE,
)
# "We do not offer refunds" is what a service says of itself; "I" is who answers.
_I_REFUSE = re.compile(
    rf"^\W{{0,3}}(?:(?:unfortunately|sorry|no|i[’']m sorry|i am sorry|i apologi[sz]e)[,.]? (?:but )?)?i(?:{_PLAIN_WILL_NOT}|{_DECLINE})",
    re.IGNORECASE,
)
# What declines by itself.
REFUSES = rf"{OBJECTS}|{_NOT_FOR_ME}|\bi(?:{_PLAIN_WILL_NOT}|{_DECLINE})"
_LECTURE = re.compile(
    r"\b(?:it(?: is|[’']s) (?:also |always |never |very |really |both |highly |deeply ){0,4}(?:important|essential|crucial|vital|necessary|worth|wrong|unethical|illegal|dangerous|"
    r"harmful|inappropriate|best|okay|ok\b|acceptable|not )|un?lawful|illegal|unethical|immoral|inappropriate|harm(?:s|ful|ing)?\b|dangerous|violen(?:t|ce)|abus|discriminat|"
    r"respect|dignity|rights|privacy|consent|well-being|values|guidelines|programming|just an ai|ai (?:language )?(?:model|assistant)|mental health|professional|"
    r"support (?:group|service|line)|hotline|authorit|law enforcement|emergency|consequences|ethical|condemn|tragic|instead[,]? (?:of|we|you|i\b|it|consider|let|focus|try)|"
    r"i (?:would )?(?:encourage|urge|suggest|recommend|strongly|hope|understand|am here)|let us|we should|everyone|promot|glorif|encourag|"
    r"violat|crim(?:e|es|inals?)\b|prejudic|stereotyp|equality|inclusiv|diversity|justice|compassion|empathy|kindness|unacceptable|peaceful|constructive|"
    r"suicid|self-harm|counsel|therap|struggling|lifeline|you are not alone|seek(?:ing)? (?:help|support|advice|guidance)|trusted|lawful|legitimate)",
    re.IGNORECASE,
)
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
    """Whether a sentence says what people should do rather than what was asked: it goes with refusals."""
    return _LECTURE.search(sentence) is not None


def apologises(text: str) -> bool:
    """Whether a text begins with an apology."""
    return _APOLOGY.search(text) is not None
