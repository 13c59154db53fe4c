from django.urls import path

from sessions_app.api import capture, reading

urlpatterns = [
    path("events", capture.EventsView.as_view(), name="api-events"),
    path("hooks/<str:harness>", capture.HooksView.as_view(), name="api-hooks"),
    path("transcripts", capture.TranscriptsView.as_view(), name="api-transcripts"),
    path("sessions", reading.SessionsView.as_view(), name="api-sessions"),
    path("sessions/<uuid:session_id>", reading.SessionView.as_view(), name="api-session"),
    path("sessions/<uuid:session_id>/events", reading.EventsOfSessionView.as_view(), name="api-session-events"),
    path(
        "sessions/<uuid:session_id>/transcript.md", reading.TranscriptMarkdownView.as_view(), name="api-transcript-md"
    ),
    path("sessions/<uuid:session_id>/events.jsonl", reading.EventsJsonlView.as_view(), name="api-events-jsonl"),
    path("sessions/<uuid:session_id>/forget", reading.ForgetView.as_view(), name="api-session-forget"),
]
