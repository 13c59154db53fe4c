"""Links that work without an account: an invitation, the one-time sign-in."""

from django.urls import path

from accounts.views import public

app_name = "accounts_public"

urlpatterns = [
    path("invitations/<str:token>/", public.invitation, name="invitation"),
    path("once/<str:token>/", public.signin, name="signin"),
]
