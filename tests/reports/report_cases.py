"""Text that must never be taken for markup."""

EVIL = "</script><script>alert(1)</script>\"'&<b>$\\frac"
