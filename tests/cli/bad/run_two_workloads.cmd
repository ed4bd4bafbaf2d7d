run vectoradd bicg
