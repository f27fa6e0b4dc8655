package console

// Patterns are those of all routes.
func (c *Console) Patterns() []string { return c.mux().patterns }
