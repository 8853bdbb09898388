"""Why nothing of a body was taken, in the same words and numbers whichever way it came in."""


class Refusal(Exception):
    """Nothing of the body was taken. The status is HTTP's; `retry_after` says when to send it again, in s."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        field: str | None = None,
        reason: str = "",
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.field = field
        self.reason = reason
        self.retry_after = retry_after
