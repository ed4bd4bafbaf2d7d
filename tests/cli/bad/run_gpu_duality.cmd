run --machine tom-baseline --set duality.socket_count=1 vectoradd
