"""WebSockets: checks who may open and keep a socket, and sends each client the newest message."""
