"""An HTTP server on this machine that plays one event stream well and badly, for tests of clients.

    misbehave.py FILE      prints the port; the path says how, as in POST /pieces/7. FILE has to be text

A path that begins with /once misbehaves on its first request only. What comes then may have /gzip, /old (HTTP/1.0: the body ends
with the connection) or /length before it, as in /once/gzip/cut/100; else bodies come in chunks, and refusals with their length.
"""

import collections
import gzip
import random
import re
import socket
import socketserver
import struct
import sys
import threading
import time
import zlib

BODY = open(sys.argv[1], "rb").read()
PAGE = b"<html>\r\n<head><title>503 Service Temporarily Unavailable</title></head>\r\n<body>nginx</body>\r\n</html>\r\n"
REFUSAL = b'{"error":{"message":"%s","type":"%s","code":"%s"}}'

asked = collections.Counter()
lock = threading.Lock()


def head(status, *headers):
    return ("\r\n".join(("HTTP/1.1 " + status,) + headers) + "\r\n\r\n").encode()


def pieces(data, sizes):
    at = 0
    while at < len(data):
        piece = data[at : at + next(sizes)]
        at += len(piece)
        yield piece


def every(size):
    while True:
        yield size


def at_random(seed):
    chance = random.Random(seed)
    while True:
        yield chance.choice((1, 2, 3, 16, 100, 1000))


class Client(socketserver.StreamRequestHandler):
    def handle(self):
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line = self.rfile.readline().split()
        size = 0
        while (header := self.rfile.readline()) not in (b"\r\n", b""):
            found = re.match(rb"content-length: *(\d+)", header, re.I)
            size = int(found.group(1)) if found else size
        self.rfile.read(size)
        path = line[1].decode()
        with lock:
            asked[path] += 1
            count = asked[path]
        words = path.strip("/").split("/")
        if words[0] == "once":
            words = words[1:] if count == 1 else ["pieces", "100"]
        self.transfer = words.pop(0) if words[0] in ("gzip", "old", "length") else ""
        try:
            getattr(self, "do_" + words[0])(*words[1:])
        except (BrokenPipeError, ConnectionResetError):
            pass

    def send(self, data):
        self.wfile.write(data)
        self.wfile.flush()

    def body(self, data):
        """The bytes of a body as they go over the wire."""
        return gzip.compress(data) if self.transfer == "gzip" else data

    def start(self, status="200 OK", size=None, *headers):
        if self.transfer == "gzip":
            headers += ("Content-Encoding: gzip",)
        if self.transfer == "old":
            self.send(head(status, *headers).replace(b"HTTP/1.1", b"HTTP/1.0", 1))
        elif size is not None:
            self.send(head(status, "Content-Length: %d" % size, *headers))
        else:
            self.send(head(status, "Transfer-Encoding: chunked", *headers))
        self.in_chunks = self.transfer != "old" and size is None

    def give(self, piece):
        if piece:
            self.send(b"%x\r\n%s\r\n" % (len(piece), piece) if self.in_chunks else piece)

    def end(self):
        if self.in_chunks:
            self.send(b"0\r\n\r\n")

    def part(self, sizes, size=None, wait=0):
        """The stream, or its first bytes on the wire."""
        data = self.body(BODY)
        self.start("200 OK", len(data) if self.transfer == "length" else None, "Content-Type: text/event-stream")
        for piece in pieces(data[:size], sizes):
            self.give(piece)
            time.sleep(wait)

    def half(self):
        self.part(every(50), len(self.body(BODY)) // 2)

    def refuse(self, status, data, *headers):
        data = self.body(data)
        self.start(status, len(data), *headers)
        self.send(data)

    def do_pieces(self, size):
        self.part(every(int(size)))
        self.end()

    def do_random(self, seed):
        self.part(at_random(int(seed)))
        self.end()

    def do_drip(self):
        self.part(every(len(self.body(BODY)) // 40 + 1), None, 0.02)
        self.end()

    def do_cut(self, size):
        self.part(every(50), int(size))

    def do_reset(self):
        self.half()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        time.sleep(0.1)
        self.connection.close()

    def do_stall(self):
        self.half()
        time.sleep(20)

    def do_open(self):
        """All of the stream, but the connection stays open."""
        self.part(every(100))
        time.sleep(20)

    def do_rate(self):
        self.refuse("429 Too Many Requests", REFUSAL % (b"slow down", b"requests", b"rate_limit_exceeded"), "Retry-After-Ms: 10")

    def do_hints(self):
        self.send(head("103 Early Hints", "Retry-After: 99", "x-should-retry: false"))
        self.refuse("500 No", REFUSAL % (b"no", b"server_error", b"x"), "Retry-After-Ms: 10")

    def do_page(self):
        self.refuse("503 Service Unavailable", PAGE, "Retry-After: 0")

    def do_key(self):
        self.refuse("401 Unauthorized", REFUSAL % (b"no such key", b"authentication_error", b"invalid_api_key"))

    def do_large(self, megabytes):
        frame = b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n' % (b"word " * 100)
        packer = zlib.compressobj(wbits=31) if self.transfer == "gzip" else None
        pack = packer.compress if packer else bytes
        self.start()
        for at in range(int(megabytes) * 10000 // len(frame) + 1):
            self.give(pack(frame * 100))
        self.give(pack(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'))
        self.give(packer.flush() if packer else b"")
        self.end()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 100


with Server(("127.0.0.1", 0), Client) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
