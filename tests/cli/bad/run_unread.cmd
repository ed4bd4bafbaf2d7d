run --machine tom-baseline --set ndp.away=auto vectoradd
