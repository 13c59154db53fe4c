from django.urls import path

from sessions_app.api import capture

urlpatterns = [
    path("events", capture.EventsView.as_view(), name="api-events"),
    path("hooks/<str:harness>", capture.HooksView.as_view(), name="api-hooks"),
    path("transcripts", capture.TranscriptsView.as_view(), name="api-transcripts"),
]
