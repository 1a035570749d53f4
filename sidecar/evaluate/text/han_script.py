"""Traditional characters as simplified ones, so that a rule is written once. Of those that rules read alone, one for one, so that places stay."""

from __future__ import annotations

_TRADITIONAL = (
    "亂佈併來係個們備傚傢僅價儘償內兩冊動協參員問單嘗嚮圍報夠學實寫將對屬帶幫幾庫從復愛應採換損撐撥據數斷於時暫曉書會條業榮樂標樣機檔檢歡氣決沒況測準潛為無煩獲獻現畢當發盡確禮種稱節範簡紀細紹終結給統經綜線緣編緻總繫繼續義聯職聽與興"
    "舉舘華蓋處裏補複覈見規親計記訪設許訴註評詢試話該詳誌認語誤說説談請諒論諮講謝證識議讀讓費資賠購軍較載轉辦這進過達適選還邊郵釋銹錄錫錯閱闕關闡際隨隻雖難電響頁項須頭題顯館驟體麼點產運長門開間頻預顧顔類願風飛馬驗險寬術緊級約紅聲並嗎裡臺週帳戶櫃訊號碼繳優錢銀貨傳誰"
)
_SIMPLIFIED = (
    "乱布并来系个们备效家仅价尽偿内两册动协参员问单尝向围报够学实写将对属带帮几库从复爱应采换损撑拨据数断于时暂晓书会条业荣乐标样机档检欢气决没况测准潜为无烦获献现毕当发尽确礼种称节范简纪细绍终结给统经综线缘编致总系继续义联职听与兴"
    "举馆华盖处里补复核见规亲计记访设许诉注评询试话该详志认语误说说谈请谅论咨讲谢证识议读让费资赔购军较载转办这进过达适选还边邮释锈录锡错阅阙关阐际随只虽难电响页项须头题显馆骤体么点产运长门开间频预顾颜类愿风飞马验险宽术紧级约红声并吗里台周账户柜讯号码缴优钱银货传谁"
)
_TABLE = str.maketrans(_TRADITIONAL, _SIMPLIFIED)


def simplified(text: str) -> str:
    """The text, of the same length, with the characters that rules for Chinese read in simplified form."""
    return text if text.isascii() else text.translate(_TABLE)
