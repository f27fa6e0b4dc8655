package api

// Opened returns what opens each route, by its path.
func Opened() map[string]string {
	opened := make(map[string]string)
	for _, route := range new(API).all() {
		opened[route.Path] = string(route.Opens)
	}
	return opened
}
