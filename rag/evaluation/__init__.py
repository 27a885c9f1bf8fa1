"""How well a base finds and refuses, measured on labelled questions; and what is learnt from it."""
