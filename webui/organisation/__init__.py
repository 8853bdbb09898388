"""An organisation's own pages: members, roles, sharing, webhooks, audit log."""
