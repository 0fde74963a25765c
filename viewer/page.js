'use strict';
/* Draws what the module returns. What it knows of a response is the record lines and the trees of arguments, never the wire. */

const $ = id => document.getElementById(id);
const encoder = new TextEncoder(), decoder = new TextDecoder();
const PUSH_MAX = 65536;
let wasm;

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
const count = n => n.toLocaleString('en');

/* The module. */

async function unpack(base64) {
  const packed = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
const textAt = (start, size) => decoder.decode(new Uint8Array(wasm.memory.buffer, start, size));
function cString(start) {
  const bytes = new Uint8Array(wasm.memory.buffer, start);
  return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
}
function push(bytes) {
  new Uint8Array(wasm.memory.buffer).set(bytes, wasm.pushed());
  wasm.push(bytes.length);
}

/* The shape whose events fit best; the number after the last shape stands for record lines. */
function fittingShape(bytes, status) {
  let best = 0, most = 0;
  for (let shape = 0; shape <= wasm.shapes(); shape++) {
    wasm.open(shape, status);
    for (let at = 0; at < bytes.length; at += PUSH_MAX) { push(bytes.subarray(at, at + PUSH_MAX)); wasm.clear(); }
    wasm.finish();
    if (wasm.fit() > most) { most = wasm.fit(); best = shape; }
  }
  return best;
}

/* What is shown: a recording, how far it was pushed, and what came of it. */

const now = { bytes: new Uint8Array(0), shape: 0, at: 0, lastPush: 0, ended: false, lines: [], rows: [], calls: new Map(), memory: [] };

const pieceSize = () => 2 ** Number($('piece').value);

function begin() {
  wasm.open(now.shape, Number($('status').value) || 0);
  Object.assign(now, { at: 0, lastPush: 0, ended: false, lines: [], rows: [], memory: [], calls: new Map() });
}

/* A chunk that adds nothing but its text continues the row of its item. */
function continues(row, event) {
  const isPlain = e => e.chunk !== undefined && e.metadata === undefined && e.caption === undefined;
  return row && isPlain(row.event) && isPlain(event) &&
    ['eventType', 'index', 'choice', 'type', 'hosted'].every(key => row.event[key] === event[key]);
}

function takeLine(line) {
  const event = JSON.parse(line), row = now.rows[now.rows.length - 1];
  now.lines.push(line);
  if (continues(row, event)) row.chunks.push(event.chunk);
  else now.rows.push({ event, at: now.at, chunks: event.chunk === undefined ? [] : [event.chunk] });
  if (event.chunk) now.rows[now.rows.length - 1].last = now.at;
  if (event.eventType === 'ToolCallStart' || event.eventType === 'Flush' || isEnd(event)) announce(event);
}
const isEnd = event => event.eventType === 'ChatCompleted' || event.eventType === 'Error';

function takeOutput() {
  if (wasm.lines_size() > 0)
    for (const line of textAt(wasm.lines(), wasm.lines_size()).split('\n')) if (line) takeLine(line);
  if (wasm.calls_size() > 0) takeCalls();
  wasm.clear();
}
function takeCalls() {
  for (const line of textAt(wasm.calls(), wasm.calls_size()).split('\n'))
    if (line) { const call = JSON.parse(line); now.calls.set(call.index, call); }
}

function pushTo(end) {
  now.lastPush = now.at;
  const bytes = now.bytes.subarray(now.at, end);
  now.at = end;
  push(bytes);
  takeOutput();
}

function finish() {
  if (now.ended) return;
  now.ended = true;
  wasm.finish();
  takeOutput();
}

/* Pushes until so many bytes arrived. Bytes do not go back, so that an earlier cut begins again. */
function moveTo(target) {
  const piece = pieceSize(), isBroken = $('broken').checked;
  if (target < now.at || now.ended) begin();
  while (now.at < target) pushTo(Math.min(target, now.at - now.at % piece + piece));
  if (isBroken || now.at === now.bytes.length) finish();
  wasm.calls();
  if (wasm.calls_size() > 0) takeCalls();
  wasm.clear();
  rememberMemory();
  draw();
}

function rememberMemory() {
  const last = now.memory[now.memory.length - 1];
  const sample = { at: now.at, used: wasm.used() };
  if (last && last.at === sample.at) now.memory.pop();
  now.memory.push(sample);
}

/* Memory is sampled at some 200 places, also if the cut jumps. */
function goTo(target) {
  const step = Math.max(1, Math.ceil(now.bytes.length / 200));
  if (target < now.at || now.ended) begin();
  const piece = pieceSize();
  for (let at = now.at + step - now.at % step; at < target; at += step) {
    while (now.at + piece <= at) pushTo(now.at - now.at % piece + piece);
    rememberMemory();
  }
  moveTo(target);
}

/* Playing. */

const SPEEDS = [50, 150, 400, 1000, 2500, 8000, 30000, 120000, Infinity];
const play = { isOn: false, before: 0, owed: 0 };

/* One step of so many milliseconds: whole pushes, as many as their time has come. */
function playFor(milliseconds) {
  const speed = SPEEDS[$('speed').value], piece = pieceSize();
  play.owed += speed * milliseconds / 1000;
  const whole = Math.min(now.bytes.length, now.at - now.at % piece + Math.floor(Math.min(play.owed, 2 ** 40) / piece) * piece);
  if (whole > now.at) {
    play.owed = speed === Infinity ? 0 : play.owed - (whole - now.at);
    moveTo(whole);
  }
  if (now.at === now.bytes.length) setPlaying(false);
}
function frame(time) {
  if (!play.isOn) return;
  playFor(Math.min(100, time - play.before));
  play.before = time;
  requestAnimationFrame(frame);
}
function setPlaying(isOn) {
  if (isOn && now.at === now.bytes.length) { begin(); draw(); }
  if (isOn) $('broken').checked = false;
  if (isOn && now.ended) begin();
  if (isOn && !play.isOn) requestAnimationFrame(time => { play.before = time; play.owed = 0; frame(time); });
  play.isOn = isOn;
  $('play-label').textContent = isOn ? 'Stop' : 'Play';
  $('play-icon').setAttribute('d', isOn ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M4 2.5v11l9-5.5z');
}

/* Bytes: segments of at most 256, cut between characters; those at the cut are drawn again. */

const wire = { segments: [], from: 0, to: 0, cut: null };
const isInside = byte => (byte & 0xC0) === 0x80;

function segmentEnd(start, lineEnd) {
  let end = Math.min(lineEnd, start + 256);
  for (let back = 0; end < lineEnd && back < 4 && isInside(now.bytes[end]); back++) end--;
  return end;
}
function drawBytes() {
  const lines = document.createDocumentFragment(), size = now.bytes.length;
  wire.segments = [];
  for (let at = 0; at < size;) {
    const found = now.bytes.indexOf(10, at), lineEnd = found < 0 ? size : found + 1;
    const line = element('div', 'line');
    for (; at < lineEnd; at = wire.segments[wire.segments.length - 1].end) {
      const node = element('span', 'later'), end = segmentEnd(at, lineEnd);
      wire.segments.push({ start: at, end, node, state: '' });
      line.append(node);
    }
    lines.append(line);
  }
  $('wire').replaceChildren(lines);
  wire.from = 0; wire.to = wire.segments.length;
}
function visible(bytes) {
  return decoder.decode(bytes).replace(/\r/g, '␍').replace(/\n$/, '');
}
/* A character that is cut is shown as its bytes. */
function addBytes(node, start, end, className) {
  let from = start, to = end;
  const hex = (at, stop) => { for (; at < stop; at++) node.append(element('span', className + ' hex', now.bytes[at].toString(16).toUpperCase().padStart(2, '0'))); };
  while (from < to && isInside(now.bytes[from])) from++;
  let lead = to;
  while (lead > from && to - lead < 4 && isInside(now.bytes[lead - 1])) lead--;
  if (to < now.bytes.length && isInside(now.bytes[to]) && lead > from) to = lead - 1;
  hex(start, from);
  if (to > from) node.append(element('span', className, visible(now.bytes.subarray(from, to))));
  hex(to, end);
}
function drawSegment(segment) {
  const { start, end, node } = segment, fresh = Math.max(start, Math.min(end, now.lastPush)), cut = Math.max(start, Math.min(end, now.at));
  const hasCut = now.at > start && now.at <= end || now.at === 0 && start === 0;
  const state = start >= now.at && !hasCut ? 'later' : end <= now.lastPush && !hasCut ? 'here' : 'mixed';
  if (state !== 'mixed' && segment.state === state) return;
  segment.state = state;
  node.className = state === 'later' ? 'later' : '';
  if (state !== 'mixed') { node.textContent = visible(now.bytes.subarray(start, end)); return; }
  node.replaceChildren();
  if (fresh > start) addBytes(node, start, fresh, '');
  if (cut > fresh) addBytes(node, fresh, cut, 'fresh');
  if (hasCut) node.append(wire.cut = element('span', 'cut'));
  if (end > cut) addBytes(node, cut, end, 'later');
}
/* The first segment that ends after this byte. */
function segmentAt(byte) {
  let low = 0, high = wire.segments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (wire.segments[middle].end > byte) high = middle; else low = middle + 1;
  }
  return low;
}
function drawCut() {
  const from = segmentAt(Math.min(now.lastPush, Math.max(0, now.at - 1))), to = segmentAt(now.at) + 1;
  wire.cut = null;
  for (let i = Math.min(from, wire.from); i < Math.max(to, wire.to) && i < wire.segments.length; i++) drawSegment(wire.segments[i]);
  wire.from = Math.max(0, from - 1); wire.to = to;
  keepInView($('wire'), wire.cut);
}
function keepInView(panel, node) {
  if (!node) return;
  const box = panel.getBoundingClientRect(), place = node.getBoundingClientRect();
  if (place.top < box.top + 20 || place.bottom > box.bottom - 40) panel.scrollTop += place.top - box.top - box.height * .62;
}

/* The byte between two characters of a segment, for a click on it. */
function byteOf(segment, node, offset) {
  const before = document.createRange();
  before.setStart(segment.node, 0);
  before.setEnd(node, offset);
  const holder = element('span');
  holder.append(before.cloneContents());
  let at = segment.start;
  for (const part of holder.querySelectorAll('.hex')) { at += part.textContent.length > 1 ? 1 : 0; part.remove(); }
  for (const c of holder.textContent) at += c === '␍' && now.bytes[at] === 13 ? 1 : encoder.encode(c).length;
  return Math.min(at, segment.end);
}
function cutAtClick(event) {
  if (getSelection().toString()) return;
  const place = document.caretPositionFromPoint ? document.caretPositionFromPoint(event.clientX, event.clientY) : null;
  const range = place ? null : document.caretRangeFromPoint && document.caretRangeFromPoint(event.clientX, event.clientY);
  const node = place ? place.offsetNode : range && range.startContainer, offset = place ? place.offset : range && range.startOffset;
  const segment = node && wire.segments.find(s => s.node.contains(node));
  if (segment) { setPlaying(false); goTo(byteOf(segment, node, offset)); }
}

/* Events. */

const KINDS = {
  PartialThinking: ['reasoning', 'reasoning'], PartialResponse: ['text', 'message'], PartialStructured: ['JSON', 'structured'],
  ToolCallStart: ['call', 'call'], ToolCallArguments: ['arguments', 'argument'], PartialProviderItem: ['provider', 'item'],
  Flush: ['over', 'over'], ResponseMetadata: ['about', 'about'], ChatCompleted: ['finished', 'finished'], Error: ['error', 'error']
};

function metaText(metadata) {
  return Object.entries(metadata).map(([key, value]) => key + ' ' + JSON.stringify(value)).join('   ');
}
function rowText(event) {
  switch (event.eventType) {
  case 'ToolCallStart': return event.toolName + '   ' + event.id;
  case 'Flush': return 'nothing more comes for this item';
  case 'ResponseMetadata': return 'the response itself';
  case 'ChatCompleted': return event.finishReason;
  case 'Error': return event.kind + ': ' + event.message;
  case 'PartialProviderItem': return (event.type || '') + (event.caption ? '   ' + event.caption : '') + '\n';
  default: return KINDS[event.eventType] || event.chunk !== undefined ? '' : JSON.stringify(event);
  }
}
function makeRow(row) {
  const { event } = row, [name, className] = KINDS[event.eventType] || [event.eventType || 'line', 'about'];
  const node = element('li', className), kind = element('span', 'kind', name), said = element('div', 'said', rowText(event));
  if (event.index !== undefined) kind.append(element('small', '', '#' + event.index));
  node.dataset.type = event.eventType;
  const at = element('button', 'at', '@' + count(row.at));
  at.type = 'button';
  at.title = 'Cut where this came: byte ' + count(row.at);
  at.setAttribute('aria-label', 'Cut where this came, byte ' + count(row.at));
  at.onclick = () => { setPlaying(false); goTo(row.at); };
  node.append(kind, said, at);
  if (event.metadata) said.append(element('span', 'meta', metaText(event.metadata)));
  Object.assign(row, { node, said, drawn: 0 });
}
function drawRows() {
  const list = $('row-list'), panel = $('rows'), isAtEnd = panel.scrollTop + panel.clientHeight >= panel.scrollHeight - 120;
  while (list.children.length > now.rows.length || list.lastChild && list.lastChild !== (now.rows[list.children.length - 1] || {}).node) list.lastChild.remove();
  for (let i = Math.max(0, list.children.length - 1); i < now.rows.length; i++) {
    const row = now.rows[i];
    if (!row.node) { makeRow(row); list.append(row.node); }
    for (; row.drawn < row.chunks.length; row.drawn++)
      if (row.chunks[row.drawn]) row.said.insertBefore(element('span', '', row.chunks[row.drawn]), row.said.querySelector('.meta'));
  }
  drawFresh(now.rows[now.rows.length - 1]);
  if (isAtEnd) panel.scrollTop = panel.scrollHeight;
  if (!$('lines').hidden) drawLines();
}
/* The text that the last push brought. */
function drawFresh(row) {
  for (const node of $('row-list').querySelectorAll('.fresh')) node.className = '';
  const chunks = row && row.last === now.at ? row.said.querySelectorAll('span:not(.meta)') : [];
  if (chunks.length) chunks[chunks.length - 1].className = 'fresh';
}
function drawLines() {
  const panel = $('lines'), isAtEnd = panel.scrollTop + panel.clientHeight >= panel.scrollHeight - 120;
  panel.textContent = now.lines.map(line => line + '\n').join('');
  if (isAtEnd) panel.scrollTop = panel.scrollHeight;
}

/* The end: exactly one. */

function usageText(usage) {
  const said = [];
  for (const [key, word] of [['input', 'in'], ['output', 'out'], ['cached', 'from a cache'], ['reasoning', 'of reasoning']])
    if (usage && usage[key] >= 0) said.push(count(usage[key]) + ' ' + word);
  return said.length ? 'Tokens: ' + said.join(', ') + '.' : '';
}
function errorText(event) {
  const said = [event.retryable ? 'The same request may succeed later' + (event.retryAfterMs >= 0 ? ', in ' + event.retryAfterMs / 1000 + ' s.' : '.')
    : 'The same request would fail again.'];
  if (event.httpStatus) said.push('HTTP ' + event.httpStatus + '.');
  if (event.code) said.push('Code ' + event.code + '.');
  if (event.offset !== undefined) said.push('At byte ' + count(event.offset) + '.');
  return said.join(' ');
}
function drawEnd() {
  const end = $('end'), row = now.rows[now.rows.length - 1], event = row && isEnd(row.event) ? row.event : null;
  const key = event ? now.lines[now.lines.length - 1] : now.at > 0 ? 'open' : 'none';
  if (end.dataset.key === key) return;
  end.dataset.key = key;
  end.className = 'end ' + (!event ? 'waiting' : event.eventType === 'Error' ? 'bad' : 'good');
  if (!event) { end.replaceChildren(element('p', '', now.at > 0 ? 'The response is still open.' : 'Nothing has arrived yet.'), element('p', 'more', 'There will be exactly one end.')); return; }
  if (event.eventType === 'Error') end.replaceChildren(element('strong', '', 'Error: ' + event.kind), element('p', '', event.message), element('p', 'more', errorText(event)));
  else end.replaceChildren(element('strong', '', 'Finished: ' + event.finishReason), element('p', 'more', usageText(event.usage) || 'No usage was reported.'));
}

/* Tool calls: a card each, a tree in it that is changed and not made again. */

const STATES = { open: 'being written', complete: 'complete', cut_off: 'cut off: do not run', malformed: 'no JSON: do not run' };

function makeCard(index) {
  const node = element('article', 'card'), head = element('h3'), name = element('span'), id = element('small'), state = element('span', 'state');
  const tree = element('ul', 'tree');
  head.append(name, id, state);
  node.append(head, tree);
  node.dataset.index = index;
  return Object.assign(node, { parts: { name, id, state, tree } });
}
function setText(node, text) {
  if (node.textContent === text) return;
  const only = node.firstChild;
  if (only && text.startsWith(only.data)) only.appendData(text.slice(only.data.length));
  else node.textContent = text;
}
function makeBranch(value) {
  const node = element('li'), key = element('span', 'key', value.key === null ? '' : String(value.key)), text = element('span', 'value'), mark = element('span', 'mark'), list = element('ul');
  const said = element('span');
  text.append(said, mark);
  if (value.key !== null) node.append(key);
  node.append(text);
  if (value.items) node.append(list);
  return Object.assign(node, { parts: { said, mark, list }, state: '' });
}
function summary(value) {
  const [open, close] = value.type === 'object' ? '{}' : '[]';
  return value.items.length ? open + value.items.length + close : open + close;
}
function drawMark(node, state, isLeaf) {
  const { mark } = node.parts, say = state === 'cut' ? 'cut off' : '';
  mark.hidden = state === 'complete' || state === 'open' && !isLeaf;
  mark.className = 'mark ' + state;
  mark.replaceChildren(state === 'open' ? element('span', 'hidden', ' still being written') : say);
}
function drawBranch(node, value) {
  const { said, list } = node.parts;
  node.className = value.type + (value.type === 'string' && value.text.includes('\n') ? ' block' : '');
  setText(said, value.items ? summary(value) : value.type === 'string' ? '"' + value.text + (value.state === 'complete' ? '"' : '') : value.text);
  if (node.state !== value.state) drawMark(node, node.state = value.state, !value.items || value.items.length === 0);
  if (value.items) {
    if (value.state === 'open') drawMark(node, value.state, value.items.length === 0);
    drawBranches(list, value.items);
  }
}
function drawBranches(list, values) {
  while (list.children.length > values.length) list.lastChild.remove();
  values.forEach((value, i) => {
    let node = list.children[i];
    if (!node || node.kind !== value.type || node.key !== value.key) {
      const made = Object.assign(makeBranch(value), { kind: value.type, key: value.key });
      if (node) node.replaceWith(made); else list.append(made);
      node = made;
    }
    drawBranch(node, value);
  });
}
function drawCard(card, call) {
  const { name, id, state, tree } = card.parts;
  card.dataset.state = call.state;
  setText(name, call.name);
  setText(id, call.id);
  setText(state, STATES[call.state] || call.state);
  if (call.arguments) drawBranches(tree, [call.arguments]);
  else tree.replaceChildren(element('li', 'nothing', 'no arguments yet'));
}
function drawCalls() {
  const panel = $('cards'), isAtEnd = panel.scrollTop + panel.clientHeight >= panel.scrollHeight - 120;
  const calls = [...now.calls.values()].sort((a, b) => a.index - b.index);
  for (const card of [...panel.children]) if (!now.calls.has(Number(card.dataset.index))) card.remove();
  for (const call of calls) {
    let card = panel.querySelector(`.card[data-index="${call.index}"]`);
    if (card && card.shown === call) continue;
    if (!card) { card = makeCard(call.index); panel.append(card); }
    card.shown = call;
    drawCard(card, call);
  }
  if (calls.length === 0) panel.replaceChildren(element('p', 'nothing', 'None so far.'));
  if (isAtEnd) panel.scrollTop = panel.scrollHeight;
}

function drawMemory() {
  const size = now.bytes.length || 1, peak = Math.max(1, wasm.peak()), last = now.memory[now.memory.length - 1] || { at: 0, used: 0 };
  const x = sample => (sample.at / size * 300).toFixed(1), y = used => (39 - used / peak * 36).toFixed(1);
  let path = 'M0 39';
  for (const sample of now.memory) path += `H${x(sample)}V${y(sample.used)}`;
  $('memory-chart').children[0].setAttribute('d', path + `V39Z`);
  $('memory-chart').children[1].setAttribute('d', path);
  $('memory-text').textContent = `${count(last.used)} bytes, at most ${count(wasm.peak())}; its struct ${count(wasm.turn_size())}`;
}

function draw() {
  const size = now.bytes.length, position = $('position');
  position.max = size;
  position.value = now.at;
  $('position-text').textContent = `${count(now.at)} of ${count(size)} bytes`;
  position.setAttribute('aria-valuetext', $('position-text').textContent);
  drawCut();
  drawEnd();
  drawRows();
  drawCalls();
  drawMemory();
}

/* For screen readers: what begins and ends, not each piece of text. */

const saying = { words: [], timer: 0 };
function announce(event) {
  saying.words.push(event.eventType === 'ToolCallStart' ? `Tool call ${event.toolName} begins` :
    event.eventType === 'Flush' ? `Item ${event.index} is over` :
    event.eventType === 'Error' ? `The end: error ${event.kind}. ${event.message}` : `The end: finished, ${event.finishReason}`);
  saying.timer = saying.timer || setTimeout(() => {
    $('said').textContent = saying.words.slice(-3).join('. ');
    saying.words = []; saying.timer = 0;
  }, 700);
}

/* Recordings. */

function drawSettings() {
  const speed = SPEEDS[$('speed').value], piece = pieceSize();
  $('speed-text').textContent = speed === Infinity ? 'at once' : speed < 1000 ? `${speed} bytes/s` : `${speed / 1000} KB/s`;
  $('piece-text').textContent = piece === 1 ? '1 byte' : piece < 1024 ? `${piece} bytes` : `${piece / 1024} KB`;
  for (const id of ['speed', 'piece']) $(id).setAttribute('aria-valuetext', $(id + '-text').textContent);
}
function openBytes(bytes, shape, status, at) {
  setPlaying(false);
  now.bytes = bytes;
  if (status !== undefined) $('status').value = status;
  $('shape').options[0].textContent = 'found by trying';
  if (shape === 'auto') {
    now.shape = fittingShape(bytes, Number($('status').value) || 0);
    $('shape').options[0].textContent = `found: ${$('shape').options[now.shape + 1].textContent}`;
  } else now.shape = Number(shape);
  $('shape').value = shape;
  $('broken').checked = false;
  begin();
  $('cards').replaceChildren();
  drawBytes();
  goTo(Math.floor(bytes.length * at));
}
function openOwn(bytes, name) {
  const choice = $('recording');
  let option = choice.querySelector('option[value=own]');
  if (!option) { option = new Option('', 'own'); choice.prepend(option); }
  option.textContent = name;
  option.bytes = bytes;
  choice.value = 'own';
  openBytes(bytes, 'auto', undefined, 1);
}
const openFile = async file => file && openOwn(new Uint8Array(await file.arrayBuffer()), file.name);

async function openChosen() {
  const option = $('recording').selectedOptions[0], own = option.bytes;
  if (own) return openBytes(own, 'auto', undefined, 1);
  const recording = RECORDINGS[Number(option.value)];
  openBytes(await unpack(recording.data), String(recording.shape), recording.status, recording.at);
}

/* Controls. */

function showTab(id) {
  for (const name of ['rows', 'lines']) {
    const tab = $('tab-' + name), isShown = name === id;
    tab.setAttribute('aria-selected', isShown);
    tab.tabIndex = isShown ? 0 : -1;
    $(name).hidden = !isShown;
  }
  if (id === 'lines') drawLines();
}
function onKey(event) {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || $('paste-dialog').open || target.closest('select, textarea, input[type=number]')) return;
  const moves = { ',': -1, '.': 1, '[': -pieceSize(), ']': pieceSize() };
  if (event.key === ' ' && !target.closest('button, input')) { event.preventDefault(); setPlaying(!play.isOn); }
  else if (moves[event.key]) { setPlaying(false); goTo(Math.max(0, Math.min(now.bytes.length, now.at + moves[event.key]))); }
}
function onTabKey(event) {
  if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
  const id = $('lines').hidden ? 'lines' : 'rows';
  showTab(id);
  $('tab-' + id).focus();
}
function connect() {
  $('recording').onchange = openChosen;
  $('shape').onchange = () => openBytes(now.bytes, $('shape').value, undefined, 1);
  $('status').onchange = () => openBytes(now.bytes, $('shape').value, undefined, 1);
  $('open').onclick = () => $('file').click();
  $('file').onchange = () => { openFile($('file').files[0]); $('file').value = ''; };
  $('paste').onclick = () => { $('paste-text').value = ''; $('paste-dialog').showModal(); };
  $('paste-dialog').onclose = () => {
    if ($('paste-dialog').returnValue === 'open' && $('paste-text').value) openOwn(encoder.encode($('paste-text').value), 'pasted');
  };
  $('play').onclick = () => setPlaying(!play.isOn);
  $('position').oninput = () => { setPlaying(false); goTo(Number($('position').value)); };
  $('piece').oninput = () => { const { at } = now; drawSettings(); begin(); goTo(at); };
  $('speed').oninput = drawSettings;
  $('broken').onchange = () => { setPlaying(false); const { at } = now; begin(); goTo(at); };
  $('tab-rows').onclick = () => showTab('rows');
  $('tab-lines').onclick = () => showTab('lines');
  document.querySelector('.tabs').onkeydown = onTabKey;
  $('wire').onclick = cutAtClick;
  document.onkeydown = onKey;
  document.onpaste = event => {
    const text = event.clipboardData.getData('text');
    if (text && !event.target.closest('textarea, input')) { event.preventDefault(); openOwn(encoder.encode(text), 'pasted'); }
  };
  document.ondragover = event => { event.preventDefault(); document.body.classList.add('dropping'); };
  document.ondragleave = event => { if (!event.relatedTarget) document.body.classList.remove('dropping'); };
  document.ondrop = event => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    const file = event.dataTransfer.files[0], text = event.dataTransfer.getData('text');
    if (file) openFile(file); else if (text) openOwn(encoder.encode(text), 'dropped');
  };
}

async function start() {
  wasm = (await WebAssembly.instantiate(await unpack(MODULE))).instance.exports;
  const shapes = $('shape');
  shapes.append(new Option('found by trying', 'auto'));
  for (let i = 0; i < wasm.shapes(); i++) shapes.append(new Option(cString(wasm.shape_name(i)), i));
  shapes.append(new Option('record lines', wasm.shapes()));
  for (const recording of RECORDINGS) recording.shape = [...shapes.options].find(o => o.textContent === recording.shape).value;
  RECORDINGS.forEach((recording, i) => $('recording').append(new Option(recording.name, i)));
  connect();
  drawSettings();
  await openChosen();
  document.documentElement.dataset.ready = '1';
}
start().catch(error => {
  $('trouble').hidden = false;
  $('trouble').textContent = 'This page needs a browser of 2023 or later, with WebAssembly: ' + error.message;
});
