"""WebSockets: who may open one, who may keep it, and how the newest message reaches its client."""
