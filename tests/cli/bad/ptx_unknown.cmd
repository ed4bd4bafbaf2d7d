ptx chek x.ptx
