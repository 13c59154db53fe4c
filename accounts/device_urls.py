"""Our pages in place of allauth's; included before allauth's own under the same prefix."""

from django.urls import path

from accounts.views import device

app_name = "device"

urlpatterns = [
    path("device", device.confirm, name="confirm"),
    path("api/device/code", device.DeviceCode.as_view(), name="code"),
    path("api/token", device.DeviceToken.as_view(), name="token"),
]
