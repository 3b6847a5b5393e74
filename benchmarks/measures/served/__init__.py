"""What a request costs that goes through `loom serve`, beside one that goes straight to its
provider."""
