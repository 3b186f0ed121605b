from django.urls import include, path

urlpatterns = [path("", include("governance.urls"))]
handler500 = "governance.web.unavailable.failed"
