from __future__ import annotations

import pytest

from rag.ingest.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("You can declare the type of a parameter, and the editor will help you with it.", "en"),
        ("쿼리 매개변수의 기본값을 선언합니다.", "ko"),
        ("如何声明请求体的类型？", "zh"),
        ("日本語の文章です。漢字も多い。", "ja"),
        ("Как объявить параметр запроса?", "ru"),
        ("Як оголосити її параметр?", "uk"),
        ("كيف أعلن عن المعلمة", "ar"),
        ("چگونه پارامتر را تعریف کنم", "fa"),
        ("איך מגדירים פרמטר", "he"),
        ("Πώς δηλώνω μια παράμετρο", "el"),
        ("ประกาศพารามิเตอร์", "th"),
        ("पैरामीटर कैसे घोषित करें", "hi"),
        ("Der Hund ist in dem Haus, und das ist gut so, weil es regnet.", "und"),
        ("La casa es grande y el perro no está en ella.", "und"),
        ("", "und"),
        ("12345 !? 🎉", "und"),
        ("x = foo(bar)", "und"),
    ],
)
@pytest.mark.scenario("ingestion", "Language by script")
def test_script_and_function_words_tell_the_language(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_english_code_in_a_korean_page_does_not_make_it_english() -> None:
    code = "from fastapi import FastAPI\napp = FastAPI()\n"
    assert detect_language(f"이 코드는 다음과 같이 동작합니다.\n{code}") == "ko"


def test_a_few_foreign_names_do_not_make_an_english_page_foreign() -> None:
    words = "You can read the work of 村上春樹 and the others in this list. " * 3
    assert detect_language(words) == "en"
