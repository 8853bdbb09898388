"""The running platform that system tests share."""

from collections.abc import Iterator

import pytest

from tests.system.stack import Stack, running_stack


@pytest.fixture(scope="session")
def shared_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running_stack(tmp_path_factory.mktemp("stack")) as stack:
        yield stack


@pytest.fixture
def stack(shared_stack: Stack) -> Stack:
    """The platform with its machine at work and its twin synchronised."""
    shared_stack.start_emulator()
    shared_stack.wait_status("synced")
    return shared_stack
