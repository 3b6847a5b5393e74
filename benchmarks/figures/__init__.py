"""The figures of the documentation: measured, written down, and put into its pages."""
