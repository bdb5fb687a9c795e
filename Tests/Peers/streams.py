#!/usr/bin/env python3
"""Opens event streams, and waits until the server ends all of them.

Prints the number of open streams once each has begun, then, when all have ended, how many ended in order: with the last
chunk of an HTTP body. Another line of input in between is not needed.

Example: streams.py 8080 10000 TOKEN TOKEN …
"""

import resource
import selectors
import socket
import sys

port, count, tokens = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
resource.setrlimit(resource.RLIMIT_NOFILE, (count + 100, count + 100))
selector = selectors.DefaultSelector()
received = {}


def read(wanted):
    """Reads until a number of streams fulfil a condition."""
    while sum(1 for state in received.values() if wanted(state)) < count:
        for key, _ in selector.select():
            data = key.fileobj.recv(65536)
            state = received[key.fileobj]
            if data:
                state["tail"] = (state["tail"] + data)[-2000:]
                if b"200 OK" in state["tail"]:
                    state["begun"] = True
            else:
                state["ended"] = True
                selector.unregister(key.fileobj)


for number in range(count):
    connection = socket.create_connection(("127.0.0.1", port))
    token = tokens[number % len(tokens)]
    connection.sendall(
        f"GET /v1/me/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    )
    received[connection] = {"tail": b"", "begun": False, "ended": False}
    selector.register(connection, selectors.EVENT_READ)
read(lambda state: state["begun"])
print(count, flush=True)
read(lambda state: state["ended"])
print(sum(1 for state in received.values() if state["tail"].endswith(b"0\r\n\r\n")), flush=True)
