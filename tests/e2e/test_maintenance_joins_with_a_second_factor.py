"""Somebody new in maintenance: invited, joined, a second factor, other sessions, a token, and out again.

Every form is filled in wrongly first: it says what to do, and what was typed stays. Open pages are told that
access has ended, a minute before they would have looked; how soon is tested in system/test_socket_revoked.
"""

import base64
import hashlib
import hmac
import re
import struct
import time

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import grave_findings
from tests.e2e.conftest import DESKTOP, PHONE, Complaints, OpenPage, fill_in, sign_in
from tests.system.stack import Stack
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.system, pytest.mark.e2e]

PASSWORD, NEW_PASSWORD = "a long and unusual sentence", "another long and unusual sentence"
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def one_time_code(key: str) -> str:
    """RFC 6238 with six digits and half a minute, as authenticator apps do it."""
    counter = struct.pack(">Q", int(time.time()) // 30)
    digest = hmac.new(base64.b32decode(key), counter, hashlib.sha1).digest()
    (number,) = struct.unpack_from(">I", digest, digest[-1] & 15)
    return f"{(number & 0x7FFFFFFF) % 10**6:06}"


def look_over(page: Page) -> None:
    """Nobody is kept out, and nothing sticks out."""
    assert grave_findings(page) == [], page.url
    assert page.evaluate(SIDEWAYS) == 0, page.url


def error_of(page: Page, label: str) -> Locator:
    return page.locator(".field", has=page.get_by_label(label, exact=True)).locator(".field-error")


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def open_account(page: Page, stack: Stack, section: str) -> None:
    page.goto(f"{stack.url}/accounts/")
    page.locator(".side-nav").get_by_role("link", name=section, exact=True).click()


def invite(page: Page, stack: Stack, note: str) -> str:
    """The link of an invitation."""
    open_account(page, stack, "Members")
    page.get_by_label("Role", exact=True).select_option("maintenance")
    page.get_by_role("button", name="Create link").click()
    expect(error_of(page, "For whom")).to_contain_text("This field is required")
    expect(page.get_by_label("Role", exact=True)).to_have_value("maintenance")
    page.get_by_label("For whom").fill(note)
    page.get_by_role("button", name="Create link").click()
    link = page.get_by_label("Invitation link").input_value()
    look_over(page)
    return link


def join(page: Page, link: str, name: str) -> None:
    page.goto(link)
    look_over(page)
    page.get_by_label("Username").fill("manager")
    page.get_by_label("E-mail address").fill(f"{name}@example.org")
    page.get_by_label("Password", exact=True).fill("short")
    page.get_by_label("Password confirmation").fill("short")
    page.get_by_role("button", name="Create the account and join").click()
    expect(error_of(page, "Username")).to_contain_text("manager is taken. Choose another")
    expect(page.locator(".field-error", has_text="too short")).to_be_visible()
    expect(page.get_by_label("Password", exact=True)).to_have_value("")
    expect(page.get_by_label("E-mail address")).to_have_value(f"{name}@example.org")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password confirmation").fill(PASSWORD)
    page.get_by_role("button", name="Create the account and join").click()
    welcome = "Welcome to Hydratwin demo. Your role: Maintenance."
    expect(page.locator(".toast", has_text=welcome)).to_be_visible()


def confirm(page: Page, password: str) -> None:
    """The password once more, before what could lock somebody out."""
    expect(page.get_by_role("heading", name="Confirm your identity")).to_be_visible()
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Confirm").click()


def set_up_second_factor(page: Page, stack: Stack) -> tuple[str, list[str]]:
    """The key, and the recovery codes."""
    open_account(page, stack, "Second factor")
    look_over(page)
    page.get_by_role("link", name="Set up").click()
    confirm(page, "not mine")
    expect(page.get_by_text("Wrong password")).to_be_visible()
    look_over(page)
    confirm(page, PASSWORD)
    key = page.get_by_label("Key").input_value()
    page.get_by_label("Authenticator code").fill("000000")
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("This code is not valid")).to_be_visible()
    expect(page.get_by_label("Key")).to_have_value(key)
    look_over(page)
    page.get_by_label("Authenticator code").fill(one_time_code(key))
    page.get_by_role("button", name="Turn on").click()
    codes = page.locator(".codes li").all_inner_texts()
    look_over(page)
    assert len(codes) == 10
    return key, codes


def answer_second_factor(page: Page, code: str) -> None:
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile(r"/machines/$"))


def test_somebody_new_joins_and_keeps_the_account_safe(
    open_page: OpenPage, stack: Stack, complaints: Complaints
) -> None:
    name = f"nora{time.time_ns()}"
    boss, desk = open_page(), open_page()
    sign_in(boss, stack, "administrator")
    join(desk, invite(boss, stack, name), name)
    key, codes = set_up_second_factor(desk, stack)

    sign_out(desk)
    fill_in(desk, stack, name, PASSWORD)
    desk.get_by_label("Code").fill("000000")
    desk.get_by_role("button", name="Sign in").click()
    expect(desk.get_by_text("This code is not valid")).to_be_visible()
    look_over(desk)
    answer_second_factor(desk, one_time_code(key))
    phone = open_page(viewport=PHONE, color_scheme="dark")

    def sign_in_on_the_phone() -> None:
        sign_in(phone, stack, name, PASSWORD)
        answer_second_factor(phone, codes.pop())
        phone.goto(f"{stack.url}/machines/{stack.machine}/")
        expect(phone.locator(".verdict .pill-word")).to_have_text("Synced")

    sign_in_on_the_phone()
    open_account(desk, stack, "Second factor")
    desk.get_by_role("link", name="Show").click()
    confirm(desk, PASSWORD)
    expect(desk.locator(".page-lead")).to_contain_text("9 of 10 codes are unused")

    # what is signed in elsewhere is seen and ended, and its open page knows at once
    open_account(desk, stack, "Sessions")
    expect(desk.locator("tbody tr")).to_have_count(2)
    look_over(desk)
    desk.get_by_role("button", name="End", exact=True).click()
    expect(phone.locator(".banner")).to_contain_text("You are signed out")
    expect(desk.locator("tbody tr")).to_have_count(1)

    # a new password ends the others, not this one: the other tab goes on
    sign_in_on_the_phone()
    tab = desk.context.new_page()
    tab.goto(f"{stack.url}/machines/{stack.machine}/")
    expect(tab.locator(".verdict .pill-word")).to_have_text("Synced")
    change_password(desk, stack)
    expect(phone.locator(".banner")).to_contain_text("You are signed out")
    expect(tab.locator(".verdict .pill-word")).to_have_text("Synced")
    expect(tab.locator(".banner")).to_be_hidden()

    use_a_token(desk, stack)
    for section in ("Roles", "Sharing", "Webhooks", "Audit log"):
        open_account(boss, stack, section)
        look_over(boss)
        boss.set_viewport_size(PHONE)
        assert boss.evaluate(SIDEWAYS) == 0, boss.url
        boss.set_viewport_size(DESKTOP)

    # and out again: the fleet page is closed to whoever belongs nowhere any more
    desk.goto(f"{stack.url}/machines/")
    expect(desk.locator(".fleet-live")).to_contain_text("Live")
    remove(boss, stack, name)
    for page in (desk, tab):
        expect(page.locator(".banner")).to_contain_text("You no longer have access")
    complaints.expect("status of 422", "status of 403", "status of 404", "WebSocket connection to")


def change_password(page: Page, stack: Stack) -> None:
    open_account(page, stack, "Password")

    def send(old: str) -> None:
        page.get_by_label("Current Password").fill(old)
        page.get_by_label("New Password", exact=True).fill(NEW_PASSWORD)
        page.get_by_label("New Password (again)").fill(NEW_PASSWORD)
        page.get_by_role("button", name="Save the new password").click()

    send("not mine")
    expect(error_of(page, "Current Password")).to_contain_text("This is not your current password")
    expect(page.get_by_label("New Password", exact=True)).to_have_value("")
    look_over(page)
    send(PASSWORD)
    expect(page.locator(".toast", has_text="Password")).to_be_visible()


def use_a_token(page: Page, stack: Stack) -> None:
    open_account(page, stack, "API tokens")
    page.get_by_label("Valid for").select_option("30")
    page.get_by_role("button", name="Create token").click()
    expect(error_of(page, "Name")).to_contain_text("This field is required")
    expect(page.get_by_label("Valid for")).to_have_value("30")
    page.get_by_label("Name", exact=True).fill("Nightly report")
    page.get_by_role("button", name="Create token").click()
    token = page.get_by_label("Your new token").input_value()
    look_over(page)

    def ask() -> int:
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.get(f"{stack.url}/api/v1/machines", headers=headers, timeout=PATIENCE_S).status_code

    assert ask() == 200
    page.goto(page.url)
    expect(page.get_by_label("Your new token")).to_have_count(0)
    page.locator(".confirm summary", has_text="Revoke").click()
    page.get_by_role("button", name="Revoke").click()
    expect(page.locator(".toast", has_text="revoked")).to_be_visible()
    assert ask() == 401


def remove(page: Page, stack: Stack, name: str) -> None:
    """The administrator was signed out meanwhile: what was typed is there again after signing in."""
    open_account(page, stack, "Members")
    page.get_by_label("For whom").fill("somebody else")
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Create link").click()
    fill_in(page, stack, "administrator")
    expect(page.get_by_label("For whom")).to_have_value("somebody else")
    row = page.locator("tbody tr", has_text=name)
    row.locator(".confirm summary").click()
    look_over(page)
    row.get_by_role("button", name="Remove").click()
    expect(page.locator(".toast", has_text="is no longer a member")).to_be_visible()
