"""The platform as a machine: feeds the demo machines of new organisations from one emulated rig."""
