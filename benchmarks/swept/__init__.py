"""The sweep: sessions through windows of several sizes, each request audited."""
