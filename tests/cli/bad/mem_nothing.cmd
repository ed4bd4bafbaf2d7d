mem
