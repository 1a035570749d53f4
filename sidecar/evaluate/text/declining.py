"""Sentences that decline: "I don't know", refusals, "the documents do not say", and what usually stands around them. English and Chinese."""

from __future__ import annotations

import re

from sidecar.evaluate.text import refusing, silence_zh
from sidecar.evaluate.text.clauses import is_sentence
from sidecar.evaluate.text.han_script import simplified
from sidecar.evaluate.text.refusing import NEG, REFUSES, unquoted
from sidecar.evaluate.text.silence import is_of_sources, is_silent

_PLAIN_SOURCE = (
    r"(?:(?:the|this|these|my|any of the|your|our) )?(?:(?:provided|given|available|retrieved|above|supplied|current|specific|text|user|owner'?s?|relevant) ){0,5}"
    r"(?:context|contexts|documents?|documentation|passages?|sources?|text|texts|information|articles?|excerpts?|snippets?|material|content|"
    r"knowledge base|search results?|results|data|records?|manual|pages?|chunks?|recipe|schedule|timetable|itinerary)(?: (?:provided|given|available|above|supplied))?"
)
_PLAIN_SAY = (
    r"(?:explicitly |directly |specifically |actually |clearly |seem to |appear to ){0,4}"
    r"(?:mention|say|state|provide|contain|include|specify|address|answer|give|discuss|indicate|cover|offer|describe|explain|have|list|tell|detail|refer|relate)"
)
# What was found for an answer, as the one who answers speaks of it; "results", "records" and "pages" are things that answers are about, too.
_PLAIN_GIVEN = (
    r"(?:(?:the|these|your|any of the) )?(?:(?:(?:provided|given|available|retrieved|supplied) )+"
    r"(?:documents?|documentation|texts?|information|articles?|material|content|manual|pages?)|"
    r"(?:context|passages?|excerpts?|snippets?|sources?|documents?))"
)
_TELLS = (
    r"(?:handbook|guide|faq|website|web page|brochure|leaflet|report|e-?mail|notes?|minutes|transcripts?|memo|data ?sheet|instructions|newsletter|wiki|listing|catalogue|"
    r"chapter|section|paragraph)"
)
# What explains rather than binds: "the guide does not cover floods" declines, "the policy does not cover floods" answers.
_EXPLAINS = r"(?:handbook|guide|faq|brochure|leaflet|notes?|minutes|transcripts?|memo|data ?sheet|instructions|wiki)"
_THE = r"(?:the|this|our|your|its|their|these)"
_PAPERS = rf"{_THE} (?:\w+ )?(?:{_TELLS}|guidelines|policy|policies|contract|agreement|terms)"
_SURELY = r"(?: (?:explicitly|directly|specifically|actually|clearly|even)){0,2}"
_PLAIN_PAPER = (
    rf"{_PAPERS} {NEG}{_SURELY} (?:mention|say|state|specify|indicate|tell|answer|address)"
    rf"|{_PAPERS} {NEG}{_SURELY} (?:give|include|contain|provide|list|record|name|show) (?:(?:an?|any|the|its|their) (?:\w+ ){{0,2}}"
    r"(?:figures?|numbers?|dates?|amounts?|values?|reasons?|breakdown)|who|what|which|when|where|why|how)\b(?![^.]{0,120}\b(?:until|unless|when|because|so)\b)"
    rf"|{_THE} (?:\w+ )?{_EXPLAINS} {NEG}{_SURELY} (?:give|cover|discuss|explain|describe|detail|touch (?:on|upon)|go into|spell out)\b"
    r"(?![^.]{0,120}\b(?:until|unless|when|because|so)\b)"
    rf"|(?:{_PLAIN_SOURCE}|{_PAPERS}) (?:(?:is|are|remains?)(?: \w+ly)? silent|leaves? (?:it|that|this) open|"
    r"(?:has|have|contains?|gives?) no (?:entry|section|word) (?:for|on|about))"
    rf"|(?:nothing in|none of|no part of|neither(?: of)?|no) {_PLAIN_SOURCE} "
    r"(?:explicitly |directly |actually )?(?:answers?|says?|mentions?|gives?|states?|provides?|contains?|specif(?:y|ies)|address(?:es)?|tells?|covers?|discuss(?:es)?|"
    r"explains?|describes?|touch(?:es)? (?:on|upon)|refers? to|speaks? (?:to|of)|talks? about|deals? with)"
    rf"|(?:answer|information|that|this|it|detail)s? (?:is not|isn[’']t|are not|aren[’']t)(?: found| contained| given| covered)? (?:in|by) {_PLAIN_SOURCE}"
    rf"|(?:(?:is|are|was|were) (?:left )?|remains? )(?:unanswered|unspecified|unaddressed) (?:in|by|from) {_PLAIN_GIVEN}"
    rf"|(?:cannot|can[’']?t|can not|could not|couldn[’']t) be (?:(?:read (?:off|from)|deduced|concluded|gleaned|worked out)(?: from)? "
    rf"(?:{_PLAIN_GIVEN}|them|these|those|what (?:i|we|you)\b)|(?:found|told|derived)(?: (?:from|in|with))? (?:{_PLAIN_GIVEN}|what (?:i|we|you)\b))"
    rf"|(?:does not|doesn[’']t|do not|don[’']t) appear (?:anywhere )?in {_PLAIN_GIVEN}|(?:is not|isn[’']t|are not|aren[’']t) something (?:that )?{_PLAIN_GIVEN}"
    r"|(?:is|are|was|were) (?:missing|absent) from (?:the|these|any of the) (?:context|passages?|excerpts?|snippets?)"
    r"|there(?: is|[’']s) no (?:telling\b|way for (?:me|us) to (?:tell|know|say|determine))"
    r"|^(?:(?:the|my|your) )?(?:search|query|lookup) (?:returned|gave|found|yielded|turned up|came back with) (?:no|zero|0) "
    r"(?:\w+ )?(?:results?|matches|hits|documents|information|entries|records)(?=\W*$| (?:for|on|about|matching)\b)"
    r"|(?:i|we) (?:came (?:up|away|back) (?:empty|short|blank|with nothing)|(?:am|are) drawing a blank|drew a blank)|i[’']m drawing a blank"
    rf"|(?:is|are|was|were)(?: not|n[’']t)(?: \w+ly)? (?:recorded|named|noted|mentioned|stated) in {_PAPERS}"
    r"|nowhere to be found|never (?:comes?|crops?) up(?=\W*$)|no \w+(?: \w+){0,4} (?:was|were) retrieved"
    r"|i(?: would|[’']d) (?:only |just )?be (?:guessing|speculating)|a guess on my part"
    r"|i have no (?:idea|clue|way|knowledge|access)\b"
    rf"|(?:do not|does not|don[’']t|doesn[’']t|never|did not|didn[’']t) come up (?:anywhere )?in {_PLAIN_GIVEN}"
)
_PLAIN_KNOWS = (
    r"(?:\w+ly )?(?:know|find|answer|help with|assist|locate|determine|say|tell|mention|provide (?:you|any|that|this|the information|information)|"
    r"have (?:any|enough|that|access))\b"
)
# "We don't have any rooms" is what a house says of itself, "we don't have any information" declines.
_PLAIN_LACKS = (
    r"(?:do not|don[’']?t)(?: currently| actually| really)? have (?:any|enough|sufficient|specific|the|that|current)\b"
    r"(?! (?:[\w-]+ ){0,3}(?:information|details?|data|context|answers?|records?|documents?|documentation|access|knowledge|mentions?|evidence|figures?|numbers?|"
    r"sources?|materials?|way|means|ability|basis|specifics|passages?|to (?:answer|say|tell|know|go on))\b)(?=\s\w)"
)
# "We do not offer refunds" is what a service says of itself; "we do not offer advice" and "we cannot offer refunds" decline.
_PLAIN_SERVES = (
    rf"{_PLAIN_LACKS}|(?:do not|don[’']?t|never) (?:offer|give|provide|share)\b(?! (?:you )?(?:with )?(?:(?:any|the|that|this|an?|specific|further|more|such|your|enough) ){{0,3}}"
    r"(?:information|details?|answer|advice|instructions|guidance)\b)"
)
# Where "information" is what is missing, and no desk: "there is no information desk" answers.
_PLAIN_HEAD = (
    r"(?=\W{0,3}$|[.,;:!?)\]]|[’']?s?\b (?:about|on|regarding|concerning|of|for|in|from|at|as|that|which|whether|if|how|what|who|when|where|why|here|there|"
    r"available|applicable|provided|given|found|mentioned|listed|present|related|relating|relevant|specific|indicating|suggesting|and|or|but|so|yet|within|with|i|we|you|"
    r"(?:with which |on which )?to (?:answer|say|share|give|offer|provide|help|support|suggest|indicate|show|determine|tell|confirm|go on|rely|base|work|make|draw|"
    r"be (?:found|had)|this|that|the|your|it|any))\b)"
)
# "It does not say" speaks of the documents; "they don't have to", "it doesn't cover theft" and "it does not answer the phone" of the matter.
_PLAIN_ONLY_SAYS = (
    rf"(?:say|make|{NEG} (?:\w+ly )?(?:(?:(?:appear|seem) to )?(?:mention|say|state|specify|address|discuss|indicate|explain|describe)\b|"
    r"tell (?:(?:us|me|when)\b|(?:you )?(?:who|what|where|why|how|which|whether)\b)|answer (?:(?:the|this|that|your) questions?\b|(?:this|that)(?=\W*$))|"
    r"(?:provide|give|contain|include|offer|have) (?:\w+ ){0,3}(?:information|details?|answer|mention)))"
)
# The pattern below is verbose, where a bare space means nothing: those of the parts are escaped.
_SOURCE, _NEG, _SAY, _PAPER, _KNOWS, _SERVES, _LACKS, _REFUSES, _HEAD, _ONLY_SAYS = (
    part.replace("\\ ", " ").replace(" ", r"\ ")
    for part in (
        _PLAIN_SOURCE,
        NEG,
        _PLAIN_SAY,
        _PLAIN_PAPER,
        _PLAIN_KNOWS,
        _PLAIN_SERVES,
        _PLAIN_LACKS,
        REFUSES,
        _PLAIN_HEAD,
        _PLAIN_ONLY_SAYS,
    )
)
_ABSTAINS = re.compile(
    rf"""
    \b(?:i|we(?!\ (?:{_SERVES})))(?:\ am|[’']m|\ are|[’']re)?\s*(?:really\ |actually\ |currently\ |simply\ ){{0,4}}
        (?:(?:{_NEG}|do\ not\ currently|don[’']t\ currently)\ (?:currently\ |actually\ |really\ |definitively\ |conclusively\ |personally\ )?
            (?:know\b|have\ (?:(?:any|enough|sufficient|specific|access|the|that|real-time|up-to-date|reliable|detailed|that\ specific|
               verified|anything|an\ answer|personal|a\ record|records|current)\b|(?:information|details|data)\b{_HEAD})|
               be\ (?:sure|certain)\b|
               find\b|answer\b|provide\b|determine\b|see\ (?:any|that|this|information)|locate\b|tell\b|confirm\b|verify\b|help\ (?:you\ )?with|assist|recall|say\b|
               give\b(?!\ (?:\w+\ ){{1,4}}enough)|fulfill|comply|share|disclose|offer|identify|access|(?:seem|appear)\ to\ (?:find|see|locate|have)|
               make\ out|work\ out|judge|guess|speculate)
          |(?:not\ (?:sure|certain|aware|able\ to|familiar|allowed|permitted|in\ a\ position))
          |unable\ to\b|unaware\b|unsure\b|uncertain\b)
    |\b(?:i|we)\ (?:(?:was|were)\ (?:not\ able|unable)|(?:wasn|weren)[’']t\ able)\ to\b
    |\bi(?:[’']m|\ am)\ not\ seeing\ (?:any|that|this|it)|\bi\ (?:see|found|find)\ (?:nothing|no\ (?:mention|information|answer|record|trace|details?))\b
    |\bi\ only\ (?:have|see)\ (?:information|details|data|documents|material)\b
    |\bi[’']?m\ (?:(?:really|very|so)\ )?(?:sorry|afraid)(?:,|\ but)\ (?:but\ )?(?:based\b[^,]{{0,60}},\ )?i\b
    |\bi\ (?:would\ )?need\ (?:(?:some|a\ (?:bit|little))\ )?(?:more|additional|further)\ (?:specific\ )?(?:information|context|details?)
    |\b(?:it\ (?:is|[’']s)|it\ remains)\ (?:un|not\ )clear\ (?:what|which|whether|from|if|how|who|why)
    |\b(?:it\ is|it[’']s)\ (?:not\ possible|impossible|difficult|hard)\ to\ (?:determine|answer|say|tell|provide|give|know|identify)
    |\b(?:is|are)\ (?:not|un)\ ?related\ to\ (?:the\ |your\ |this\ |any\ ){{0,4}}(?:(?:provided|given)\ )?(?:question|context|article|topic|text|passage|document)
    |\b(?:has|have|had)(?:\ not|n[’']t|\ yet\ to)\ (?:been\ |be\ )?(?:publicly|officially|widely)\ (?:disclosed|announced|documented|released|confirmed|shared|revealed|reported)
    |(?:\bnot|n[’']t)\ (?:appear|seem)\ to\ be\ (?:any\ )?(?:publicly\ |widely\ |readily\ |much\ )?(?:available\ |known\ )?(?:information|records?|details?|data|
        documented|available)
    |(?:\bnot|n[’']t)\ (?:have\ (?:a\ )?)?(?:widely|publicly|readily|well)[ -]?(?:\ )?(?:documented|known|publici[sz]ed|recorded|available|reported|disclosed)
    |^(?:sorry|unfortunately|apologies|i\ apologi[sz]e)\b.{{0,60}}\b(?:{_NEG}\ {_KNOWS}|unable|no\ (?:information|mention)|not\ (?:able\ to\ {_KNOWS}|available\ in|enough))
    |\b{_SOURCE}\ (?:here\ |(?:that\ )?(?:i|we|you)\ (?:have|see|found|can\ see|(?:was|were)\ given|received|provided|gave\ me|shared)\ |in\ the\ (?:\w+\ )?context\ )?{_NEG}\ {_SAY}
    |\b(?:{_PAPER})\b
    |\b{_SOURCE}\ (?:is|are)\ (?:not\ (?:sufficient|enough)|insufficient|unclear)
    |\b(?:is|are|was|were)(?:\ not|n[’']t)\ (?:explicitly\ |directly\ |specifically\ )?
        (?:(?:mentioned|specified|stated|disclosed|indicated|answerable|widely\ documented|publicly\ (?:available|known|documented|disclosed))\b
          |(?:provided|included|available|given|found|contained|discussed|covered|addressed|known|described|listed|present|documented|clear)\b
             [^.]{{0,30}}\b(?:in|by|from)\ {_SOURCE})
    |\b(?:information|answer|details?)\ (?:is|are|was|were)(?:\ not|n[’']t)\ (?:\w+ly\ )?(?:provided|included|available|given|found|known)\b
    |\b(?:(?:exact|specific|precise)\ (?:\w+\ ){{1,3}}(?:is|are|was|were)(?:\ not|n[’']t)\ (?:\w+ly\ )?(?:provided|given)
          |(?:the|its|his|her|their|your)\ (?:\w[\w’'-]*\ ){{1,5}}(?:is|was)(?:\ not|n[’']t)\ (?:\w+ly\ )?given)(?=\W*$|[.,;:]|\ (?:here|there|in|for|but|and)\b)
        (?![^.]{{0,80}}\b(?:until|unless|when|before|because|so)\b)
    |\b(?:there(?:\ (?:is|are|was|were)|[’']s)|(?:(?:i|we|it|they|which|that)(?:\ \w+ly|\ also)?|{_SOURCE})\ (?:has|have|contains?|provides?|found|gives?))
        \ (?:no|not\ enough|insufficient|not\ any|not\ sufficient)\ (?:\w+\ ){{0,3}}
        (?:information|mention|details?|data|answers?|context|evidence(?!\ (?:that|of|for|to)\b)|references?|records?|indications?|documents?|results?|instructions?)\b{_HEAD}
    |\bno\ (?:\w+\ ){{0,2}}(?:information|mention|details?|answer|data|record)s?[ ]
        (?:(?:is|are|was|were|has\ been|have\ been)\ )?(?:\w+ly\ )?(?:provided|available|given|found|about|on|regarding|in\ the)
    |\b(?:cannot|can[’']?t|can\ not|could\ not|couldn[’']t)\ be\ (?:answered|determined|verified|confirmed|established|inferred)
    |\b(?:information|answer|details?|mention|data|references?)\b[^.]{{0,40}}\b(?:cannot|can[’']?t|could\ not|couldn[’']t)\ be\ (?:found|provided|located|given)
    |\b(?:insufficient|not\ enough)\ (?:information|context|data|evidence|detail)
    |\bunable\ to\ (?:answer|find|provide|determine|help|locate|assist|verify|confirm)
    |^(?:unknown|n/?a|none|unanswerable|no\ answer(?:\ found)?|not\ (?:available|known|found|specified|stated|mentioned|provided|given|sure))\.?$
    |\b(?:as|being|i\ am|i[’']m|i[’']m\ just)\ an\ ai\b[^.]{{0,80}}\b(?:{_NEG}|unable)
    |{_REFUSES}
    |\bbeyond\ (?:the\ scope|my\ knowledge)|\b(?:outside|beyond)\ what\ (?:i\b|{_SOURCE})|\boutside\ (?:the\ scope\ of|of\ my|my)\b|\bout\ of\ (?:my|its|our)\ (?:remit|scope|depth)\b
    |\bi\ (?:can|am\ able\ to)\ only\ (?:help|assist|answer|talk|discuss)\b
    |\bmy\ knowledge\ (?:cutoff|only)\b|\bknowledge\ cutoff\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MOST_CHARACTERS = 2000  # of a sentence
# One of these stands wherever _ABSTAINS or _NOT_SAID finds something; they read far slower.
_SIGN = re.compile(
    r"\b(?:no|un|(?:do|does|did|ca|could|wo)nt\b)|n[’']t|cannot|never|neither|n/a|fail|only|need|sorry|afraid|apolog|impossible|difficult|hard|insufficient|silent|missing|absent|leave|"
    r"empty|short|blank|guess|specul|yet to|beyond|outside|out of|knowledge|declin|refus|turn|quest|query|search|lookup",
    re.IGNORECASE,
)
_POINTS_ELSEWHERE = re.compile(
    r"\b(?:recommend|suggest|advise|please (?:check|consult|contact|call|dial|refer|provide|visit|ask|see|try|verify)|"
    r"check(?:ing)? (?:the|with|a|an|more|official|reliable|recent|their)|"
    r"consult(?:ing)?|refer(?:ring)? to|contact(?:ing)?|reach out|look(?:ing)? (?:up|at|into)|visit(?:ing)?|you (?:may|might|can|could|should|would|will)(?: also)? "
    r"(?:want|need|wish|try|check|find|consult|refer|contact|look|have to|be able to find)|for (?:more|further|the most|accurate|detailed|up-to-date|specific|precise)|"
    r"(?:more|further|additional|specific) (?:information|details|context)|let me know|feel free|could you|can you|if you (?:have|can|need|provide|could)|"
    r"(?:perhaps|maybe|try) [^.?!]{2,60} (?:can|could|may|might|will) (?:help|tell you|advise)|"
    r"(?:would be|is) the (?:right|best) (?:person|people|place|one)(?: to (?:ask|talk to|speak to|turn to|contact))?|(?:is|are) (?:entirely |really )?(?:up to|for) you\b|"
    r"it (?:is|would be|might be|may be)(?: always)? (?:best|recommended|advisable|helpful|necessary|possible|a good idea)|reliable sources?|official (?:sources?|website|records))\b",
    re.IGNORECASE,
)
_HEDGED_LEAD = re.compile(
    r"\b(?:but|however|although|though|nevertheless|that said|yet|while)\b[,]?\s+(?P<rest>.{12,})",
    re.IGNORECASE | re.DOTALL,
)
# "The document does not say who wrote it, it was Ada Miller", "I don't know why you ask: it is free".
_SPLICED = re.compile(
    r"(?:[:;–—]\s+(?=\S.{11})|,\s+(?=(?:it|he|she|they|that|this|these|those)(?:[’'](?:s|re|d|ll)|\s[a-z]+)\b.{6}))(?P<rest>\S.+)",
    re.IGNORECASE | re.DOTALL,
)
# Why it is not said: no answer.
_GIVES_REASON = re.compile(
    r"(?:it|that|this|they|these|those) would be \w+ing\b|(?:it|that|this|they|these|those)(?:[’'](?:s|re)| is| are| was| were| would be)(?: \w+ly| just| too| also)? "
    r"(?:confidential|secret|private|personal|sensitive|illegal|wrong|against|not|un\w+|outside|beyond|too|up to|out of)\b|"
    r"(?:please |just |you could |best )?(?:see|ask|check|consult|contact|read|try|call|write)\b|"
    r"(?:it|that|this|they)(?:[’']s| \w+)? (?:depends?|could be|may be|might be|seems?)\b",
    re.IGNORECASE,
)
_ABOUT_SOURCE = re.compile(
    rf"^(?:however,? |instead,? |rather,? )?(?:it|they|{_PLAIN_SOURCE}) (?:only|merely|just|mainly|primarily) (?!\w+ that\b)|"
    rf"^(?:however,? |instead,? )?(?:the|this|these|given|provided)[^.]{{0,30}}\b(?:context|passages?|text|documents?|information)\b (?:only |merely )?"
    r"(?:mentions?|provides?|explains?|discuss(?:es)?|describes?|talks?|refers?|is about|focus(?:es)?|contains?)\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"(?:yes|yeah|correct|right|absolutely|certainly)\b[,.!:]", re.IGNORECASE)
_TURNS = re.compile(
    r"^(?:however|but|that said|nevertheless|regarding your question|to answer|in general|generally|typically|usually)\b",
    re.IGNORECASE,
)
# Of these a sentence says nothing but that something was not found: it is no claim about the matter.
_NOT_SAID = re.compile(
    rf"""
    \b(?:{_PAPER})\b|
    \b(?:i|we)\ {_NEG}\ seem\ to\ (?:find|see|locate)\b|
    \b(?:{_SOURCE}|(?:it|they)(?=\ {_ONLY_SAYS}))\ (?:here\ |also\ |simply\ ){{0,2}}(?:{_NEG}\ {_SAY}|(?:say|says|provide|provides|contain|contains)\ nothing\b|
        (?:is|are)\ silent|(?:make|makes)\ no\ mention|
        (?:contain|contains|provide|provides|have|has|give|gives)\ (?:no|not\ enough|insufficient)\ (?:\w+\ ){{0,2}}(?:information|mention|details?|answer|data))
    |\b(?:is|are|was|were)(?:\ not|n[’']t)\ (?:explicitly\ |directly\ |specifically\ |clearly\ )?(?:mentioned|specified|stated|provided|included|given|found|covered|
        addressed|described|listed|discussed)\b
        [^.]{{0,30}}\b(?:in|by|from)\ {_SOURCE}
    |\b(?:(?:is|are|was|were)\ not|isn[’']t|aren[’']t|wasn[’']t|weren[’']t)\ (?:explicitly\ |directly\ |specifically\ )?(?:mentioned|specified|stated|listed|
        disclosed|documented)(?:\ (?:there|here|anywhere))?[.!]?$
    |\bthere(?:\ (?:is|are|was|were)|[’']s)\ no\ (?:\w+\ ){{0,2}}(?:information|mention|details?)\b{_HEAD}
    |\bno\ (?:\w+\ ){{0,2}}(?:information|mention|details?)\ (?:(?:is|are|was|were)\ )?(?:provided|available|given|found|about|on|regarding|in\ the)
    |\b(?:i|we(?!\ (?:{_LACKS})))\ (?:am\ |are\ |was\ |were\ )?(?:{_NEG}|unable\ to|not\ able\ to)\ (?:\w+ly\ )?(?:know|find|have\ (?:any\ |enough\ |specific\ |access\ |the\ |that\ |
        more\ ){{1,2}}|locate|determine|tell|answer|say|see\ (?:any|that)|be\ (?:sure|certain))\b
    |\b(?:i|we)(?:[’']m|[’']re|\ am|\ are)\ (?:not\ (?:sure|certain|aware)|unsure|unable\ to|unaware)\b
    |\b(?:cannot|can[’']t|could\ not|couldn[’']t)\ be\ (?:answered|determined|inferred)\b
    |\b(?:it\ is|it[’']s)\ (?:un|not\ )clear\ (?:from|what|which|whether|if|how|who|why)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HEDGE = re.compile(r"(?:although|while|though|even\ though|whereas)\b[^,;]{4,200},\s+(?=\S)", re.IGNORECASE)
_OF_THE_USER = re.compile(r"\b(?:you|your)\b|[您你]", re.IGNORECASE)
_SEVERAL = re.compile(
    r"(?:there (?:are|is)|we (?:have|offer|sell)|i (?:see|found)|several|multiple|(?:it|that|this) depends|"
    r"(?:your|the|this) question (?:is|seems) (?:ambiguous|unclear|too \w+)|(?:the|these|those) (?:\w+ ){1,3}(?:differ|depend|var(?:y|ies)))\b|有.{0,4}[两几三多]|(?:这|要看|不同|取决)",
    re.IGNORECASE,
)
# "Please provide proof of address when you apply" is a step to take, no question.
_NO_STEP = r"(?!.{0,80}\ (?:when|whenever|once|after|within|no\ later|by)\ (?:you|your|the|\d|\w+day\b))"
_NEEDS = re.compile(
    rf"""
    \b(?:i|we)(?:[’']d|[’']ll|\ would|\ will|\ may|\ might)?\ (?:just\ |also\ )?(?:need|require)\ (?:to\ know|(?:some|a\ (?:bit|little|few)|any)?\ ?(?:more|
        additional|further|the\ following|some)\b|you\ to|your\b)
    |\b(?:could|can|would|will)\ you\ (?:please\ |kindly\ |also\ )?(?:clarify|specify|tell|share|provide|confirm|let\ me\ know|give|describe|elaborate|send|rephrase|be\ more)\b
    |^please\ (?:also\ )?(?:clarify|specify|tell\ me|share|provide|confirm|let\ me\ know\ (?:which|what|whether|if|the|your)|give\ me|describe|rephrase)\b{_NO_STEP}
    |^(?:(?:before|so\ that|to|for)\b[^,]{{0,30}}\b(?:i|we|you|me)\b[^,]{{0,40}},\ )?(?:please\ |just\ )?
        (?:tell\ me\ (?:which|what|whether|if|where|when|how|the|your)|(?:tell|give)\ me\ (?:a\ (?:bit|few)|more|some))\b
    |(?:请|能否|可否|麻烦|可以)(?:您|你)?(?:告诉|提供|说明|补充|具体|确认|描述|澄清)
    |(?:我|我们)?需要(?:更多|进一步|您的?|知道|了解)
    |(?:有了|知道了?|收到|拿到|得知)(?:这|那|以上|上述|您|你)[^，。；]{{0,12}}[，,]?(?:我|我们|我这边)?(?:才|就|便|好)(?:能|可以)?(?:[帮为给替][您你])?(?:核对|核实|核查|查|判断|解答|推荐)[^，。；]{{0,8}}[。！]?$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _found(pattern: re.Pattern[str], text: str) -> bool:
    text = text[:_MOST_CHARACTERS]
    return bool(_SIGN.search(text) and pattern.search(text))


def _abstains(text: str) -> bool:
    return _found(_ABSTAINS, text)


def declines(sentence: str, *, language: str = "en", idioms: bool = True) -> bool:
    """Whether a sentence declines to answer, in any way: a refusal, too. Without `idioms` in the usual phrases alone."""
    if language == "zh":
        return silence_zh.says_not_known(sentence)
    around = unquoted(sentence)
    return _abstains(around) or (idioms and is_silent(around))


def says_not_found(sentence: str, *, language: str = "en") -> bool:
    """Whether a sentence says that something is not in the documents or not known, and no more: narrower than `declines`."""
    if language == "zh":
        return silence_zh.says_not_known(sentence)
    around = unquoted(sentence)
    return _found(_NOT_SAID, around) or is_silent(around)


def says_nothing(sentence: str, *, language: str = "en") -> bool:
    """A refusal, a referral elsewhere, or a remark about the sources: no answer to the question."""
    if language == "zh":
        return silence_zh.says_not_known(sentence) or silence_zh.points_elsewhere(sentence)
    if _abstains(sentence) or is_silent(sentence) or is_of_sources(sentence):
        return True
    return any(pattern.search(sentence) for pattern in (_POINTS_ELSEWHERE, _ABOUT_SOURCE))


def turns(sentence: str) -> bool:
    """Whether a sentence begins to answer after all: "However", "In general"."""
    return _TURNS.match(sentence) is not None


def answers(text: str) -> bool:
    """Whether a text begins with a plain yes."""
    return _ANSWERS.match(text) is not None


def answers_after_all(sentence: str) -> bool:
    """ "The documents do not say X, but Y": something is said after the hedge that is not itself a refusal or a referral."""
    return _answer_in(sentence) > 0


def _answer_in(sentence: str) -> int:
    """Where, after a hedge, something is said; 0 where nothing is."""
    if start := silence_zh.answer_in(sentence):
        return start
    if (match := _HEDGED_LEAD.search(sentence)) and _abstains(sentence[: match.start()]):
        rest = match["rest"]
        return 0 if _abstains(rest) or _POINTS_ELSEWHERE.search(rest) else match.start("rest")
    if (match := _SPLICED.search(sentence)) and _abstains(sentence[: match.start()]):
        rest = match["rest"]
        nothing = says_nothing(rest) or refusing.lectures(rest) or _GIVES_REASON.match(rest) or needs_more(rest)
        return 0 if nothing or not is_sentence(rest) else match.start("rest")
    return 0


def hedge(sentence: str) -> int:
    """Where a sentence begins after "While the price is not given,", "I am not sure, but" or "I don't know, it"; 0 where it does not begin so."""
    if start := _answer_in(sentence):
        return start
    match = _HEDGE.match(sentence)
    return match.end() if match and _abstains(match[0]) else 0


def needs_more(sentence: str) -> bool:
    """Whether a sentence asks the user for more, with a question mark or without."""
    return _NEEDS.search(simplified(sentence)) is not None


def asks_user(question: str) -> bool:
    """Whether a question is about the user."""
    return _OF_THE_USER.search(question) is not None


def names_choices(sentence: str) -> bool:
    """Whether a sentence says between what a question back is to choose."""
    return _SEVERAL.match(sentence) is not None
