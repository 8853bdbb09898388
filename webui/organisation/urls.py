from django.urls import path

from webui.organisation import audit, members, sharing, webhooks

app_name = "organisation"

urlpatterns = [
    path("members/", members.members, name="members"),
    path("members/<int:membership_id>/role/", members.change_role, name="change-role"),
    path("members/<int:membership_id>/remove/", members.remove_member, name="remove-member"),
    path("invitations/<uuid:invitation_id>/withdraw/", members.withdraw_invitation, name="withdraw"),
    path("roles/", members.roles, name="roles"),
    path("sharing/", sharing.sharing, name="sharing"),
    path("sharing/<int:grant_id>/stop/", sharing.stop_sharing, name="stop-sharing"),
    path("webhooks/", webhooks.webhooks, name="webhooks"),
    path("webhooks/<uuid:webhook_id>/", webhooks.webhook, name="webhook"),
    path("webhooks/<uuid:webhook_id>/secret/", webhooks.new_secret, name="new-secret"),
    path("webhooks/<uuid:webhook_id>/test/", webhooks.test_webhook, name="test-webhook"),
    path("webhooks/<uuid:webhook_id>/remove/", webhooks.remove_webhook, name="remove-webhook"),
    path("deliveries/<uuid:delivery_id>/again/", webhooks.send_again, name="send-again"),
    path("audit/", audit.audit, name="audit"),
]
