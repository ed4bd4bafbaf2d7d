run --machine duality --set cpu.core_count=4 vectoradd
