"""What a person has chosen: units, language, whether the tour was seen, and views of the fleet."""
