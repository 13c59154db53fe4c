"""Where static files are kept: compressed, under names that change with their content."""

from typing import Any

from django.contrib.staticfiles.storage import HashedFilesMixin
from whitenoise.storage import CompressedManifestStaticFilesStorage


class Assets(CompressedManifestStaticFilesStorage):
    """Our scripts import each other by the changing names too, since the plain ones are not kept.

    Only ours: packages ship modules whose imports are for bundlers and lead nowhere here.
    """

    support_js_module_import_aggregation = True
    _imports: Any = HashedFilesMixin._js_module_import_aggregation_patterns  # type: ignore[attr-defined]
    _js_module_import_aggregation_patterns = ("js/*.js", _imports[1])
