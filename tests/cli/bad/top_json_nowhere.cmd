top --json no/such/place.json
