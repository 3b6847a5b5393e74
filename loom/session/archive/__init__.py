"""What left the window and how it comes back: by entry, byte for byte."""
