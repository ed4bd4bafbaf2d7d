trace info no-such-file.zst
