mem --memory hmc2 --stream random --set memory.channel_count=64 --set dram.vault_count=64
