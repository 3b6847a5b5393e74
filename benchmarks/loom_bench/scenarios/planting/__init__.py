"""What scenarios plant: two vocabularies of facts, texts that carry them, and who plants them."""
