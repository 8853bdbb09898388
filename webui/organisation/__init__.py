"""The pages of an organisation: members, roles, sharing, webhooks, audit log."""
