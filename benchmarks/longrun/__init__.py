"""One long task whose rules and facts are known, and where they are when its window is full."""
