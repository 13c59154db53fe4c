from django.urls import path, re_path

from wiki import api

_OF_PAGE = {
    "append": (api.AppendView, "api-wiki-append"),
    "move": (api.MoveView, "api-wiki-move"),
    "restore": (api.RestoreView, "api-wiki-restore"),
    "undelete": (api.UndeleteView, "api-wiki-undelete"),
    "pin": (api.PinView, "api-wiki-pin"),
    "protect": (api.ProtectView, "api-wiki-protect"),
    "history": (api.HistoryView, "api-wiki-history"),
    "diff": (api.DiffView, "api-wiki-diff"),
    "links": (api.LinksView, "api-wiki-links"),
}

urlpatterns = [
    path("projects/<slug:slug>/wiki/", api.PagesView.as_view(), name="api-wiki"),
    path("projects/<slug:slug>/wiki-graph", api.GraphView.as_view(), name="api-wiki-graph"),
    path("projects/<slug:slug>/wiki-deleted", api.DeletedView.as_view(), name="api-wiki-deleted"),
    *(
        re_path(rf"^projects/(?P<slug>[-\w]+)/wiki/(?P<path>.+\.md)/{verb}\Z", view.as_view(), name=name)
        for verb, (view, name) in _OF_PAGE.items()
    ),
    path("projects/<slug:slug>/wiki/<path:path>", api.PageView.as_view(), name="api-wiki-page"),
]
