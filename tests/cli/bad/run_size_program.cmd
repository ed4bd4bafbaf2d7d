run --size small -- true
