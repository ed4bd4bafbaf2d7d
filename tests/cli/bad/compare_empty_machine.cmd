compare --machines tom-ideal,,tom-baseline vectoradd
