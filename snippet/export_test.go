package snippet

// Hash is the mark of pages with the code that show no tracking number.
func (c *Code) Hash() string { return string(c.alone) }
