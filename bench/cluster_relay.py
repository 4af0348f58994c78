#!/usr/bin/env python3
"""A wire between two network namespaces with a delay and a speed, which counts the bytes that go over it.

   cluster_relay.py A B --delay MILLISECONDS --speed MEGABYTES_PER_SECOND

Makes a device `wire` in each namespace, with the addresses 10.77.0.1 and 10.77.0.2, and passes packets on until it is
told to end (SIGTERM). Then prints, as JSON, the bytes and packets in each direction. Needs root and /dev/net/tun.
"""
import argparse
import collections
import ctypes
import fcntl
import json
import os
import select
import signal
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
CLONE_NEWNET = 0x40000000
MTU = 60000  # few large packets: Python must keep up
libc = ctypes.CDLL(None, use_errno=True)


def open_device(namespace, address):
    """The end of the wire in a namespace, as a file of packets."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open("/var/run/netns/" + namespace, os.O_RDONLY)
    if libc.setns(there, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "cannot enter the namespace " + namespace)
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"wire", IFF_TUN | IFF_NO_PI))
    libc.setns(home, CLONE_NEWNET)
    os.close(home)
    os.close(there)
    inside = ["ip", "-n", namespace]
    subprocess.run(inside + ["addr", "add", address + "/24", "dev", "wire"], check=True)
    subprocess.run(inside + ["link", "set", "wire", "mtu", str(MTU), "txqueuelen", "4000", "up"], check=True)
    subprocess.run(inside + ["link", "set", "lo", "up"], check=True)
    return device


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--delay", type=float, default=0, help="milliseconds one way")
    parser.add_argument("--speed", type=float, default=125, help="megabytes per second in each direction")
    args = parser.parse_args()
    delay, seconds_a_byte = args.delay / 1000, 1e-6 / args.speed
    ends = [open_device(args.a, "10.77.0.1"), open_device(args.b, "10.77.0.2")]
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    print("ready", flush=True)
    waiting = [collections.deque(), collections.deque()]  # by the end they come from: (when due, packet)
    free_at = [0.0, 0.0]
    bytes_sent, packets = [0, 0], [0, 0]
    while not ended:
        now = time.monotonic()
        due = [queue[0][0] for queue in waiting if queue]
        timeout = max(0.0, min(due) - now) if due else 0.2
        try:
            readable, _, _ = select.select(ends, [], [], timeout)
        except InterruptedError:
            continue
        now = time.monotonic()
        for end in readable:
            side = ends.index(end)
            for _ in range(64):
                try:
                    packet = os.read(end, MTU + 100)
                except BlockingIOError:
                    break
                free_at[side] = max(free_at[side], now) + len(packet) * seconds_a_byte
                waiting[side].append((free_at[side] + delay, packet))
                bytes_sent[side] += len(packet)
                packets[side] += 1
        now = time.monotonic()
        for side, queue in enumerate(waiting):
            while queue and queue[0][0] <= now:
                try:
                    os.write(ends[1 - side], queue[0][1])
                except BlockingIOError:
                    break
                queue.popleft()
    json.dump({"bytes_from_a": bytes_sent[0], "bytes_from_b": bytes_sent[1], "packets_from_a": packets[0],
               "packets_from_b": packets[1]}, sys.stdout)
    print(flush=True)


if __name__ == "__main__":
    main()
