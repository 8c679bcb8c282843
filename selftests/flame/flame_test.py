#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""flame_test.py [--demo] DIRECTORY: open the pages of flame_pages, or that of the demo, in
headless Chromium and use them as a person does: search, zoom, switch colours. Prints TAP;
leaves DIRECTORY/flame*.png.

Needs chromium and chromedriver. What a page should show is worked out here from
the data in it.
"""
import base64
import json
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
PATIENCE = 300    # seconds: a machine may have other work


class Failed(Exception):
    pass


def expect(what, is_so):
    if not is_so:
        raise Failed(what)


class Browser:
    """WebDriver's protocol, as far as it is needed here."""

    def __init__(self):
        self.driver = subprocess.Popen(
            ['chromedriver', '--port=0'], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            found = re.search(r'started successfully on port (\d+)', line)
            if found:
                self.base = f'http://127.0.0.1:{found[1]}'
                break
        else:
            raise Failed('chromedriver does not start')
        arguments = ['--headless=new', '--no-sandbox', '--disable-gpu',
                     '--disable-dev-shm-usage', '--window-size=1200,800',
                     '--user-data-dir=/tmp/flame-test']
        answer = self.call('POST', '/session', {'capabilities': {'alwaysMatch': {
            'goog:chromeOptions': {'args': arguments},
            'goog:loggingPrefs': {'browser': 'ALL'}}}})
        self.base += '/session/' + answer['sessionId']
        self.call('POST', '/timeouts', {'script': 1000 * PATIENCE, 'pageLoad': 1000 * PATIENCE})

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error:
            raise Failed(f'{path}: {error.read().decode()[:500]}') from None

    def open(self, path, fragment=''):
        # another fragment alone would not load the page anew
        self.call('POST', '/url', {'url': 'about:blank'})
        self.call('POST', '/url', {'url': f'file://{path}{fragment}'})

    def run(self, script, *args):
        return self.call('POST', '/execute/sync', {'script': script, 'args': list(args)})

    def rest(self):
        """Waits until the page was drawn so often that a transition would have begun, and
        the graph was the same each time. Returns its frames."""
        return self.call('POST', '/execute/async', {'script': REST, 'args': [12]})

    def find(self, css):
        return self.call('POST', '/element', {'using': 'css selector', 'value': css})[ELEMENT]

    def click(self, css):
        self.call('POST', f'/element/{self.find(css)}/click', {})

    def type(self, css, text):
        self.call('POST', f'/element/{self.find(css)}/value', {'text': text})

    def resize(self, width, height):
        self.call('POST', '/window/rect', {'width': width, 'height': height})

    def shot(self, path):
        path.write_bytes(base64.b64decode(self.call('GET', '/screenshot')))

    def complaints(self):
        return [entry['message'] for entry in
                self.call('POST', '/se/log', {'type': 'browser'})
                if entry['level'] in ('SEVERE', 'WARNING')]

    def close(self):
        try:
            self.call('DELETE', '')
        finally:
            self.driver.terminate()
            self.driver.wait()


# Is this frame in sight, and nothing beyond the right edge?
IN_SIGHT = '''
const at = [...document.querySelectorAll("#chart g.frame")]
	.find((g) => g.getAttribute("name") === arguments[0]).getBoundingClientRect();
return at.top >= document.querySelector("header").getBoundingClientRect().bottom &&
	at.bottom <= innerHeight &&
	document.documentElement.scrollWidth <= document.documentElement.clientWidth;'''

FRAMES = '''
return [...document.querySelectorAll("#chart g.frame")].map((g) => ({
	name: g.getAttribute("name"),
	fill: g.querySelector("rect").getAttribute("fill"),
	width: Number(g.querySelector("rect").getAttribute("width")),
	top: g.getBoundingClientRect().top,
	faded: g.classList.contains("fade"),
	title: g.querySelector("title").textContent,
}));'''


# The page's own transitions go on in each frame that it draws.
REST = '''
const look = () => { %s };
const [frames, done] = arguments;
let before = null, same = 0;
function drawn() {
	const now = look(), text = JSON.stringify(now);

	same = now.length && text === before ? same + 1 : 0;
	before = text;
	if (same < frames)
		requestAnimationFrame(drawn);
	else
		done(now);
}
requestAnimationFrame(drawn);''' % FRAMES


class Page:
    def __init__(self, browser, path, fragment=''):
        self.browser = browser
        text = path.read_text(encoding='utf-8')
        self.profile = json.loads(re.search(
            r'<script type="application/json" id="profile">(.*?)</script>', text, re.S)[1])
        browser.open(path, fragment)
        self.settle()

    def frames(self):
        return self.browser.run(FRAMES)

    def settle(self):
        """Its frames when it has come to rest."""
        return self.browser.rest()

    def frame(self, name):
        found = [f for f in self.frames() if f['name'] == name]
        expect(f'one frame {name}, not {len(found)}', len(found) == 1)
        return found[0]

    def root_in_sight(self):
        return self.browser.run(IN_SIGHT, self.profile['root']['name'])

    def text(self, css):
        return self.browser.run('return document.querySelector(arguments[0]).textContent', css)

    def nodes(self, node=None):
        node = node or self.profile['root']
        yield node
        for child in node.get('children', ()):
            yield from self.nodes(child)

    def matching(self, pattern):
        """Value of all topmost nodes that match, as the page must count it."""
        def walk(node, depth):
            if depth and re.search(pattern, node['name'], re.I):
                return node['value']
            return sum(walk(child, depth + 1) for child in node.get('children', ()))
        return walk(self.profile['root'], 0)

    def share(self, value):
        return f'{100 * value / self.profile["root"]["value"]:.2f} %'

    def click_frame(self, name):
        self.browser.run('''
			const g = [...document.querySelectorAll("#chart g.frame")]
				.find((g) => g.getAttribute("name") === arguments[0]);
			g.querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true }));
			''', name)
        return self.settle()


def shows_all(browser, pages):
    page = Page(browser, pages / 'plain.html')
    names = sorted(f['name'] for f in page.frames())
    wide = [n for n in page.nodes() if n['value'] * 1000 > page.profile['root']['value']]
    expect(f'{len(names)} frames drawn, of {len(wide)} to be seen',
           names == sorted(n['name'] for n in wide))
    root, main = page.frame(page.profile['root']['name']), page.frame('main')
    expect('main is as wide as its share', abs(
        main['width'] / root['width'] -
        next(n for n in page.nodes() if n['name'] == 'main')['value'] /
        page.profile['root']['value']) < 0.01)
    expect('main stands above the root', main['top'] < root['top'])


def stands_alone(browser, pages):
    Page(browser, pages / 'plain.html')
    loaded = browser.run('return performance.getEntriesByType("resource").map((e) => e.name)')
    expect(f'the page loads {loaded}', not [u for u in loaded if not u.startswith('data:')])
    expect(f'the console says {(said := browser.complaints())}', not said)


def searches(browser, pages):
    page = Page(browser, pages / 'plain.html')
    browser.type('#search', '^work')
    after = page.settle()
    value = page.matching('^work')
    expect('something to be found', 0 < value < page.profile['root']['value'])
    expect(f'{page.text("#matched")} is not {page.share(value)}',
           page.text('#matched').startswith(f'Matched: {page.share(value)},'))
    marked = {f['name'] for f in after if f['fill'].startswith('hsl(300')}
    expect(f'{marked} are marked', marked and all(n.startswith('work') for n in marked))
    expect('all that match are marked',
           marked == {f['name'] for f in after if f['name'].startswith('work')})
    browser.shot(pages / 'flame-search.png')
    browser.click('#search-clear')
    after = page.settle()
    expect('none is marked', not [f for f in after if f['fill'].startswith('hsl(300')])
    expect('nothing is said', page.text('#matched') == '')


def search_is_a_link(browser, pages):
    page = Page(browser, pages / 'plain.html', '#q=%5Ework')
    expect('the search of the link', page.text('#matched').startswith(
        f'Matched: {page.share(page.matching("^work"))},'))
    browser.type('#search', '(')
    page.settle()
    expect('what is no regular expression is text',
           page.text('#matched').startswith(f'Matched: {page.share(0)}'))


def zooms(browser, pages):
    page = Page(browser, pages / 'plain.html')
    whole, before = page.frame(page.profile['root']['name'])['width'], page.frame('work_b')
    after = page.click_frame('work_b')
    names = {f['name'] for f in after}
    expect('the frame has all the width',
           before['width'] < 0.9 * whole and abs(page.frame('work_b')['width'] - whole) < 1)
    expect('its ancestors are faded', page.frame('main')['faded'])
    expect('what stands beside it is gone', 'work_a' not in names)
    browser.shot(pages / 'flame-zoom.png')
    browser.click('#reset')
    page.settle()
    expect('it is back', abs(page.frame('work_b')['width'] - before['width']) < 1)
    expect('and its neighbour', page.frame('work_a')['width'] > 1)


def dark_and_light(browser, pages):
    Page(browser, pages / 'plain.html')
    ground = 'return getComputedStyle(document.body).backgroundColor'
    first = browser.run(ground)
    browser.click('#theme')
    second = browser.run(ground)
    expect(f'{first} turns dark', sorted([first, second]) ==
           sorted(['rgb(255, 255, 255)', 'rgb(22, 24, 29)']))
    browser.shot(pages / 'flame-dark.png')
    browser.click('#theme')
    expect('and back', browser.run(ground) == first)


def icicle(browser, pages):
    page = Page(browser, pages / 'plain.html')
    browser.click('#invert')
    page.settle()
    expect('main hangs below the root',
           page.frame('main')['top'] > page.frame(page.profile['root']['name'])['top'])


def begins_at_its_roots(browser, pages):
    browser.resize(1200, 330)
    try:
        page = Page(browser, pages / 'plain.html')
        expect('the page is higher than the window', browser.run(
            'return document.documentElement.scrollHeight > innerHeight && scrollY > 0'))
        expect('the root is in sight', page.root_in_sight())
        browser.type('#search', 'main')
        page.settle()
        expect('what was found is in sight', browser.run(
            'return document.querySelector("#matched").getBoundingClientRect().top >= 0'))
        browser.click('#invert')
        page.settle()
        expect('and when it is at the top', page.root_in_sight())
        expect('which is where the page is', browser.run('return scrollY === 0'))
    finally:
        browser.resize(1200, 800)


def kinds(browser, pages):
    page = Page(browser, pages / 'plain.html')
    hue = {f['name']: int(float(re.match(r'hsl\(([\d.]+)', f['fill'])[1])) for f in page.frames()}
    expect(f'hues {hue}', 12 <= hue['main'] <= 26 and 32 <= hue['vfs_read'] <= 46)


def off_cpu(browser, pages):
    page = Page(browser, pages / 'offcpu.html')
    fills = [f['fill'] for f in page.frames()]
    expect(f'{fills[:3]} are of off-CPU', all(
        205 <= float(re.match(r'hsl\(([\d.]+)', f)[1]) <= 235 for f in fills))
    title = page.frame('main')['title']
    expect(f'{title}: times are times', '4.00 s' in title)


def difference(browser, pages):
    page = Page(browser, pages / 'diff.html')
    fills = {f['name']: f['fill'] for f in page.frames()}
    expect(f'{fills}: what grew is red', fills['work_b'].startswith('hsl(0, 85%'))
    expect(f'{fills}: what shrank is blue', fills['work_a'].startswith('hsl(215, 85%'))
    expect(f'{fills}: the rest is grey', fills['main'].startswith('hsl(0, 0%'))
    # the base has half as many samples: it counts twice
    for name, more in (('work_a', '-200 events'), ('work_b', '+200 events')):
        title = page.frame(name)['title']
        expect(f'{title}: the amount is told', f', {more})' in title)
    browser.shot(pages / 'flame-diff.png')


def names_are_text(browser, pages):
    page = Page(browser, pages / 'hostile.html')
    expect('no name is run', browser.run('return window.hostile === undefined'))
    names = {n['name'] for n in page.nodes()}
    expect(f'{names} has them all', any('</script>' in n for n in names) and
           any('<img' in n for n in names))
    expect('they are drawn', names <= {f['name'] for f in page.frames()})
    expect(f'the console says {(said := browser.complaints())}', not said)


def nothing(browser, pages):
    browser.open(pages / 'empty.html')
    expect('it says so', 'no samples' in browser.run(
        'return document.getElementById("chart").textContent'))
    expect(f'the console says {(said := browser.complaints())}', not said)


def demo_is_drawn(browser, pages):
    page = Page(browser, pages / 'flame.html')
    expect(f'{len(page.frames())} frames', len(page.frames()) > 50)
    expect('its root is in sight', page.root_in_sight())
    expect(f'the console says {(said := browser.complaints())}', not said)
    browser.shot(pages / 'flame.png')


def demo_has_names(browser, pages):
    page = Page(browser, pages / 'flame.html')
    # during an exec a task is to return to a program that is told of later
    nameless = [n for n in page.nodes() if n['name'] == '[unknown]' and
                '__x64_sys_execve' not in {below['name'] for below in page.nodes(n)}]
    expect(f'{len(nameless)} frames have no name', not nameless)
    names = {n['name'] for n in page.nodes()}
    for wanted in 'Py_BytesMain', r'python3\.\d+\+0x[0-9a-f]+', r'py::tree:.*/demo-work\.py':
        expect(f'{wanted} is there', any(re.fullmatch(wanted, n) for n in names))


def demo_is_searched(browser, pages):
    page = Page(browser, pages / 'flame.html', '#q=%5Epy%3A%3Atree')
    value = page.matching('^py::tree')
    expect('the recursion has its share', value > page.profile['root']['value'] / 20)
    expect(f'{page.text("#matched")} is not {page.share(value)}',
           page.text('#matched').startswith(f'Matched: {page.share(value)},'))
    browser.shot(pages / 'flame-search.png')


DEMO_TESTS = [
    ("the demo's page is drawn", demo_is_drawn),
    ('all that it saw has a name', demo_has_names),
    ("a function of Python's is found", demo_is_searched),
]
TESTS = [
    ('each frame is drawn, as wide as its share', shows_all),
    ('the page loads nothing and complains of nothing', stands_alone),
    ('a search marks what it finds and adds it up', searches),
    ('a search can be linked to', search_is_a_link),
    ('a click zooms, and there is a way back', zooms),
    ('dark and light', dark_and_light),
    ('roots at the top', icicle),
    ('a page that is higher than the window begins at its roots', begins_at_its_roots),
    ('kernel and user code differ in colour', kinds),
    ('off-CPU time has its colours', off_cpu),
    ('a difference is red and blue', difference),
    ('names are text, whatever is in them', names_are_text),
    ('an empty profile says so', nothing),
]


def main():
    pages = pathlib.Path(sys.argv[-1]).absolute()
    tests = DEMO_TESTS if '--demo' in sys.argv else TESTS
    failed = 0
    print(f'TAP version 13\n1..{len(tests)}', flush=True)
    browser = Browser()
    try:
        for number, (name, test) in enumerate(tests, 1):
            try:
                test(browser, pages)
                print(f'ok {number} - {name}', flush=True)
            except Failed as why:
                failed += 1
                print(f'# {why}\nnot ok {number} - {name}', flush=True)
    finally:
        browser.close()
    return 1 if failed else 0


sys.exit(main())
