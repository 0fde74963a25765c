// node tests/viewer/check.mjs PAGE ELELEM-EVENTS: the page in headless Chromium, opened from its file.
// One line for each test, "ok ..." or "not ok ...", and the total.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Browser } from './chromium.mjs';

const [page, program] = process.argv.slice(2).map(name => resolve(name));
let passed = 0, failed = 0;

function check(name, isGood, detail = '') {
    if (isGood) passed++; else failed++;
    console.log(`${isGood ? 'ok' : 'not ok'} ${name}`);
    if (!isGood && detail) console.log('  ' + String(detail).slice(0, 2000));
}
/* What elelem-events prints of it. */
function events(shape, bytes, ...options) {
    return new Promise((resolve, reject) => {
        const child = spawn(program, ['--shape', shape, ...options], { stdio: ['pipe', 'pipe', 'inherit'] }), pieces = [];
        child.stdout.on('data', piece => pieces.push(piece));
        child.on('error', reject);
        child.on('close', code => code === 0 ? resolve(Buffer.concat(pieces).toString()) : reject(new Error(`elelem-events exits with ${code}`)));
        child.stdin.end(bytes);
    });
}
const without = text => text.split('\n').slice(0, -1);

const browser = new Browser(process.env.CHROMIUM || 'chromium');
const troubles = [], requests = [];
browser.listeners.push(message => {
    if (message.method === 'Runtime.exceptionThrown') troubles.push(message.params.exceptionDetails.exception?.description);
    if (message.method === 'Network.requestWillBeSent') requests.push(message.params.request.url);
});

/* Opens the page anew, with these functions for the tests: what a hand does, and what then is on the screen. */
async function openPage(scheme, ...size) {
    await browser.open('file://' + page, ...size);
    await browser.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    await browser.until('document.documentElement.dataset.ready === "1"');
    await browser.run(`
        function change(id, value) { $(id).value = value; $(id).dispatchEvent(new Event('input', { bubbles: true })); }
        function bytesOf(base64) { return Uint8Array.from(atob(base64), c => c.charCodeAt(0)); }
        function shownRows() {
            return [...$('row-list').children].map(row => [row.dataset.type, Number((row.querySelector('small') || { textContent: '#-1' }).textContent.slice(1)),
                [...row.querySelectorAll('.said > span:not(.meta)')].map(s => s.textContent).join('')]);
        }
        /* Plays at a speed as far as it goes before the cut, moves the slider to the cut, and ends the connection there. */
        function playTo(cut, speed, piece) {
            change('position', 0);
            change('piece', piece);
            change('speed', speed);
            play.owed = 0;
            if (speed < 8) for (let step = 0; step < 100000 && now.at + SPEEDS[speed] / 10 + 2 ** piece < cut; step++) playFor(100);
            else if (cut === now.bytes.length && cut > 0) playFor(16);
            if (now.at !== cut) change('position', cut);
            if (!$('broken').checked) $('broken').click();
            const shown = { at: now.at, lines: $('lines').textContent, rows: shownRows() };
            $('broken').checked = false;
            return shown;
        }
        function treeOf(node) {
            const list = [...node.children].find(c => c.tagName === 'UL'), text = node.querySelector(':scope > .value > span').textContent;
            if (node.kind === 'object') return Object.fromEntries([...list.children].map(c => [c.querySelector(':scope > .key').textContent, treeOf(c)]));
            if (node.kind === 'array') return [...list.children].map(treeOf);
            return node.kind === 'string' ? text.slice(1, -1) : JSON.parse(text);
        }
        showTab('lines');`);
}

/* Recordings: each at five cuts, at two speeds in pushes of two sizes. */
const SPEEDS = [[4, 3], [8, 6]];
let runs = 0;

async function checkRecording(shape, file) {
    const bytes = readFileSync(file), size = bytes.length;
    const shapeAt = await browser.run(`[...$('shape').options].find(o => o.textContent === ${JSON.stringify(shape)})?.value`);
    if (shapeAt === undefined) return `the page has no shape ${shape}`;
    const cuts = [0, size >> 2, size >> 1, size - (size >> 2), size];
    /* The programs run while the page does. */
    const printed = Promise.all(cuts.map(cut => Promise.all([events(shape, bytes.subarray(0, cut), '--status', '200', '--join'),
        ...SPEEDS.map(([, piece]) => events(shape, bytes.subarray(0, cut), '--status', '200', '--chunk', String(2 ** piece)))])));
    const shown = await browser.run(`(() => {
        openBytes(bytesOf(${JSON.stringify(bytes.toString('base64'))}), ${JSON.stringify(shapeAt)}, 200, 0);
        return ${JSON.stringify(cuts)}.flatMap(cut => ${JSON.stringify(SPEEDS)}.map(([speed, piece]) => playTo(cut, speed, piece)));
    })()`);
    for (const [i, cut] of cuts.entries()) {
        const [joinedText, ...wants] = (await printed)[i], joined = without(joinedText);
        for (const [speed] of SPEEDS) {
            const { at, lines, rows } = shown.shift(), where = `${file}, cut at ${cut}, speed ${speed}`;
            const want = wants.shift();
            if (at !== cut) return `${where}: the page is at ${at}`;
            if (lines !== want) return `${where}:\n${lines}  should be\n${want}`;
            const wanted = joined.map(line => JSON.parse(line)).map(e => [e.eventType, e.index ?? -1, e.chunk ?? '']);
            if (JSON.stringify(rows) !== JSON.stringify(wanted)) return `${where}: rows\n${JSON.stringify(rows)}\n${JSON.stringify(wanted)}`;
            runs++;
        }
    }
    return '';
}

/* The tree of each call that is whole says what --items says. */
async function checkTrees(shape, file) {
    const bytes = readFileSync(file);
    const cards = await browser.run(`(() => { change('position', now.bytes.length);
        return [...document.querySelectorAll('.card')].map(card => [Number(card.dataset.index), card.dataset.state,
            card.dataset.state === 'complete' ? treeOf(card.querySelector('.tree > li')) : null]); })()`);
    const items = without(await events(shape, bytes, '--status', '200', '--items')).map(line => JSON.parse(line)).filter(i => i.type === 'tool_call');
    const want = items.map(i => [i.index, i.state ?? 'complete', i.state ? null : i.arguments]);
    const order = list => JSON.stringify(list.sort((a, b) => a[0] - b[0]));
    return order(cards) === order(want) ? '' : `${file}: calls\n${order(cards)}\n${order(want)}`;
}

async function checkRecordings() {
    for (const shape of readdirSync('tests/data')) {
        const files = readdirSync(join('tests/data', shape)).filter(name => /\.(sse|json)$/.test(name));
        const wrong = [], wrongTrees = [];
        for (const name of files) {
            const file = join('tests/data', shape, name), found = await checkRecording(shape, file);
            if (found) wrong.push(found);
            else wrongTrees.push(await checkTrees(shape, file));
        }
        check(`${files.length} recordings of ${shape} give the events of elelem-events at five cuts and two speeds`, wrong.length === 0, wrong.join('\n'));
        const bad = wrongTrees.filter(Boolean);
        check(`and the arguments of its items`, bad.length === 0, bad.join('\n'));
    }
    console.log(`# ${runs} runs`);
}

/* Another recording, with a call of the same index, leaves nothing of the one before. */
async function checkChange() {
    const tree = await browser.run(`(async () => { for (const i of [0, 3]) { $('recording').value = i; await openChosen(); }
        change('position', now.bytes.length); return treeOf(document.querySelector('.card .tree > li')); })()`);
    check('the tree of another recording is its own', JSON.stringify(tree) ===
        '{"target":"dragon_01","path":[{"x":0,"y":2.5},{"x":14,"y":38}],"motion":"rise, then hold over the roof 🏠","loop":false}', JSON.stringify(tree));
    check('its call is drawn once', await browser.run(`[...document.querySelectorAll('.card')].map(c => c.dataset.index).join()`) === '2,3');
}

/* What a hand does. */
async function checkHands() {
    const demo = readFileSync('examples/demo.sse'), want = await events('chat', demo, '--status', '200', '--chunk', '64');
    await browser.run(`openBytes(bytesOf('${demo.toString('base64')}'), '0', 200, 0); change('piece', 6); change('speed', 6); $('play').focus()`);
    await browser.key(' ', 'Space');
    await browser.until('now.at > 2000');
    check('space plays, in real time', await browser.run('play.isOn && now.at < now.bytes.length'));
    await browser.until('!play.isOn');
    check('and a response that was played gives the same events', await browser.run(`$('lines').textContent`) === want);
    check('it ends once, and the page says how', (await browser.run(`$('end').textContent`)).startsWith('Finished: tool_calls'));

    await browser.run(`change('position', 1000); document.activeElement.blur()`);
    await browser.key('.');
    await browser.key('.');
    await browser.key(',');
    check('keys move the cut by a byte', await browser.run('now.at') === 1001);
    await browser.key(']');
    check('or by a push', await browser.run('now.at') === 1065);
    await browser.run(`$('position').focus()`);
    await browser.key('ArrowRight');
    check('the slider has the arrow keys', await browser.run('now.at') === 1066);
    await browser.run(`$('tab-rows').focus(); showTab('rows')`);
    await browser.key('ArrowRight');
    check('and so have the tabs', await browser.run(`document.activeElement.id === 'tab-lines' && !$('lines').hidden`));

    const messages = 'tests/data/messages/text_thinking_and_calls_in_their_order.sse', text = readFileSync(messages, 'utf8');
    const wanted = await events('messages', text, '--status', '200', '--chunk', '64');
    await browser.run(`(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(text)}], 'a.sse'));
        document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })); })()`);
    await browser.until(`$('recording').value === 'own'`);
    check('a file that is dropped is shown, and its shape found', await browser.run(`$('lines').textContent`) === wanted, await browser.run(`$('shape').selectedOptions[0].textContent`));
    await browser.run(`(async () => { $('recording').selectedIndex = 1; await openChosen(); const data = new DataTransfer(); data.setData('text/plain', ${JSON.stringify(text)});
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); })()`);
    check('so is a text that is pasted', await browser.run(`$('lines').textContent`) === wanted);
    const { root } = await browser.send('DOM.getDocument');
    const { nodeId } = await browser.send('DOM.querySelector', { nodeId: root.nodeId, selector: '#file' });
    const folder = mkdtempSync(join(tmpdir(), 'viewer-file-')), kept = join(folder, 'kept.jsonl');
    writeFileSync(kept, wanted);
    await browser.send('DOM.setFileInputFiles', { nodeId, files: [kept] });
    await browser.until(`$('recording').selectedOptions[0].textContent === 'kept.jsonl'`);
    check('record lines are read too', await browser.run(`$('lines').textContent`) === wanted);
}

/* A cut inside a character shows its bytes; a click cuts where it was. */
async function checkBytes() {
    await browser.run(`openBytes(encoder.encode('data: ab\\u{1F525}cd\\n'), '0', 200, 0); change('position', 10)`);
    check('a character that is cut is shown as bytes', await browser.run(`[...document.querySelectorAll('#wire .hex')].map(h => h.textContent).join(' ')`) === 'F0 9F 94 A5');
    const size = await browser.run(`(() => { const bytes = new Uint8Array(700); for (let i = 0; i < 700; i++) bytes[i] = i * 7919 % 251;
        openBytes(bytes, '0', 200, 0); let bad = 0;
        for (let at = 0; at <= 700; at++) { change('position', at); if (wire.segments.reduce((sum, s) => sum + (s.node.querySelector('.cut') ? 1 : 0), 0) !== 1) bad++; }
        return bad; })()`);
    check('there is one cut at every place, in whatever bytes', size === 0, size);
    const places = await browser.run(`(() => { openBytes(encoder.encode('data: one\\ndata: zw\\u00f6lf\\n\\ndata: three\\n'), '0', 200, 0); const found = [];
        for (const [segment, offset] of [[0, 4], [1, 8], [1, 9], [1, 10], [3, 2]]) { change('position', 0);
            const place = wire.segments[segment].node, text = document.createTreeWalker(place, NodeFilter.SHOW_TEXT).nextNode();
            found.push(byteOf(wire.segments[segment], text, offset)); }
        return found; })()`);
    check('a click finds its byte', JSON.stringify(places) === '[4,18,20,21,26]', JSON.stringify(places));
    const box = await browser.run(`(() => { change('position', 0); const r = wire.segments[1].node.getBoundingClientRect(); return [r.left + 30, r.top + r.height / 2]; })()`);
    for (const type of ['mousePressed', 'mouseReleased']) await browser.send('Input.dispatchMouseEvent', { type, x: box[0], y: box[1], button: 'left', clickCount: 1 });
    const at = await browser.run('now.at');
    check('and cuts there', at > 10 && at < 20, at);
}

/* Who does not see, or has no mouse. */
async function checkAccess() {
    const { nodes } = await browser.send('Accessibility.getFullAXTree');
    const value = (node, name) => (node.properties || []).find(p => p.name === name)?.value.value;
    const nameless = nodes.filter(n => !n.ignored && value(n, 'focusable') && n.role.value !== 'RootWebArea' && !(n.name?.value || '').trim());
    check('everything that takes the focus has a name', nameless.length === 0, JSON.stringify(nameless.map(n => n.role.value)));
    const roles = new Set(nodes.filter(n => !n.ignored).map(n => n.role.value));
    check('it has landmarks, headings, tabs and a live region', ['main', 'banner', 'contentinfo', 'heading', 'tab', 'slider', 'status'].every(r => roles.has(r)), [...roles].join());
    const reached = new Set();
    await browser.run('document.activeElement.blur()');
    for (let i = 0; i < 60; i++) {
        await browser.key('Tab');
        reached.add(await browser.run(`document.activeElement.id || document.activeElement.className || document.activeElement.tagName`));
    }
    const wanted = ['recording', 'shape', 'status', 'open', 'paste', 'play', 'position', 'speed', 'piece', 'broken', 'wire', 'cards'];
    check('Tab reaches every control', wanted.every(id => reached.has(id)), [...reached].join());
    check('what is open is said, not only drawn', await browser.run(`openChosen($('recording').value = 0).then(() => $('cards').textContent.includes('still being written'))`));
    check('and what was cut off', await browser.run(`openChosen($('recording').value = 2).then(() => document.querySelectorAll('.mark.cut').length > 0 && [...document.querySelectorAll('.mark.cut')].every(m => m.textContent === 'cut off'))`));
    check('an error tells what to do', /Error: transient.*may succeed later.*Code server_is_overloaded/.test(await browser.run(`$('end').textContent`)));
    await browser.until(`$('said').textContent.includes('The end: error transient')`);
    check('the end is announced', true);
}

/* Text against what is under it, WCAG's 4.5 to 1; bytes that have not arrived yet are at least 3 to 1. */
async function checkContrast(scheme) {
    const low = await browser.run(`(async () => {
        const found = new Set();
        const rgb = text => text.match(/[\\d.]+/g).map(Number);
        const light = c => { const v = c.slice(0, 3).map(x => (x /= 255) <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
        const under = node => { for (; node; node = node.parentElement) { const c = rgb(getComputedStyle(node).backgroundColor); if (c.length < 4 || c[3] > .9) return c; } return [255, 255, 255]; };
        for (let i = 0; i < RECORDINGS.length; i++) {
            $('recording').value = i; await openChosen();
            for (const tab of ['rows', 'lines']) { showTab(tab);
                for (const node of document.querySelectorAll('body *:not(script):not(option)')) {
                    if (![...node.childNodes].some(c => c.nodeType === 3 && c.data.trim()) || !node.checkVisibility()) continue;
                    const style = getComputedStyle(node), a = light(rgb(style.color)), b = light(under(node));
                    let opacity = 1; for (let n = node; n; n = n.parentElement) opacity *= Number(getComputedStyle(n).opacity);
                    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
                    if (ratio * (opacity < 1 ? opacity : 1) < (node.closest('.later') ? 3 : 4.5)) found.add(node.className + ' ' + node.tagName + ' ' + ratio.toFixed(2));
                } }
        }
        showTab('lines');
        return [...found];
    })()`);
    check(`text can be read, ${scheme}`, low.length === 0, low.join('\n'));
}

try {
    check('the page has less than 200,000 bytes', readFileSync(page).length < 200000, readFileSync(page).length);
    await openPage('light');
    await checkRecordings();
    await checkChange();
    await checkHands();
    await checkBytes();
    await checkAccess();
    await checkContrast('light');
    await openPage('dark', 390, 800);
    await checkContrast('dark');
    check('a narrow page has no sideways scrolling', await browser.run('document.documentElement.scrollWidth <= innerWidth'));
    const outside = requests.filter(url => !url.startsWith('file://' + page) && !/^(data|blob|about):/.test(url));
    check('it asks for nothing from anywhere', outside.length === 0, outside.join('\n'));
    check('nothing was thrown', troubles.length === 0, troubles.join('\n'));
} catch (error) {
    check('the check ran to its end', false, error.stack);
}
await browser.close();
console.log(`viewer: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
