top --once --interval 2
