"""Files, locks, memory, messages and text: what the package exchanges with the machine."""
