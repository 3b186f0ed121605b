"""What agents took notice of. Work: NoticeAck."""

from django.db import models

from governance.scopes.models import Agent


class NoticeAck(models.Model):
    """An agent took notice of one event that concerns it. Work table."""

    id = models.BigAutoField(primary_key=True)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+")
    event = models.CharField(max_length=40)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["agent", "event"], name="notice_acked_once")]
