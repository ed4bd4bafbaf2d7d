run --machine tom-idael vectoradd
