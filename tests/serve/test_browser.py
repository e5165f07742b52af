"""The page in a real browser, with a real server behind it. Skipped where there is no browser."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import urlsplit

import httpx
import numpy as np
import pandas as pd
import pytest

import freemetric

from ..chromium import chromium, note_troubles

PHONE, DESKTOP = {"width": 400, "height": 800}, {"width": 1400, "height": 900}
EVIL = "<img src=x onerror=\"document.title='hacked'\">"
LONG = 60_000  # milliseconds


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser, server):
    """Open the page; afterwards nothing may have gone wrong, and nothing may have been asked of another machine."""
    contexts, troubles, hosts = [], [], set()

    def go(viewport=DESKTOP, url=None):
        context = browser.new_context(viewport=viewport)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(LONG)
        note_troubles(page, troubles)
        context.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
        page.goto(url or server.url)
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    go.troubles, go.others = troubles, set()
    yield go
    for context in contexts:
        context.close()
    assert troubles == []
    assert hosts <= {urlsplit(server.url).netloc, *go.others, ""}  # data: and blob: have no host


@pytest.fixture
def elsewhere():
    """Another server of this machine, which notes what browsers send."""
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            got.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<link rel=icon href='data:,'><p>here</p>")

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield SimpleNamespace(address=f"http://127.0.0.1:{server.server_port}/", got=got)
        server.shutdown()


def bare(server):
    """The address without what opens it."""
    return server.url.partition("#")[0]


def send(page, content, name="flowers.csv"):
    page.set_input_files("#file", {"name": name, "mimeType": "text/csv", "buffer": content})


def fit(page):
    page.select_option("#effort", "quick")
    page.click("#start")
    page.wait_for_selector("#neighbors td")


def is_too_wide(page):
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


@pytest.mark.slow
def test_from_the_file_to_the_model(visit, csv, flowers, tmp_path):
    page = visit()
    assert "token" not in page.url
    send(page, csv)
    page.wait_for_selector("#columns td")
    texts = page.locator("#columns tbody tr").all_inner_texts()
    assert len(texts) == 4
    assert "left out: it numbers the rows" in texts[0]
    assert page.input_value("#target") == "kind"
    page.locator("#columns select").nth(1).select_option("drop")  # length
    page.wait_for_selector("#columns tr:nth-child(2).out")
    page.locator("#columns select").nth(1).select_option("")
    page.wait_for_selector("#columns tr:nth-child(2):not(.out)")

    fit(page)
    assert page.locator("#found tbody tr").count() > 2
    assert page.evaluate("document.getElementById('walks-plot').data.length") > 2
    assert page.evaluate("document.getElementById('live-plot').data.map(t => t.x.length)") == [20, 20, 20]
    assert "out-of-bag accuracy" in page.inner_text("#result-facts")

    page.fill("#row", "17")
    page.press("#row", "Enter")
    page.locator("#row-summary", has_text="Row 17 ").wait_for()
    shown = dict(line.split("\t")[:2] for line in page.locator("#neighbors tbody tr").all_inner_texts())
    assert shown["length"] == str(flowers["length"].iloc[17])
    assert shown["class"] == flowers["kind"].iloc[17]

    with page.expect_download() as started:
        page.click("a[href^='download/model.fm']")
    assert started.value.suggested_filename == "flowers.fm"
    started.value.save_as(tmp_path / "flowers.fm")
    assert freemetric.load(tmp_path / "flowers.fm").classes_.tolist() == ["blue", "red", "white"]
    page.click("#report summary")
    page.frame_locator("#report-frame").locator("#space-1 .main-svg").first.wait_for()
    assert not is_too_wide(page)

    new = flowers.drop(columns="kind").assign(more=EVIL).to_csv(index=False).encode()
    page.set_input_files("#new-file", {"name": "new.csv", "mimeType": "text/csv", "buffer": new})
    page.wait_for_selector("#new-rows td")
    assert "ignored: no column of the training table" in page.inner_text("#new-columns")
    assert page.locator("#new-rows tbody tr").count() == 20
    with page.expect_download() as started:
        page.click("a[href^='download/predictions.csv']")
    assert set(pd.read_csv(started.value.path())["prediction"]) == {"blue", "red", "white"}
    assert not is_too_wide(page)

    page.reload()  # all is there again
    page.wait_for_selector("#neighbors td")
    assert page.inner_text("#title") == "flowers.csv"


@pytest.mark.slow
@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_numbers_from_the_file_to_the_model(visit, viewport, houses, houses_csv, tmp_path):
    page = visit(viewport)
    send(page, houses_csv, "houses.csv")
    page.wait_for_selector("#spread i")
    assert page.input_value("#target") == "price"
    assert page.locator("#task option:checked").inner_text() == "a number, as understood"
    assert page.locator("#methods input").count() == 7
    page.select_option("#task", "classify")
    page.locator("#problem", has_text="every row has a class of its own").wait_for()
    assert not page.is_enabled("#start")
    page.select_option("#task", "")
    page.wait_for_selector("#spread i")

    fit(page)
    assert page.evaluate("document.getElementById('live-plot').data[0].x.length") == 79
    assert "squared error out of bag" in page.inner_text("#found")
    facts = page.inner_text("#result-facts")
    for name in ("out-of-bag R²", "mean absolute error", "root mean squared error", "inside of 90 % intervals"):
        assert name in facts
    for plot in ("predicted-plot", "residuals-plot", "intervals-plot"):
        points = page.evaluate(f"document.getElementById('{plot}').data.flatMap((trace) => trace.rows ?? [])")
        assert 60 < len(set(points)) <= 79, plot
    assert not is_too_wide(page)

    page.fill("#row", "17")
    page.press("#row", "Enter")
    page.locator("#row-summary", has_text="Row 17 ").wait_for()
    assert "The 90 % interval is" in page.inner_text("#row-summary")
    shown = dict(line.split("\t")[:2] for line in page.locator("#neighbors tbody tr").all_inner_texts())
    assert (shown["price"], shown["size"]) == (houses["price"][18], str(houses["size"][18]))  # row 5 has no price
    page.evaluate(
        """() => {
            const clicked = { data: { rows: [3] }, pointNumber: 0 };
            document.getElementById("predicted-plot").emit("plotly_click", { points: [clicked] });
        }"""
    )
    page.locator("#row-summary", has_text="Row 3 ").wait_for()

    with page.expect_download() as started:
        page.click("a[href^='download/model.fm']")
    started.value.save_as(tmp_path / "houses.fm")
    assert hasattr(freemetric.load(tmp_path / "houses.fm")[-1], "predict_interval")
    page.click("#report summary")
    page.frame_locator("#report-frame").locator("#predicted-plot .main-svg").first.wait_for()

    for name in ("free-energy", "rf"):
        page.uncheck(f"#methods input[value='{name}']")
    page.fill("#folds", "2")
    page.click("#start-compare")
    page.wait_for_selector("#scores td")
    assert page.locator("#scores tbody tr").count() == 3
    assert "R²" in page.inner_text("#scores")
    page.click("#theme")  # everything is drawn anew
    assert not is_too_wide(page)


@pytest.mark.slow
def test_large_numbers_have_the_digits_that_tell_them_apart(visit):
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(60, 2)).round(3)
    frame = pd.DataFrame(x, columns=["a", "b"]).assign(people=(123_000_000 + 10_000 * x[:, 0]).round(1))
    page = visit()
    send(page, frame.to_csv(index=False).encode())
    page.wait_for_selector("#spread i")
    assert page.inner_text("#target-facts").startswith(f"lowest\n{frame['people'].min():.0f}"[:16])
    page.select_option("#method", "euclidean")
    page.click("#start")
    page.wait_for_selector("#neighbors td")
    page.fill("#row", "7")
    page.press("#row", "Enter")
    page.locator("#row-summary", has_text="Row 7 ").wait_for()
    assert re.search(r"Its target is 12300\d{4}(\.\d)?, predicted 12300\d{4}", page.inner_text("#row-summary"))


@pytest.mark.slow
def test_a_file_is_dropped(visit, csv):
    page = visit()
    page.evaluate(
        """text => {
            const given = new DataTransfer();
            given.items.add(new File([text], "dropped.csv"));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: given, bubbles: true, cancelable: true }));
        }""",
        csv.decode(),
    )
    page.wait_for_selector("#columns td")
    assert page.inner_text("#title") == "dropped.csv"


@pytest.mark.slow
def test_a_fit_is_cancelled(visit, csv):
    page = visit()
    send(page, csv)
    page.click("#start")
    page.click("#cancel")
    page.wait_for_selector("#fit-problem:not([hidden])")
    assert page.inner_text("#fit-problem") == "Cancelled. Nothing was changed."
    assert page.is_enabled("#start")
    fit(page)


@pytest.mark.slow
def test_a_comparison(visit, csv):
    page = visit(PHONE)
    send(page, csv)
    page.wait_for_selector("#columns td")
    for name in ("free-energy", "rf", "hist-boosting"):
        page.uncheck(f"#methods input[value='{name}']")
    page.fill("#folds", "3")
    page.click("#start-compare")
    page.wait_for_selector("#scores td")
    assert page.locator("#scores tbody tr").count() == 2
    assert page.evaluate("document.getElementById('scores-plot').data[0].x.length") == 2
    assert not is_too_wide(page)
    with page.context.expect_page() as opened:
        page.click("a[href^='view/comparison.html']")
    for again in (False, True):  # a tab of its own, which can be loaded again
        if again:
            opened.value.reload()
        opened.value.locator("h1").wait_for()
    with page.expect_download() as started:
        page.click("a[href^='download/comparison.html']")
    assert started.value.suggested_filename == "flowers-comparison.html"


@pytest.mark.slow
def test_what_strangers_send_is_inert(visit):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {EVIL: rng.normal(size=60).round(2), "b": rng.choice(["</script><script>alert(1)</script>", EVIL], 60)}
    )
    frame["c"] = np.repeat([EVIL, "javascript:alert(1)"], 30)
    frame[EVIL] += np.repeat([0, 2], 30)
    page = visit()
    send(page, frame.to_csv(index=False).encode(), f"{EVIL}.csv")
    page.wait_for_selector("#columns td")
    page.select_option("#target", "c")
    page.wait_for_selector("#guessed", state="hidden")
    fit(page)
    page.check("#all-columns")
    page.click("#report summary")
    page.frame_locator("#report-frame").locator("#space-1 .main-svg").first.wait_for()
    assert page.locator("img[onerror]").count() == 0
    assert page.title() == "freemetric"
    assert "<img src=x onerror" in page.inner_text("#neighbors")


@pytest.mark.slow
def test_hostile_names_of_numbers_are_inert(visit):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60).round(3)
    frame = pd.DataFrame({EVIL: x, "b": rng.choice([EVIL, "javascript:alert(1)"], 60), f"{EVIL} y": (x**2).round(4)})
    page = visit()
    send(page, frame.to_csv(index=False).encode(), f"{EVIL}.csv")
    page.wait_for_selector("#spread i")
    fit(page)
    page.check("#all-columns")
    page.locator("#predicted-plot .nsewdrag").hover()
    page.click("#report summary")
    page.frame_locator("#report-frame").locator("#predicted-plot .main-svg").first.wait_for()
    assert page.locator("img[onerror]").count() == 0
    assert page.title() == "freemetric"
    assert f"{EVIL[:12]}" in page.inner_text("#neighbors")


@pytest.mark.slow
def test_what_cannot_be_used_is_one_line(visit, csv):
    page = visit()
    send(page, csv)
    page.wait_for_selector("#columns td")
    for content, name, line in [
        (b"x" * (2 << 20), "big.csv", "The file is larger than 1 MB; freemetric serve --upload N takes more."),
        (b"MZ", "a.exe", "a.exe: its suffix is none of"),
    ]:
        send(page, content, name)
        page.locator("#trouble", has_text=line).wait_for()
    assert page.inner_text("#title") == "flowers.csv"  # what was there stays
    visit.troubles[:] = [text for text in visit.troubles if "422" not in text]  # the browser notes the answer


NOT_OPENED = "Open the address that `freemetric serve` printed."


@pytest.mark.slow
def test_another_port_gets_nothing_that_opens_the_page(visit, server, elsewhere):
    """Cookies know no ports: whatever the browser sends to another server of this machine is of no use to it."""
    page = visit()
    page.evaluate("document.cookie = 'canary=sung'")  # so that the test would see a cookie
    visit.others.add(urlsplit(elsewhere.address).netloc)
    page.goto(elsewhere.address)
    page.locator("p", has_text="here").wait_for()
    assert any("canary=sung" in request.get("cookie", "") for request in elsewhere.got)
    for request in elsewhere.got:
        assert server.guard.token not in str(request)
        for path in ("api/state", "api/enter", "view/report.html", "download/model.fm"):
            for method in ("GET", "POST"):
                headers = {**request, "host": urlsplit(server.url).netloc}
                assert httpx.request(method, f"{bare(server)}{path}", headers=headers).status_code == 403


@pytest.mark.slow
def test_the_page_opens_by_its_address_and_again_in_its_tab(visit, server):
    page = visit(url=server.url_for_once)
    assert page.url == bare(server)
    assert page.is_visible("#examples button")
    page.reload()
    page.wait_for_selector("#examples button")
    alias = server.url.replace("127.0.0.1", "localhost")
    visit.others.add(urlsplit(alias).netloc)
    page.goto(alias)  # which is the same page at its own address
    page.wait_for_selector("#examples button")
    assert page.url == bare(server)

    other = page.context.new_page()  # the browser is the same, but nobody gave this tab the token
    other.goto(bare(server))
    other.locator("#trouble", has_text=NOT_OPENED).wait_for()
    assert not other.is_visible("#drop")
    other.evaluate("(address) => { location.href = address }", server.url)  # typed into the tab of the page
    other.wait_for_selector("#examples button")
    assert "token" not in other.url


@pytest.mark.slow
def test_wrong_words_open_nothing(visit, server):
    visit(url=server.url_for_once)
    for address in (server.url_for_once, server.url[:-5], f"{bare(server)}#token="):
        page = visit(url=address)
        assert page.inner_text("#trouble") == NOT_OPENED
        assert page.locator("#examples button").count() == 0
    visit.troubles[:] = [text for text in visit.troubles if "403" not in text]  # the browser notes the answers


@pytest.mark.slow
def test_two_tabs_do_not_mix_their_tables(visit, server, csv, houses_csv):
    first, second = visit(), visit()
    send(first, csv)
    first.wait_for_selector("#columns td")
    send(second, houses_csv, "houses.csv")
    second.wait_for_selector("#spread i")
    first.click("#start")
    first.locator("#fit-problem", has_text="the table was changed in another tab; reload the page").wait_for()
    first.select_option("#target", "field")
    first.locator("#problem", has_text="another table was opened in another tab; reload the page").wait_for()
    first.reload()
    first.wait_for_selector("#spread i")
    assert first.inner_text("#title") == "houses.csv"
    visit.troubles[:] = [text for text in visit.troubles if "422" not in text]


@pytest.mark.slow
def test_a_new_table_ends_the_fit_without_a_word_about_it(visit, server, csv, houses_csv):
    page = visit()
    send(page, csv)
    page.wait_for_selector("#columns td")
    page.click("#start")
    page.wait_for_selector("#cancel:visible")
    send(page, houses_csv, "houses.csv")
    page.wait_for_selector("#spread i")
    page.wait_for_timeout(500)
    assert not page.is_visible("#fit-problem")
    assert not page.is_visible("#cancel")
    assert page.is_enabled("#start")


@pytest.mark.slow
def test_quit(visit, server):
    page = visit()
    page.click("#quit")
    page.wait_for_selector(".ended")


@pytest.mark.slow
@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize(("n_classes", "n_features"), [(2, 5), (10, 60), (26, 5)])
def test_nothing_is_too_wide(visit, viewport, n_classes, n_features):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), 12)
    X = rng.normal(size=(n_classes, n_features))[y] * 2 + rng.normal(size=(len(y), n_features))
    frame = pd.DataFrame(X.round(3), columns=[f"a rather long measurement number {i}" for i in range(n_features)])
    frame["kind"] = [f"class of a long name {chr(65 + c)}" for c in y]
    page = visit(viewport)
    send(page, frame.to_csv(index=False).encode())
    page.wait_for_selector("#columns td")
    fit(page)
    assert not is_too_wide(page)
