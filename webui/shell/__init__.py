"""Code that every page shares: layout, middleware, error pages, health checks, metrics."""
