"""The domain: settings, Django models, services, and the ports that workers implement."""
