"""`python -m workers.emulator --url http://127.0.0.1:8000 --seed 1`: an emulated rig that sends telemetry.

The device token is read from the environment (HYDRATWIN_DEVICE_TOKEN), never from the command line, where
every user of the host could read it.
"""

import argparse
import logging
import os
import secrets
import sys
import threading

import httpx
import numpy as np

from simcore import registry
from workers.emulator import sender
from workers.emulator.controller import CYCLE_S, Controller
from workers.emulator.driver import Driver
from workers.emulator.mqtt_sender import MqttSender
from workers.emulator.outbox import Outbox
from workers.emulator.rig import Rig
from workers.emulator.sensors import STUCK_AFTER, Sensors
from workers.shutdown import stop_event

KEEP_S = 600  # unacknowledged samples are kept this long
FAREWELL_S = 1.0  # time to deliver the last samples


def main() -> int:
    arguments = _parser().parse_args()
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s emulator: %(message)s", datefmt="%H:%M:%S"
    )
    logging.getLogger("httpx").setLevel(logging.WARNING)
    token = os.environ.get("HYDRATWIN_DEVICE_TOKEN", "")
    if not token:
        sys.stderr.write("emulator: set HYDRATWIN_DEVICE_TOKEN to the device's token\n")
        return 2
    outbox = Outbox(capacity=round(KEEP_S / CYCLE_S))
    try:
        post = _sender(arguments, token, outbox)
    except (httpx.InvalidURL, ValueError) as error:
        sys.stderr.write(f"emulator: --url {error}\n")
        return 2
    _run(post, outbox, arguments, stop_event())
    return 0


def _sender(arguments: argparse.Namespace, token: str, outbox: Outbox) -> sender.Sending:
    boot = secrets.token_hex(8)
    if arguments.transport == "mqtt":
        if not arguments.machine:
            raise ValueError("is given without --machine; --transport mqtt needs both")
        return MqttSender(arguments.url, arguments.machine, token, boot, outbox)
    return sender.Sender(sender.make_client(arguments.url), token, boot, outbox)


def _run(post: sender.Sending, outbox: Outbox, arguments: argparse.Namespace, done: threading.Event) -> None:
    rig = Rig()
    human, electronic = np.random.default_rng(arguments.seed).spawn(2)
    stuck_after = round(arguments.stuck_after / CYCLE_S)
    sensors = Sensors(rig.channels, electronic, arguments.stuck, stuck_after)
    controller = Controller(rig, Driver(human), sensors, outbox)
    sent = threading.Event()
    join = sender.start(post, sent)
    controller.run(done)
    outbox.wait_empty(FAREWELL_S)
    sent.set()
    join()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="emulator", description="Emulate a hydraulic rig that sends telemetry."
    )
    parser.add_argument(
        "--url",
        default="http://127.0.0.1:8000",
        help="address of the platform (http) or of the broker (mqtt)",
    )
    parser.add_argument(
        "--transport", choices=("http", "mqtt"), default="http", help="protocol (default: http)"
    )
    parser.add_argument(
        "--machine",
        default="",
        help="id of the machine, part of the MQTT topics; needed with --transport mqtt",
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed for the sensor noise and the driver")
    measured = [
        output.name for output in registry.get("four-bar-b").build().outputs if output.role == "sensor"
    ]
    parser.add_argument("--stuck", choices=measured, default="", help="sensor that gets stuck")
    parser.add_argument(
        "--stuck-after",
        type=float,
        default=STUCK_AFTER * CYCLE_S,
        metavar="S",
        help="time at which the sensor gets stuck, s",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
