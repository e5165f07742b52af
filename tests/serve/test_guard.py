"""Who gets in: the page, and neither other web pages nor other users of the machine."""

import pytest
from starlette.responses import PlainTextResponse

from freemetric.serve.guard import Guard

from .conftest import HERE, PORT, TestClient


@pytest.fixture
def locked():
    return Guard(PlainTextResponse("inside"), PORT)


@pytest.fixture
def stranger(locked):
    return TestClient(locked, HERE, follow_redirects=False)


@pytest.fixture
def friend(locked, stranger):
    answer = stranger.get("/", params={"token": locked.token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert stranger.get("/").text == "inside"
    return stranger


@pytest.mark.parametrize("path", ["/", "/api/state", "/page.js", "/download/model.fm"])
def test_without_the_cookie_nothing_is_to_be_had(stranger, path):
    assert stranger.get(path).status_code == 403
    assert stranger.post(path).status_code == 403


@pytest.mark.parametrize("token", ["x", "", "\0", "é" * 50])
def test_a_wrong_token_opens_nothing(stranger, token):
    answer = stranger.get("/", params={"token": token})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_token_is_for_the_page_alone(stranger, locked):
    assert stranger.get("/api/state", params={"token": locked.token}).status_code == 403
    assert stranger.post("/", params={"token": locked.token}).status_code == 403


@pytest.mark.parametrize("cookie", ["freemetric-8765=x", "freemetric-8765=", "]=[", "freemetric-8765"])
def test_a_wrong_cookie_opens_nothing(stranger, cookie):
    assert stranger.get("/", headers={"cookie": cookie}).status_code == 403


def test_a_word_for_once_works_once(locked, stranger):
    word = locked.word_for_once()
    assert stranger.get("/", params={"token": word}).status_code == 303
    assert TestClient(locked, HERE).get("/", params={"token": word}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "0.0.0.0:8765", ""])
def test_another_host_is_refused(friend, host):
    """A name that an attacker lets point to 127.0.0.1."""
    assert friend.get("/api/state", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:80", "https://127.0.0.1:8765", ""])
def test_another_origin_is_refused(friend, origin):
    assert friend.post("/api/fit", headers={"origin": origin}).status_code == 403
    assert friend.post("/api/fit", headers={"origin": HERE}).text == "inside"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_of_other_sites_are_refused(friend, site):
    """Another server on this machine is of the same site, whatever its port."""
    assert friend.get("/api/state", headers={"sec-fetch-site": site}).status_code == 403
    assert friend.get("/api/state", headers={"sec-fetch-site": "same-origin"}).text == "inside"


def test_every_answer_has_strict_headers(friend, stranger):
    for answer in (friend.get("/"), friend.get("/", headers={"host": "evil.example"})):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "connect-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_the_cookie_is_out_of_reach(locked, stranger):
    cookie = stranger.get("/", params={"token": locked.token}).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
