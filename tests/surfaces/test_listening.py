"""The address that a service listens on."""

import asyncio
import socket

import pytest

from rag.errors import InvalidArgumentError
from rag.surfaces.listening import bound_socket, is_loopback, url_of


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "LOCALHOST"]
)
def test_this_machine_alone_is_known_by_number_and_name(host: str):
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "localhost.example.org"])
def test_an_address_that_others_reach_is_no_loopback(host: str):
    assert not is_loopback(host)


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_the_url_names_the_port_that_was_taken(host: str, shown: str):
    with bound_socket(host, 0) as bound:
        assert url_of(bound, host) == f"http://{shown}:{bound.getsockname()[1]}"


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_that_does_not_exist_is_refused(port: int):
    with pytest.raises(InvalidArgumentError, match=f"cannot listen on 127.0.0.1 port {port}"):
        bound_socket("127.0.0.1", port)


def test_a_port_in_use_is_refused():
    with bound_socket("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        with pytest.raises(InvalidArgumentError, match="in use"):
            bound_socket("127.0.0.1", port)


def test_answers_are_not_held_back_for_a_clients_acknowledgement():
    """With Nagle's algorithm on, the second packet of an answer comes 40 ms late."""

    async def no_delay() -> int:
        taken = asyncio.get_running_loop().create_future()
        with bound_socket("127.0.0.1", 0) as bound:
            server = await asyncio.start_server(
                lambda _, writer: taken.set_result(writer), sock=bound
            )
            _, client = await asyncio.open_connection(*bound.getsockname())
            writer = await taken
            option = writer.get_extra_info("socket").getsockopt(
                socket.IPPROTO_TCP, socket.TCP_NODELAY
            )
            writer.close()
            client.close()
            server.close()
        return option

    assert asyncio.run(no_delay()) == 1
