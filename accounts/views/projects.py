"""Projects: the list, and one with its names, rights and people."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts import selectors, services
from accounts.forms import GrantForm, IdentityForm, NewProjectForm, ProjectForm, ProjectRightsForm
from accounts.models import Project
from stash.access import allowed
from stash.errors import StashError
from stash.pages import team_page

_PAGE = 100


@team_page
@require_http_methods(["GET", "POST"])
def projects(request: HttpRequest) -> HttpResponse:
    form = NewProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = services.create_project(actor=request.actor, name=form.cleaned_data["name"])
        return redirect("accounts:project", request.actor.team_slug, made.slug)
    facts = {
        "projects": Paginator(selectors.projects(request.actor), _PAGE).get_page(request.GET.get("page")),
        "form": form,
        "may_start": allowed(request.actor, "accounts.start_project"),
        "section": "projects",
    }
    return render(request, "accounts/projects.html", facts, status=422 if form.errors else 200)


@team_page
@require_GET
def project(request: HttpRequest, slug: str) -> HttpResponse:
    found = selectors.get_project(request.actor, slug)
    if found.slug != slug:
        return redirect("accounts:project", request.actor.team_slug, found.slug, permanent=False)
    return _project(request, found)


def _project(request: HttpRequest, project: Project, status: int = 200, **more: Any) -> HttpResponse:
    governs = allowed(request.actor, "accounts.govern_project", project)
    facts: dict[str, Any] = {
        "project": project,
        "identities": project.identities.select_related("added_by").order_by("pk"),
        "connected": selectors.people_connected(project),
        "may_write": allowed(request.actor, "accounts.write_project", project),
        "governs": governs,
        "section": "projects",
        "form": ProjectForm(initial={"name": project.name, "slug": project.slug}),
        "identity_form": IdentityForm(),
    }
    if governs:
        rights = {"visibility": project.visibility, "session_visibility": project.session_visibility}
        facts["rights_form"] = ProjectRightsForm(initial=rights)
        facts["grant_form"] = GrantForm(project)
        facts["grants"] = project.grants.select_related("membership__user").order_by("membership__user__username")
    return render(request, "accounts/project.html", {**facts, **more}, status=status)


@team_page
@require_POST
def rename(request: HttpRequest, slug: str) -> HttpResponse:
    found, form = selectors.get_project(request.actor, slug), ProjectForm(request.POST)
    if form.is_valid():
        try:
            services.rename_project(actor=request.actor, project=found, **form.cleaned_data)
        except StashError as error:
            if error.status not in (409, 422):
                raise
            found.refresh_from_db()
            form.add_error("slug", error.detail)
        else:
            messages.success(request, "The project is renamed.")
            return redirect("accounts:project", request.actor.team_slug, found.slug)
    return _project(request, found, 422, form=form)


@team_page
@require_POST
def rights(request: HttpRequest, slug: str) -> HttpResponse:
    found, form = selectors.get_project(request.actor, slug), ProjectRightsForm(request.POST)
    if form.is_valid():
        services.change_project(actor=request.actor, project=found, **form.cleaned_data)
        messages.success(request, "Saved.")
        return redirect("accounts:project", request.actor.team_slug, found.slug)
    return _project(request, found, 422, rights_form=form)


@team_page
@require_POST
def attach(request: HttpRequest, slug: str) -> HttpResponse:
    found, form = selectors.get_project(request.actor, slug), IdentityForm(request.POST)
    if form.is_valid():
        try:
            services.attach_identity(actor=request.actor, project=found, value=form.cleaned_data["identity"])
        except StashError as error:
            if error.status not in (409, 422):
                raise
            form.add_error("identity", error.detail)
        else:
            return redirect("accounts:project", request.actor.team_slug, found.slug)
    return _project(request, found, 422, identity_form=form)


@team_page
@require_POST
def detach(request: HttpRequest, slug: str, identity_id: int) -> HttpResponse:
    found = selectors.get_project(request.actor, slug)
    services.detach_identity(actor=request.actor, identity=selectors.get_identity(found, identity_id))
    return redirect("accounts:project", request.actor.team_slug, found.slug)


@team_page
@require_POST
def grant(request: HttpRequest, slug: str) -> HttpResponse:
    found = selectors.get_project(request.actor, slug)
    form = GrantForm(found, request.POST)
    if form.is_valid():
        services.grant_access(
            actor=request.actor,
            project=found,
            membership=form.cleaned_data["person"],
            can_write=form.cleaned_data["can_write"],
        )
        return redirect("accounts:project", request.actor.team_slug, found.slug)
    return _project(request, found, 422, grant_form=form)


@team_page
@require_POST
def withdraw(request: HttpRequest, slug: str, grant_id: int) -> HttpResponse:
    found = selectors.get_project(request.actor, slug)
    services.withdraw_access(actor=request.actor, grant=selectors.get_grant(request.actor, grant_id))
    return redirect("accounts:project", request.actor.team_slug, found.slug)
