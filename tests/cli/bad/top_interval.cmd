top --interval 0
