"""tests/test_docs.py: what the documents show is what there is. Called by test_docs.sh, with the programs on the PATH.

A block of C or C++ in docs/ is an excerpt of a program that is compiled, which the line before it names:
<!-- from examples/say.c -->. (README's pieces of C have programs of their own, see test_snippets.sh and test_readme.sh.) A block
named console is run, and prints what it shows. A block named sh names only targets of the Makefile. Links lead to files and
headings that exist; addresses outside are not looked up.
"""
import glob
import os
import re
import subprocess
import sys
import textwrap

FENCE = re.compile(r'^```(\S*)$')


def report(name, problems):
    print(('not ok ' if problems else 'ok ') + name)
    for problem in problems:
        print('  ' + problem.replace('\n', '\n    '))


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def blocks(text):
    """Yields the kind of each block, the line before it, and its text."""
    kind, before, last, lines = None, '', '', []
    for line in text.split('\n'):
        fence = FENCE.match(line)
        if kind is None and fence:
            kind, before, lines = fence.group(1), last, []
        elif kind is not None and line == '```':
            yield kind, before, '\n'.join(lines) + '\n'
            kind = None
        elif kind is not None:
            lines.append(line)
        last = line


def without_blocks(text):
    out, inside = [], False
    for line in text.split('\n'):
        if line.startswith('```'):
            inside = not inside
        elif not inside:
            out.append(line)
    return '\n'.join(out)


def bare(text):
    return [line.strip() for line in text.strip('\n').split('\n')]


def is_excerpt(piece, path):
    want, have = bare(piece), bare(read(path))
    return any(have[i:i + len(want)] == want for i in range(len(have)))


def check_code(path):
    problems = []
    for kind, before, text in blocks(read(path)):
        source = re.match(r'<!-- from (\S+) -->$', before)
        if kind in ('c', 'cpp') and path != 'README.md':
            if not source:
                problems.append('no source is named for\n' + text)
            elif not os.path.exists(source.group(1)) or not is_excerpt(text, source.group(1)):
                problems.append(source.group(1) + ' does not have\n' + text)
        elif kind == 'sh':
            targets = re.findall(r'^([a-z][a-z0-9-]*):', read('Makefile'), re.M)
            for words in re.findall(r'^make ([^#\n]*)', text, re.M):
                problems += ['there is no make ' + word for word in words.split() if '=' not in word and word not in targets]
        elif kind not in ('c', 'cpp', 'console', 'text', ''):
            problems.append('a block of ' + kind)
        elif kind == '' and path != 'README.md':
            problems.append('a block of no kind')
    report(path + ': code', problems)


def run_console(text):
    """Runs each line that begins with a dollar sign, and returns the block as it really looks."""
    shown = []
    for line in text.split('\n'):
        if not line.startswith('$ '):
            continue
        done = subprocess.run(['sh', '-c', line[2:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        shown.append(line + '\n' + done.stdout.decode('utf-8', 'replace'))
    return ''.join(shown)


def check_consoles(path):
    problems, count = [], 0
    for kind, _, text in blocks(read(path)):
        if kind == 'console':
            count += 1
            really = run_console(text)
            if really != text:
                problems.append('is\n' + really + 'and should be\n' + text)
    if count:
        report('%s: %d sessions' % (path, count), problems)


def anchors(path):
    """Headings as GitHub names them."""
    found = set()
    for heading in re.findall(r'^#+ (.*)$', without_blocks(read(path)), re.M):
        name = re.sub(r'[^\w\- ]', '', heading.replace('`', '').lower()).replace(' ', '-')
        found.add(name)
    return found


def check_links(path):
    problems, text = [], without_blocks(read(path))
    links = re.findall(r'\]\(([^)\s]+)\)', text) + re.findall(r'(?:src|srcset|href)="([^"]+)"', text)
    for link in links:
        if re.match(r'https?:|mailto:', link):
            continue
        place, _, anchor = link.partition('#')
        target = os.path.normpath(os.path.join(os.path.dirname(path), place)) if place else path
        if not os.path.exists(target):
            problems.append('no file ' + link)
        elif anchor and anchor not in anchors(target):
            problems.append('no heading ' + link)
    # What is named in backticks and looks like a file of this repository.
    for name in set(re.findall(r'`((?:docs|examples|tests|parts|bench|viewer|packaging|fuzz|zephyr)/[\w./-]*)`', text)):
        if not glob.glob(name) and not glob.glob(name + '*'):
            problems.append('no file `' + name + '`')
    report(path + ': links', problems)


def main():
    guides = sorted(glob.glob('docs/*.md')) + ['README.md', 'CONTRIBUTING.md', 'SECURITY.md']
    for path in guides:
        check_code(path)
        check_consoles(path)
    for path in guides + ['CHANGELOG.md', 'parts/README.md'] + sorted(glob.glob('examples/*/README.md')):
        check_links(path)
    return 0


sys.exit(main())
