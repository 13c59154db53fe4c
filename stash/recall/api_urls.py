from django.urls import path

from stash.recall import api

urlpatterns = [
    path("briefings", api.BriefingsView.as_view(), name="api-briefings"),
    path("brief", api.BriefView.as_view(), name="api-brief"),
    path("search", api.SearchView.as_view(), name="api-search"),
    path("history", api.HistoryView.as_view(), name="api-history"),
]
