from django.urls import include, path

urlpatterns = [path("", include("governance.urls"))]
handler400, handler404, handler500 = (f"governance.urls.{name}" for name in ("unreadable", "not_found", "failed"))
