run --machine -- true
