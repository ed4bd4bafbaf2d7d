run --set l1d.write_allocate=true --set l1i.write_update=false vectoradd
