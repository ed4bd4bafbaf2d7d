list machine
