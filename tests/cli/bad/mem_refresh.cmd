mem --memory hbm2-2000 --stream random --set dram.t_rrefd_ns=10us
