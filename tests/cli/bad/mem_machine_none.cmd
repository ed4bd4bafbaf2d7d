mem --machine tom-baseline
