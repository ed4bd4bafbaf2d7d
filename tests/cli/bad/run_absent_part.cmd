run --machine tom-baseline --set cpu.clock_khz=1000000 vectoradd
