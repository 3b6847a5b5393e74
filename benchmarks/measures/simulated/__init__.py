"""Questions of simulated work, asked of windows."""
