"""The look: template tags, navigation and the pages that need no data. No models."""
