"""The server of the explorer answers its own page only, and only reads."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pantala as pt
from explored_runs import explored
from pantala.cli.explore import explore
from pantala.errors import UsageError
from pantala.explorer.packed import unpacked
from pantala.explorer.server import HOST, ExplorerServer, server_of
from pantala.explorer.subject import subject_of
from support import Ended

pytestmark = pytest.mark.native

Cli = Callable[..., Ended]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExplorerServer]:
    subject = subject_of(pt.load(explored(tmp_path_factory.mktemp("explorer") / "run")))
    with server_of(subject) as found:
        thread = threading.Thread(target=found.serve_forever, daemon=True)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def ask(
    server: ExplorerServer, path: str, *, host: str | None = None, method: str = "GET"
) -> tuple[int, bytes, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection(HOST, server.port, timeout=60)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", host or f"{HOST}:{server.port}")
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body, answer.headers


def test_it_listens_on_loopback_only(server: ExplorerServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.address.startswith(f"http://127.0.0.1:{server.port}/")
    assert len(server.token) >= 20


def test_the_page_and_its_data(server: ExplorerServer) -> None:
    status, body, headers = ask(server, f"/{server.token}/")
    assert status == 200
    assert b"<!doctype html>" in body
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    known = body.split(b'id="known">')[1].split(b"</script>")[0]
    assert json.loads(known)["runs"] == ["together", "cube alone", "halo alone"]
    status, facts_0, _ = ask(server, f"/{server.token}/facts/0")
    assert json.loads(known)["facts"] == [json.loads(facts_0)]
    status, body, _ = ask(server, f"/{server.token}/data/0/groups")
    frame, facts = unpacked(body)
    assert frame.height > 0
    assert "global" in facts["classes"]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_other_hosts_are_refused(server: ExplorerServer, host: str) -> None:
    status, body, _ = ask(server, f"/{server.token}/facts/0", host=host or " ")
    assert status == 403
    assert b"127.0.0.1 and localhost" in body


@pytest.mark.parametrize("host", ["localhost:9", "127.0.0.1:9", "[::1]:9", "localhost"])
def test_a_tunnel_may_have_another_port(server: ExplorerServer, host: str) -> None:
    assert ask(server, f"/{server.token}/facts/0", host=host)[0] == 200


@pytest.mark.parametrize("path", ["/", "/facts/0", "/wrong/facts/0", "/wrong/", "//facts/0"])
def test_without_the_token_nothing_is_told(server: ExplorerServer, path: str) -> None:
    status, body, _ = ask(server, path)
    assert status == 403
    assert b"explored" not in body


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "data/0/../../run.json",
        "data/0/passwords",
        "data/0/group",
        "data/9/groups",
        "data/0/groups/1",
        "data/-1/groups",
        "facts/9",
        "run.json",
        "data/0/group/99999999999",
    ],
)
def test_only_tables_of_the_page_are_served(server: ExplorerServer, path: str) -> None:
    status, body, _ = ask(server, f"/{server.token}/{path}")
    assert status == 404
    assert b"\n" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_written(server: ExplorerServer, method: str) -> None:
    assert ask(server, f"/{server.token}/facts/0", method=method)[0] == 501


def test_a_port_in_use_is_said_in_one_line(cli: Cli, workdir: Path) -> None:
    explored(workdir / "run")
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = cli("explore", "run", "--port", str(port), "--no-browser")
    assert ended.status == 2
    assert ended.err.splitlines() == [
        f"--port {port}: is in use; choose another port, or leave --port out for a free one"
    ]


def test_a_folder_without_a_run_is_said_in_one_line(cli: Cli, workdir: Path) -> None:
    (workdir / "empty").mkdir()
    ended = cli("explore", "empty")
    assert ended.status == 2
    assert "empty: holds no run" in ended.err
    assert len(ended.err.splitlines()) == 1


def test_the_page_in_one_file(cli: Cli, workdir: Path) -> None:
    explored(workdir / "run")
    ended = cli("explore", "run", "--out", "page.html")
    assert ended.status == 0, ended.err
    text = Path("page.html").read_text(encoding="utf-8")
    assert len(text) < 15e6
    assert 'data-name="0/groups"' in text
    assert "http://" not in text
    assert "https://" not in text
    assert ended.out.splitlines()[0].startswith("explorer: page.html, ")


def test_a_report_links_to_the_page_beside_it(cli: Cli, workdir: Path) -> None:
    explored(workdir / "run")
    assert cli("report", "run").status == 0
    report = Path("run/report.html")
    assert "explorer.html" not in report.read_text(encoding="utf-8")
    assert cli("explore", "run", "--out", "run/explorer.html").status == 0
    assert '"report": "report.html"' in Path("run/explorer.html").read_text(encoding="utf-8")
    assert cli("report", "run").status == 0
    text = report.read_text(encoding="utf-8")
    assert 'href="explorer.html#view=jobs"' in text
    assert "victim=0&amp;aggressor=1" in text
    assert text.count('href="explorer.html#group=') > 3


def test_the_report_is_served_with_its_own_rules(server: ExplorerServer) -> None:
    status, body, headers = ask(server, f"/{server.token}/report/0")
    assert status == 200
    assert b'href="../#run=0&amp;view=jobs"' in body
    assert "script-src" not in headers["Content-Security-Policy"]
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert ask(server, f"/{server.token}/report/99")[0] == 404
    assert ask(server, "/report/0")[0] == 403


def test_what_does_not_fit_is_said(
    cli: Cli, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explored(workdir / "run")
    monkeypatch.setattr("pantala.explorer.page.LARGEST_PAGE", 400_000)
    ended = cli("explore", "run", "--out", "page.html")
    assert ended.status == 0, ended.err
    assert "left out: the links of " in ended.out
    assert Path("page.html").stat().st_size < 400_000
    assert "left_out" in Path("page.html").read_text(encoding="utf-8")


def test_the_server_says_its_address_and_the_tunnel(
    capsys: pytest.CaptureFixture[str], workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explored(workdir / "run")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(ExplorerServer, "serve_forever", _interrupted)
    explore(workdir / "run")
    out = capsys.readouterr().out
    assert f"explorer: {opened[0]}\n" in out
    assert "ssh -L" in out


def _interrupted(_server: ExplorerServer) -> None:
    raise KeyboardInterrupt


def test_a_privileged_port_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("http.server.ThreadingHTTPServer.server_bind", refused)
    subject = subject_of(pt.load(explored(tmp_path / "run")))
    with pytest.raises(UsageError, match="--port 80: needs the rights of an administrator"):
        server_of(subject, 80)
