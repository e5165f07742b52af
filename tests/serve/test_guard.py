"""Who gets in: the page, and neither other web pages nor other users of the machine."""

import pytest
from starlette.responses import PlainTextResponse

from freemetric.serve.server import Guard

from .conftest import HERE, PORT, TestClient, bearer

LINK = "view/report.html"


@pytest.fixture
def locked():
    return Guard(PlainTextResponse("inside"), PORT, [LINK, "download/model.fm"])


@pytest.fixture
def stranger(locked):
    return TestClient(locked, HERE, follow_redirects=False)


@pytest.fixture
def friend(locked):
    return TestClient(locked, HERE, headers=bearer(locked.token), follow_redirects=False)


def enter(client, word):
    """What the page does first with the word of its address."""
    return client.post("/api/enter", headers=bearer(word))


def test_the_token_lets_in_and_gives_links(friend, locked):
    answer = enter(friend, locked.token)
    assert answer.json()["token"] == locked.token
    assert friend.get("/api/state").text == "inside"
    assert answer.json()["links"].keys() == {LINK, "download/model.fm"}


@pytest.mark.parametrize("path", ["/api/state", "/api/enter", "/download/model.fm", "/view/report.html", "/x"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS", "PUT"])
def test_without_the_token_there_are_no_data(stranger, path, method):
    assert stranger.request(method, path).status_code == 403


@pytest.mark.parametrize("path", ["/", "/page.js", "/page.css", "/plotly.js"])
def test_without_the_token_there_is_the_bare_page_to_read(stranger, path):
    assert stranger.get(path).text == "inside"
    assert stranger.post(path).status_code == 403
    assert stranger.options(path).status_code == 403


@pytest.mark.parametrize("word", ["x", "", "\0", "é" * 50])
def test_a_wrong_token_opens_nothing(stranger, word):
    given = {"authorization": f"Bearer {word}".encode()}
    assert stranger.post("/api/enter", headers=given).status_code == 403
    assert stranger.get("/api/state", headers=given).status_code == 403


def test_the_token_is_a_header_and_nothing_else(stranger, locked):
    """What another port may have got, cookies and addresses, opens nothing."""
    for path in ("/api/state", "/api/enter", f"/{LINK}"):
        for name in ("token", "ticket", "freemetric-8765", "authorization"):
            assert stranger.get(path, params={name: locked.token}).status_code == 403
            assert stranger.post(path, headers={"cookie": f"{name}={locked.token}"}).status_code == 403
        assert stranger.get(path, headers={"authorization": f"Basic {locked.token}"}).status_code == 403


def test_nothing_is_in_a_cookie(stranger, friend, locked):
    answers = [friend.get("/"), enter(stranger, locked.token), enter(friend, locked.word_for_once())]
    assert not any("set-cookie" in answer.headers for answer in answers)


def test_a_word_for_once_works_once(locked, stranger):
    word = locked.word_for_once()
    assert stranger.get("/api/state", headers=bearer(word)).status_code == 403
    assert enter(stranger, word).json()["token"] == locked.token
    assert enter(stranger, word).status_code == 403


def test_a_ticket_opens_one_file_for_reading(stranger, locked):
    address = enter(stranger, locked.token).json()["links"][LINK]
    assert stranger.get(address).text == stranger.get(address).text == "inside"  # a tab may be loaded again
    assert stranger.head(address).status_code == 200
    ticket = address.partition("?")[2]
    for other in ("download/model.fm", "api/state", "api/enter", f"{LINK}/", f"/{LINK}"):
        assert stranger.get(f"/{other}?{ticket}").status_code == 403
    assert stranger.post(address).status_code == 403
    assert stranger.get(address[:-1]).status_code == 403
    assert stranger.get(address, headers={"sec-fetch-site": "same-site"}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "0.0.0.0:8765", ""])
def test_another_host_is_refused(friend, host):
    """A name that an attacker lets point to 127.0.0.1."""
    for path in ("/", "/page.js", "/api/state"):
        assert friend.get(path, headers={"host": host}).status_code == 403


def test_localhost_leads_to_the_one_origin_that_keeps_the_token(friend, stranger):
    """Another server may listen at this port of ::1, which is localhost, too."""
    alias = {"host": f"localhost:{PORT}"}
    assert stranger.get("/", headers=alias).headers["location"] == f"{HERE}/"
    assert friend.get("/api/state", headers=alias).status_code == 403
    assert friend.post("/", headers=alias).status_code == 403


def test_the_usual_port_of_the_web_is_not_named_by_browsers():
    guard = Guard(PlainTextResponse("inside"), 80)
    assert TestClient(guard, "http://127.0.0.1").get("/").text == "inside"
    assert guard.address("x") == "http://127.0.0.1/#token=x"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:80", "https://127.0.0.1:8765", ""])
def test_another_origin_is_refused(friend, origin):
    assert friend.post("/api/fit", headers={"origin": origin}).status_code == 403
    assert friend.options("/api/fit", headers={"origin": origin}).status_code == 403
    assert friend.post("/api/fit", headers={"origin": HERE}).text == "inside"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_of_other_sites_are_refused(friend, site):
    """Another server on this machine is of the same site, whatever its port."""
    for path in ("/api/state", "/page.js"):
        assert friend.get(path, headers={"sec-fetch-site": site}).status_code == 403
    assert friend.get("/api/state", headers={"sec-fetch-site": "same-origin"}).text == "inside"


def test_every_answer_has_strict_headers(friend):
    for answer in (friend.get("/"), friend.get("/", headers={"host": "evil.example"})):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "connect-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
