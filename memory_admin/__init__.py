"""The Django project around the app: settings, addresses, servers."""

from memory_admin.celery import app as celery_app

__all__ = ["celery_app"]
