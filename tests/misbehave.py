"""An HTTP server on this machine that plays one event stream well and badly, for tests of clients.

    misbehave.py FILE      prints the port; the path says how, as in POST /pieces/7. FILE has to be text

A path that begins with /once misbehaves on its first request only; /log returns how often each path was asked for.
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

BODY = open(sys.argv[1], "rb").read()
PAGE = b"<html>\r\n<head><title>503 Service Temporarily Unavailable</title></head>\r\n<body>nginx</body>\r\n</html>\r\n"
REFUSAL = b'{"error":{"message":"%s","type":"%s","code":"%s"}}'

asked = collections.Counter()
lock = threading.Lock()


def head(status, *headers):
    return ("\r\n".join(("HTTP/1.1 " + status,) + headers) + "\r\n\r\n").encode()


def fixed(status, body, *headers):
    return head(status, "Content-Length: %d" % len(body), *headers) + body


def chunks(data, sizes):
    at = 0
    while at < len(data):
        piece = data[at : at + next(sizes)]
        at += len(piece)
        yield b"%x\r\n%s\r\n" % (len(piece), piece)


def every(size):
    while True:
        yield size


def at_random(seed):
    chance = random.Random(seed)
    while True:
        yield chance.choice((1, 2, 3, 16, 100, 1000))


STREAM = ("Content-Type: text/event-stream", "Transfer-Encoding: chunked")


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
        try:
            getattr(self, "do_" + words[0])(*words[1:])
        except (BrokenPipeError, ConnectionResetError):
            pass

    def send(self, data):
        self.wfile.write(data)
        self.wfile.flush()

    def stream(self, data, sizes, *headers):
        self.send(head("200 OK", *(STREAM + headers)))
        for piece in chunks(data, sizes):
            self.send(piece)
        self.send(b"0\r\n\r\n")

    def do_pieces(self, size):
        self.stream(BODY, every(int(size)))

    def do_random(self, seed):
        self.stream(BODY, at_random(int(seed)))

    def do_drip(self):
        self.send(head("200 OK", *STREAM))
        for at, piece in enumerate(chunks(BODY, every(len(BODY) // 40 + 1))):
            self.send(piece)
            time.sleep(0.02)
        self.send(b"0\r\n\r\n")

    def do_gzip(self):
        self.stream(gzip.compress(BODY), every(33), "Content-Encoding: gzip")

    def do_length(self):
        self.send(fixed("200 OK", BODY))

    def do_old(self):
        self.send(b"HTTP/1.0 200 OK\r\n\r\n" + BODY)

    def do_cut(self, size):
        self.send(head("200 OK", *STREAM) + b"".join(chunks(BODY[: int(size)], every(50))))

    def do_reset(self):
        self.do_cut(len(BODY) // 2)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        time.sleep(0.1)
        self.connection.close()

    def do_stall(self):
        self.do_cut(len(BODY) // 2)
        time.sleep(20)

    def do_open(self):
        """All of the stream, but the connection stays open."""
        self.send(head("200 OK", *STREAM) + b"".join(chunks(BODY, every(100))))
        time.sleep(20)

    def do_rate(self):
        body = REFUSAL % (b"slow down", b"requests", b"rate_limit_exceeded")
        self.send(fixed("429 Too Many Requests", body, "Retry-After-Ms: 10"))

    def do_hints(self):
        body = REFUSAL % (b"no", b"server_error", b"x")
        self.send(head("103 Early Hints", "Retry-After: 99", "x-should-retry: false") + fixed("500 No", body, "Retry-After-Ms: 10"))

    def do_page(self):
        self.send(fixed("503 Service Unavailable", PAGE, "Retry-After: 0"))

    def do_key(self):
        self.send(fixed("401 Unauthorized", REFUSAL % (b"no such key", b"authentication_error", b"invalid_api_key")))

    def do_large(self, megabytes):
        self.send(head("200 OK", *STREAM))
        frame = b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n' % (b"word " * 100)
        piece = b"%x\r\n%s\r\n" % (len(frame) * 100, frame * 100)
        for at in range(int(megabytes) * 1000000 // len(piece) + 1):
            self.send(piece)
        for last in chunks(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n', every(1000)):
            self.send(last)
        self.send(b"0\r\n\r\n")

    def do_log(self):
        self.send(fixed("200 OK", "".join("%d %s\n" % (n, path) for path, n in sorted(asked.items())).encode()))


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 100


with Server(("127.0.0.1", 0), Client) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
