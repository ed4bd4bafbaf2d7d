run --machine
