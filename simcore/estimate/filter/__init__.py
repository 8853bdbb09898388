"""Error-state Kalman filter: prediction, correction, and the kernel that runs both."""
