run vectoradd -- true
