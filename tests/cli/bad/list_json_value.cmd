list params --json=yes
