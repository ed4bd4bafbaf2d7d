run vectorad
