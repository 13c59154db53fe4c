from datetime import UTC, datetime

import pytest
from django import forms
from django.template import Context, Template
from django.test import RequestFactory

from stash.ui import icons, nav

HOSTILE = '"><script>alert(1)</script>'


def render(source: str, **context) -> str:
    return Template("{% load ui %}" + source).render(Context(context))


def test_icon_is_inlined_and_hidden_from_screen_readers():
    assert render('{% icon "check" %}') == (
        '<svg class="icon" width="14" height="14" viewBox="0 0 24 24" fill="none" stroke="currentColor" '
        'stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">'
        '<path d="M20 6 9 17l-5-5" /></svg>'
    )


@pytest.mark.parametrize("name", ["no-such-icon", "../../../manage", "LICENSE", ""])
def test_icon_refuses_what_is_not_an_icon(name):
    with pytest.raises(icons.UnknownIcon):
        icons.icon_svg(name)


def test_glyph_next_to_its_word_is_hidden_and_alone_is_named():
    assert 'aria-hidden="true"' in render('{% glyph "running" %}')
    assert 'role="img" aria-label="Needs you"' in render('{% glyph "needs_you" "Needs you" %}')


@pytest.mark.parametrize(
    "status, shape", [("working", "running"), ("needs_you", "needs-you"), ("denied", "ended"), (HOSTILE, "ended")]
)
def test_glyph_of_every_status_is_a_known_shape(status, shape):
    assert f'class="glyph is-{shape}"' in render("{% glyph status %}", status=status)


def test_glyph_label_is_escaped():
    assert "<script>" not in render('{% glyph "idle" label %}', label=HOSTILE)


def test_status_says_the_word():
    assert render('{% status "working" %}').endswith("</svg>Running</span>")


def test_times_carry_the_exact_moment():
    at = datetime(2026, 11, 30, 14, 31, 9, tzinfo=UTC)
    assert render("{{ at|clock }}", at=at) == (
        '<time datetime="2026-11-30T14:31:09+00:00" title="30 Nov 2026, 14:31:09" data-time="clock">14:31</time>'
    )


@pytest.mark.parametrize("name", ["clock", "age", "exact", "duration", "duration_ms", "thousands", "compact", "bytes"])
def test_filters_of_nothing_are_empty(name):
    assert render(f"{{{{ value|{name} }}}}", value=None) == ""
    assert render(f"{{{{ value|{name} }}}}", value=HOSTILE) == ""


def test_path_keeps_the_file_name_apart_and_escapes():
    assert render("{{ value|path }}", value="a/<b>.py") == (
        '<span class="path" title="a/&lt;b&gt;.py"><span class="folder">a/</span>'
        '<span class="file">&lt;b&gt;.py</span></span>'
    )


@pytest.mark.parametrize("cookie, theme", [("dark", "dark"), ("light", "light"), (HOSTILE, ""), ("", "")])
def test_theme_is_one_of_two_or_nothing(cookie, theme):
    request = RequestFactory().get("/")
    request.COOKIES["theme"] = cookie
    assert render("{% theme %}", request=request) == theme


def test_area_shows_once_its_page_exists(settings):
    settings.ROOT_URLCONF = "tests.ui.urls"
    links = {link.area.label: link for link in nav.links("/t/acme/sessions/7f3c/", "acme", {"needs_you": 2})}
    assert list(links) == ["Home", "Sessions"]
    assert (links["Home"].url, links["Home"].current, links["Home"].count) == ("/t/acme/", False, 2)
    assert (links["Sessions"].current, links["Sessions"].count) == (True, 0)


def test_page_that_does_not_exist_has_no_link():
    assert render('{% url_if "nowhere" %}') == ""


class Sample(forms.Form):
    key = forms.CharField(help_text="The whole line.", min_length=20)
    kind = forms.ChoiceField(choices=[("a", "A")], widget=forms.RadioSelect)
    agree = forms.BooleanField(help_text="Once.")


def test_field_names_its_help_and_its_error():
    html = render('{% include "ui/_field.html" with field=form.key only %}', form=Sample({"key": "<b>"}))
    assert 'aria-describedby="id_key_helptext id_key_error"' in html
    assert 'aria-invalid="true"' in html
    assert '<p class="error" id="id_key_error">' in html
    assert 'id="id_key_helptext">The whole line.' in html
    assert 'value="&lt;b&gt;"' in html


def test_choices_are_a_fieldset_and_a_checkbox_is_its_label():
    form = Sample({})
    assert "<legend>Kind</legend>" in render('{% include "ui/_field.html" with field=form.kind only %}', form=form)
    assert '<label class="check" for="id_agree">' in render(
        '{% include "ui/_field.html" with field=form.agree only %}', form=form
    )


def test_fragments_escape_what_people_and_agents_wrote():
    html = render(
        '{% include "ui/_ask.html" with what="question" text=x command=x title=x agent=x branch=x resume=x only %}'
        '{% include "ui/_tool.html" with number=1 name=x argument=x result=x state=x input=x denied_by=x only %}'
        '{% include "ui/_session_row.html" with status=x title=x project=x branch=x person=x agent=x tail=x only %}'
        '{% include "ui/_note.html" with fact=x text=x kind=x only %}',
        x=HOSTILE,
    )
    assert "<script" not in html
