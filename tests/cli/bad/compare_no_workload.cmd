compare --machines tom-ideal
