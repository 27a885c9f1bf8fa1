"""What the adapters are asked."""

BACKUPS = "How long are backups kept?"
BACKUPS_REF = "backups.md#L15-L19"
