"""What left the window, and how it comes back byte for byte."""
