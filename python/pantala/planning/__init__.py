"""What is known of a scenario before it runs: network, cost, size, advice."""
