"""What people type on the settings pages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone

from accounts.models import Connection, Membership, Project, Team, User
from accounts.rules import ROLE_SCOPES
from stash.actors import SCOPES, Actor

_THEMES = [("", "As the system"), ("light", "Light"), ("dark", "Dark")]
_SCOPE_WORDS = {
    "capture": "Capture: send what happens in agent sessions",
    "read": "Read: sessions, wiki, handoffs, search",
    "write": "Write: wiki, handoffs, comments, project settings",
    "admin": "Govern: people, grants, audit",
}
_LASTS = [("", "Until revoked"), ("30", "30 days"), ("90", "90 days"), ("365", "A year")]


class ProfileForm(forms.Form):
    name = forms.CharField(max_length=120, required=False, help_text="As colleagues should see it.")
    username = forms.CharField(max_length=150, help_text="In addresses and paths; letters, digits and . + - _")
    shortcuts = forms.BooleanField(required=False, label="Single-key shortcuts")
    theme = forms.ChoiceField(choices=_THEMES, required=False, widget=forms.RadioSelect)

    @classmethod
    def of(cls, user: User, theme: str) -> ProfileForm:
        return cls(initial={"name": user.name, "username": user.username, "shortcuts": user.shortcuts, "theme": theme})


class KeyForm(forms.Form):
    name = forms.CharField(max_length=120, help_text="Where it is used, so that you can recognise it later.")
    scopes = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple, label="What it may do")
    lasts = forms.ChoiceField(choices=_LASTS, required=False, label="Valid")

    def __init__(self, role: str, actor: Actor, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        possible = ROLE_SCOPES[role] & actor.scopes
        field: Any = self.fields["scopes"]
        field.choices = [(scope, _SCOPE_WORDS[scope]) for scope in SCOPES if scope in possible]
        field.initial = [scope for scope in ("read", "write") if scope in possible]

    @property
    def expires_at(self) -> Any:
        days = self.cleaned_data["lasts"]
        return timezone.now() + timedelta(days=int(days)) if days else None


class NameForm(forms.Form):
    name = forms.CharField(max_length=120)


class InviteForm(forms.Form):
    email = forms.EmailField(required=False, label="E-mail", help_text="To send the link; without it you copy it.")
    role = forms.ChoiceField(initial="member")

    def __init__(self, actor: Actor, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["role"]
        field.choices = person_roles(actor)


class RoleForm(forms.Form):
    role = forms.ChoiceField()

    def __init__(self, actor: Actor, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["role"]
        field.choices = person_roles(actor)


def person_roles(actor: Actor) -> list[tuple[str, str]]:
    """The roles this actor can give, most common first."""
    roles = [Membership.Role.MEMBER, Membership.Role.VIEWER, Membership.Role.ADMIN]
    if actor.role == Membership.Role.OWNER:
        roles.append(Membership.Role.OWNER)
    return [(str(role), str(role.label)) for role in roles]


class TeamForm(forms.Form):
    session_visibility = forms.ChoiceField(
        choices=Team.Default.choices,
        required=False,
        label="Who sees new sessions",
        help_text="A choice here holds for the whole team, whatever a project or person chose.",
    )


class ProjectForm(forms.Form):
    name = forms.CharField(max_length=120)
    slug = forms.SlugField(max_length=80, label="Short name", help_text="In addresses; old ones keep leading here.")


class ProjectRightsForm(forms.Form):
    visibility = forms.ChoiceField(choices=Project.Visibility.choices, label="Who can see the project")
    session_visibility = forms.ChoiceField(
        choices=Team.Default.choices, required=False, label="Who sees new sessions in it"
    )


class NewProjectForm(forms.Form):
    name = forms.CharField(max_length=120)


class IdentityForm(forms.Form):
    identity = forms.CharField(
        max_length=2000, label="Repository address", help_text="As git remote shows it; credentials are dropped."
    )


class GrantForm(forms.Form):
    person = forms.ModelChoiceField(queryset=Membership.objects.none(), label="Person or service account")
    can_write = forms.BooleanField(required=False, initial=True, label="May capture and write")

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["person"]
        members = Membership.objects.active().filter(team_id=project.team_id)
        field.queryset = members.select_related("user", "team").order_by("user__username")
        field.label_from_instance = lambda membership: membership.user.display_name


class ServiceAccountForm(forms.Form):
    name = forms.CharField(max_length=120, help_text="Becomes its username.")


class ConnectionForm(forms.Form):
    visibility = forms.ChoiceField(choices=Connection.Visibility.choices)


class AuditForm(forms.Form):
    actor = forms.CharField(required=False, label="Person")
    action = forms.CharField(required=False)
    project = forms.CharField(required=False)
    since = forms.DateTimeField(required=False)
    until = forms.DateTimeField(required=False)
