"""Everyday questions for the cross construction, where no other collection is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rag.evaluation.records import Construction, Question
from rag.text import Script, script_shares

_ENGLISH = """
how long should I boil an egg|what is the capital of Mongolia|who painted the Mona Lisa
how do I remove a red wine stain from a carpet|when does the clock change in spring
what is the melting point of tungsten|how tall is Mount Kilimanjaro|who won the 1998 World Cup
best way to prune a rose bush|how many players are in a volleyball team
what causes the northern lights|how do I change a bicycle tyre|when was the Eiffel Tower built
what does a koala eat|how do I tie a bow tie|which planet has the most moons
how long does it take to fly from Lisbon to Tokyo|what is a sonnet|how do I make sourdough bread
who composed The Four Seasons|how far away is the Moon|what is the boiling point of ethanol
how do I get rid of aphids|who was the first woman in space|what is the currency of Vietnam
how do I train a puppy to sit|what are the rules of cricket|how deep is the Mariana Trench
which muscles does rowing train|how do I knit a scarf|what is the tallest waterfall
when did the Roman Empire fall|how do bees make honey|what is the recipe for guacamole
how do I clean a cast iron pan|who invented the telephone|what is the speed of sound in water
how do I fold a fitted sheet|how long do elephants live|what is the best time to visit Peru
"""
_CHINESE = """
怎么做番茄炒蛋|长城有多长|感冒了应该吃什么|世界上最高的山是哪座|如何给玫瑰花修剪枝叶
北京到上海坐高铁要多久|谁画了蒙娜丽莎|怎样洗掉衣服上的红酒渍|熊猫吃什么|月亮离地球有多远
怎么包饺子|端午节的由来是什么|如何学会游泳|钨的熔点是多少|篮球比赛有几个人上场
怎么训练小狗坐下|埃菲尔铁塔是什么时候建的|蜜蜂怎样酿蜜|如何折纸鹤|什么时候去云南旅游最好
"""
_KOREAN = """
김치찌개는 어떻게 끓이나요|세종대왕은 언제 태어났나요|감기에 걸리면 무엇을 먹어야 하나요
에베레스트산의 높이는 얼마인가요|장미 가지치기는 어떻게 하나요|서울에서 부산까지 얼마나 걸리나요
모나리자를 그린 화가는 누구인가요|옷에 묻은 와인 얼룩을 어떻게 지우나요|판다는 무엇을 먹나요
달은 지구에서 얼마나 떨어져 있나요|만두를 빚는 방법은 무엇인가요|추석의 유래는 무엇인가요
수영을 어떻게 배우나요|텅스텐의 녹는점은 몇 도인가요|배구는 몇 명이 하나요
강아지에게 앉아를 어떻게 가르치나요|에펠탑은 언제 지어졌나요|벌은 꿀을 어떻게 만드나요
종이학은 어떻게 접나요|제주도 여행은 언제가 좋나요
"""


def off_topic_questions(like: Sequence[Question]) -> tuple[Question, ...]:
    """Return everyday questions in the language that most of ``like`` are written in."""
    counts = Counter(_language(one.text) for one in like)
    chosen = counts.most_common(1)[0][0] if counts else _ENGLISH
    texts = [text for line in chosen.split("\n") for text in line.split("|") if text]
    return tuple(
        Question(question_id=f"everyday:{at}", text=text, construction=Construction.CROSS)
        for at, text in enumerate(texts, 1)
    )


def _language(text: str) -> str:
    scripts = script_shares(text)
    if Script.HANGUL in scripts:
        return _KOREAN
    return _CHINESE if Script.HAN in scripts else _ENGLISH
