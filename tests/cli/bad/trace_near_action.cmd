trace recrod
