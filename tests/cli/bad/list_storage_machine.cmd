list storage --machine tom-ctrl-bmp
