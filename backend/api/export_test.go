package api

// Opened returns what opens each route, by its path.
func Opened() map[string]string {
	opened := make(map[string]string)
	for _, route := range routes {
		opened[route.path] = string(route.opens)
	}
	return opened
}
