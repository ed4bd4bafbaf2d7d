run --machine gpu-server --set cpu.core_count=4 vectoradd
