"""The curl calls of the documentation do what the page shows."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from rag.samples import handbook_path
from tests.project.documentation_page import agrees, blocks_of, commands_of
from tests.project.repository import ROOT
from tests.surfaces.http_api.running import running
from tests.surfaces.http_api.service import services_in

PAGE = ROOT / "docs" / "http.md"
SHOWN_ADDRESS = "http://127.0.0.1:8766"
PREPARES = ("printf ", "curl ")


def test_every_curl_call_answers_as_shown(tmp_path: Path):
    assert shutil.which("curl"), "the checks need curl"
    services = services_in(tmp_path)
    services.base.ingest(handbook_path())
    called = 0
    with running(services) as (address, _):
        for block in blocks_of(PAGE):
            if block.language != "console":
                continue
            for command in commands_of(block):
                if not command.text.startswith(PREPARES):
                    continue
                done = subprocess.run(
                    ["bash", "-c", command.text.replace(SHOWN_ADDRESS, address)],
                    cwd=tmp_path,
                    capture_output=True,
                    text=True,
                    timeout=60,
                    check=True,
                )
                assert agrees(command.shown, done.stdout), f"{command.text}\n{done.stdout}"
                called += command.text.startswith("curl ")
    assert called == 9
