"""Pages of sessions, under /t/<team>/sessions/."""

from django.urls import path

from sessions_app import views

app_name = "sessions"

urlpatterns = [
    path("", views.session_list, name="list"),
    path("<uuid:session_id>/", views.detail, name="detail"),
    path("<uuid:session_id>/events/", views.event_window, name="events"),
    path("<uuid:session_id>/events/<int:number>/middle/", views.output_middle, name="output-middle"),
    path("<uuid:session_id>/find/", views.find, name="find"),
    path("<uuid:session_id>/commands/", views.commands, name="commands"),
    path("<uuid:session_id>/side/", views.side, name="side"),
    path("<uuid:session_id>/turns/", views.turns, name="turns"),
    path("<uuid:session_id>/subagents/<uuid:child_id>/", views.subagent, name="subagent"),
    path("<uuid:session_id>/title/", views.rename, name="rename"),
    path("<uuid:session_id>/visibility/", views.set_visibility, name="visibility"),
    path("<uuid:session_id>/delete/", views.delete, name="delete"),
    path("<uuid:session_id>/delete/confirm/", views.confirm_delete, name="confirm-delete"),
    path("<uuid:session_id>/transcript.md", views.transcript_md, name="transcript-md"),
    path("<uuid:session_id>/events.jsonl", views.events_jsonl, name="events-jsonl"),
    path("<uuid:session_id>/raw/<int:number>.txt", views.raw_output, name="raw"),
]
