run -m tom-ideal vectoradd
