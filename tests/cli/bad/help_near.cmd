help rnu
