run --only 3- vectoradd
