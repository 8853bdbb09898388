"""The table of who may do what."""

from twin.fleet.permissions import ROLE_NOTES, TABLE, Permission, Role, allows, roles_with, table_rows


def test_every_role_and_every_permission_is_in_the_table() -> None:
    assert set(TABLE) == set(Role) == set(ROLE_NOTES)
    assert frozenset().union(*TABLE.values()) == set(Permission)


def test_an_administrator_may_everything_and_is_the_only_one_who_decides_about_people() -> None:
    assert TABLE[Role.ADMINISTRATOR] == set(Permission)
    for permission in (Permission.MEMBERS, Permission.AUDIT):
        assert roles_with(permission) == [Role.ADMINISTRATOR]


def test_everybody_sees_machines() -> None:
    assert set(roles_with(Permission.WATCH)) == set(Role)


def test_an_unknown_role_allows_nothing() -> None:
    assert not any(allows("emperor", permission) for permission in Permission)


def test_what_people_read_is_what_holds() -> None:
    for permission, row in zip(Permission, table_rows(), strict=True):
        assert row.label == str(permission.label)
        assert dict(zip(Role, row.marks, strict=True)) == {role: allows(role, permission) for role in Role}
