"""Does an answer decline to answer? "I don't know", refusals, "the documents do not say".

Partial abstention ("the documents do not say X, but Y") is not a refusal: something was answered.
"""

from __future__ import annotations

import re

from sidecar.evaluate.text.claims import split_claims

_PLAIN_SOURCE = (
    r"(?:(?:the|this|these|my|any of the|your|our) )?(?:(?:provided|given|available|retrieved|above|supplied|current|specific|text|user|owner'?s?|relevant) ){0,5}"
    r"(?:context|contexts|documents?|documentation|passages?|sources?|text|texts|information|articles?|excerpts?|snippets?|material|content|"
    r"knowledge base|search results?|results|data|records?|manual|pages?|chunks?)(?: (?:provided|given|available|above|supplied))?"
)
_PLAIN_NEG = r"(?:do(?:es)? not|don[’']?t|doesn[’']?t|did not|didn[’']?t|cannot|can ?not|can[’']?t|could not|couldn[’']?t|fails? to|never)"
_PLAIN_SAY = (
    r"(?:explicitly |directly |specifically |actually |clearly |seem to |appear to ){0,4}"
    r"(?:mention|say|state|provide|contain|include|specify|address|answer|give|discuss|indicate|cover|offer|describe|explain|have|list|tell|detail|refer)"
)
# The pattern below is verbose, where a bare space means nothing: those of the parts are escaped.
_SOURCE, _NEG, _SAY = (part.replace(" ", r"\ ") for part in (_PLAIN_SOURCE, _PLAIN_NEG, _PLAIN_SAY))
_ABSTAINS = re.compile(
    rf"""
    \b(?:i|we)(?:\ am|[’']m|\ are|[’']re)?\s*(?:really\ |actually\ |currently\ |simply\ ){{0,4}}
        (?:(?:{_NEG}|do\ not\ currently|don[’']t\ currently)\ (?:currently\ |actually\ |really\ |definitively\ |conclusively\ |personally\ )?
            (?:know\b|have\ (?:(?:any|enough|sufficient|specific|access|the|that|real-time|up-to-date|reliable|detailed|that\ specific|
               verified|information|personal|a\ record|records|current)\b)|
               find\b|answer\b|provide\b|determine\b|see\ (?:any|that|this|information)|locate\b|tell\b|confirm\b|verify\b|help\ with|assist|recall|say\b|
               give\b|fulfill|comply|share|disclose|offer|identify|access)
          |(?:not\ (?:sure|certain|aware|able\ to|familiar|allowed|permitted|in\ a\ position))
          |unable\ to\b|unaware\b|unsure\b|uncertain\b)
    |\b(?:i|we)\ (?:was|were)\ (?:not\ able|unable)\ to\b
    |\bi[’']?m\ (?:(?:really|very|so)\ )?(?:sorry|afraid)(?:,|\ but)\ (?:but\ )?(?:based\b[^,]{{0,60}},\ )?(?:i|that|there|this|the|we)
    |\bi\ (?:would\ )?need\ (?:(?:some|a\ (?:bit|little))\ )?(?:more|additional|further)\ (?:specific\ )?(?:information|context|details?)
    |\b(?:it\ (?:is|[’']s)|it\ remains)\ (?:un|not\ )clear\ (?:what|which|whether|from|if|how|who|why)
    |\b(?:it\ is|it[’']s)\ (?:not\ possible|impossible|difficult|hard)\ to\ (?:determine|answer|say|tell|provide|give|know|identify)
    |\b(?:is|are)\ (?:not|un)\ ?related\ to\ (?:the\ |your\ |this\ |any\ ){{0,4}}(?:(?:provided|given)\ )?(?:question|context|article|topic|text|passage|document)
    |\b(?:has|have|had)\ (?:not|n[’']t|yet\ to)\ (?:been\ |be\ )?(?:publicly|officially|widely)\ (?:disclosed|announced|documented|released|confirmed|shared|revealed|reported)
    |\b(?:not|n[’']t)\ (?:appear|seem)\ to\ be\ (?:any\ )?(?:publicly\ |widely\ |readily\ |much\ )?(?:available\ |known\ )?(?:information|records?|details?|data|documented|available)
    |\b(?:not|n[’']t)\ (?:have\ (?:a\ )?)?(?:widely|publicly|readily|well)[ -]?(?:\ )?(?:documented|known|publici[sz]ed|recorded|available|reported|disclosed)
    |^(?:sorry|unfortunately|apologies|i\ apologi[sz]e)\b.{{0,60}}\b(?:{_NEG}|unable|no\ (?:information|mention)|not\ (?:able|available|possible|enough))
    |\b{_SOURCE}\ (?:here\ )?{_NEG}\ {_SAY}
    |\b{_SOURCE}\ (?:is|are)\ (?:not\ (?:sufficient|enough)|insufficient|silent|unclear)
    |\b(?:is|are|was|were)\ (?:not|n[’']t)\ (?:explicitly\ |directly\ |specifically\ )?
        (?:(?:mentioned|specified|stated|disclosed|indicated|answerable|widely\ documented|publicly\ (?:available|known|documented|disclosed))\b
          |(?:provided|included|available|given|found|contained|discussed|covered|addressed|known|described|listed|present|documented|clear)\b
             [^.]{{0,30}}\b(?:in|by|from)\ {_SOURCE})
    |\b(?:isn[’']t|aren[’']t|wasn[’']t|weren[’']t)\ (?:mentioned|provided|specified|stated|available|given|found|known|disclosed)
    |\b(?:there\ (?:is|are|was|were)|has|have|contains?|provides?|found|gives?)\ (?:no|not\ enough|insufficient|not\ any|not\ sufficient)\ (?:\w+\ ){{0,3}}
        (?:information|mention|details?|data|answer|context|evidence|reference|record|indication|documents?|results?|instructions?)
    |\bno\ (?:\w+\ ){{0,2}}(?:information|mention|details?|answer|data|record)s?[ ]
        (?:(?:is|are|was|were|has\ been|have\ been)\ )?(?:\w+ly\ )?(?:provided|available|given|found|about|on|regarding|in\ the)
    |\b(?:cannot|can[’']?t|can\ not|could\ not|couldn[’']t)\ be\ (?:answered|determined|verified|confirmed|established|inferred)
    |\b(?:information|answer|details?|mention|data|references?)\b[^.]{{0,40}}\b(?:cannot|can[’']?t|could\ not|couldn[’']t)\ be\ (?:found|provided|located|given)
    |\b(?:insufficient|not\ enough)\ (?:information|context|data|evidence|detail)
    |\bunable\ to\ (?:answer|find|provide|determine|help|locate|assist|verify|confirm)
    |^(?:unknown|n/?a|none|unanswerable|no\ answer(?:\ found)?|not\ (?:available|known|found|specified|stated|mentioned|provided|given|sure))\.?$
    |\b(?:as|being)\ an\ ai\b[^.]{{0,80}}\b(?:{_NEG}|unable)
    |\bbeyond\ (?:the\ scope|my\ knowledge)|\boutside\ (?:the\ scope\ of|of\ my|my)\b
    |\bmy\ knowledge\ (?:cutoff|only)\b|\bknowledge\ cutoff\b
    |(?:我不知道|无法回答|不清楚|没有(?:提到|提及|相关|足够)|无法(?:确定|提供|从))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_POINTS_ELSEWHERE = re.compile(
    r"\b(?:recommend|suggest|advise|please (?:check|consult|contact|refer|provide|visit|ask|see|try|verify)|check(?:ing)? (?:the|with|a|an|more|official|reliable|recent|their)|"
    r"consult(?:ing)?|refer(?:ring)? to|contact(?:ing)?|reach out|look(?:ing)? (?:up|at|into)|visit(?:ing)?|you (?:may|might|can|could|should|would|will)(?: also)? "
    r"(?:want|need|wish|try|check|find|consult|refer|contact|look|have to|be able to find)|for (?:more|further|the most|accurate|detailed|up-to-date|specific|precise)|"
    r"(?:more|further|additional|specific) (?:information|details|context)|let me know|feel free|could you|can you|if you (?:have|can|need|provide|could)|"
    r"it (?:is|would be|might be|may be)(?: always)? (?:best|recommended|advisable|helpful|necessary|possible|a good idea)|reliable sources?|official (?:sources?|website|records))\b",
    re.IGNORECASE,
)
_HEDGED_LEAD = re.compile(
    r"\b(?:but|however|although|though|nevertheless|that said|yet|while)\b[,]?\s+(?P<rest>.{25,})",
    re.IGNORECASE | re.DOTALL,
)
_ABOUT_SOURCE = re.compile(
    rf"^(?:however,? |instead,? |rather,? )?(?:it|they|{_PLAIN_SOURCE}) (?:only|merely|just|mainly|primarily) |"
    rf"^(?:however,? |instead,? )?(?:the|this|these|given|provided)[^.]{{0,30}}\b(?:context|passages?|text|documents?|information)\b (?:only |merely )?"
    r"(?:mentions?|provides?|explains?|discuss(?:es)?|describes?|talks?|refers?|is about|focus(?:es)?|contains?)\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"(?:yes|yeah|correct|right|absolutely|certainly)\b[,.!:]", re.IGNORECASE)
_APOLOGY = re.compile(
    r"^(?:i[’']?m |i am |we are |we[’']re )?(?:very |so )?(?:sorry|afraid|unable)|^i apologi[sz]e|^unfortunately|^as an ai",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    rf"\b(?:i|we)(?: am|[’']m| are|[’']re)? (?:(?:{_PLAIN_NEG}|will not|won[’']t|must not) (?:be able to |provide|help|assist|answer|fulfill|comply|give|offer|support|"
    r"engage|share|recommend|encourage|condone|do |think it)|(?:not able|unable|not comfortable|not going) )",
    re.IGNORECASE,
)
_LECTURE = re.compile(
    r"\b(?:it(?: is|[’']s) (?:also |always |never |very |really |both |highly |deeply ){0,4}(?:important|essential|crucial|vital|necessary|worth|wrong|unethical|illegal|dangerous|"
    r"harmful|inappropriate|best|okay|ok\b|acceptable|not )|un?lawful|illegal|unethical|immoral|inappropriate|harm(?:s|ful|ing)?\b|dangerous|violen(?:t|ce)|abus|discriminat|"
    r"respect|dignity|rights|privacy|consent|well-being|values|guidelines|programming|just an ai|ai (?:language )?(?:model|assistant)|mental health|professional|"
    r"support (?:group|service|line)|hotline|authorit|law enforcement|emergency|consequences|ethical|condemn|tragic|instead[,]? (?:of|we|you|i\b|it|consider|let|focus|try)|"
    r"i (?:would )?(?:encourage|urge|suggest|recommend|strongly|hope|understand|am here)|let us|we should|everyone|promot|glorif|encourag)",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"^(?:however|but|that said|nevertheless|regarding your question|to answer|in general|generally|typically|usually)\b",
    re.IGNORECASE,
)
_SHORT_TAIL_WORDS = 12
_APOLOGY_TAIL = 1.5
_READ = 4000


def abstains(answer: str) -> bool:
    """True where the answer as a whole declines: it says that it does not know, and what remains answers nothing."""
    text = " ".join(answer[:_READ].split())
    if not _ABSTAINS.search(text) or _ANSWERS.match(text):
        return False
    sentences = [claim.text for claim in split_claims(answer[:_READ])] or [text]
    declining = [sentence for sentence in sentences if _ABSTAINS.search(sentence)]
    rest = [sentence for sentence in sentences if not _says_nothing(sentence)]
    if not declining:
        return not rest
    if any(_answers_after_all(sentence) for sentence in declining):
        return False
    left = sum(len(sentence.split()) for sentence in rest)
    said = sum(len(sentence.split()) for sentence in declining)
    if _APOLOGY.search(text) and left <= _APOLOGY_TAIL * said:
        return not any(_TURNS.match(sentence) for sentence in rest)
    first = _ABSTAINS.search(sentences[0]) is not None
    if first and _REFUSES.search(sentences[0]):
        return all(_LECTURE.search(sentence) or len(sentence.split()) <= _SHORT_TAIL_WORDS for sentence in rest)
    return left <= _SHORT_TAIL_WORDS if first else left == 0 or (said > 3 * left)


def _says_nothing(sentence: str) -> bool:
    """A refusal, a referral elsewhere, or a remark about the sources: no answer to the question."""
    return any(pattern.search(sentence) for pattern in (_ABSTAINS, _POINTS_ELSEWHERE, _ABOUT_SOURCE))


def _answers_after_all(sentence: str) -> bool:
    """ "The documents do not say X, but Y": something is said after the hedge that is not itself a refusal or a referral."""
    match = _HEDGED_LEAD.search(sentence)
    if not match:
        return False
    rest = match["rest"]
    return (
        not _ABSTAINS.search(rest)
        and not _POINTS_ELSEWHERE.search(rest)
        and bool(_ABSTAINS.search(sentence[: match.start()]))
    )
