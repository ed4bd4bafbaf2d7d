top everything
