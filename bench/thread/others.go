package thread

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Serve serves the pages, each with `head` at the beginning of its head, and the files of the folder beside them. What pages refer to
// otherwise is not loaded, and what scripts report is taken.
func Serve(pages []Page, head []byte, folder string) (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	bodies := make(map[string][]byte)
	for _, p := range pages {
		bodies[p.Path()] = bytes.Replace(p.Body, []byte("<head>"), append([]byte("<head>"), head...), 1)
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, found := bodies[r.URL.Path]
		switch {
		case found:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Security-Policy", "img-src 'self'; font-src 'none'")
			w.Write(body)
		case folder != "" && strings.HasSuffix(r.URL.Path, ".js"):
			http.ServeFile(w, r, filepath.Join(folder, filepath.Base(r.URL.Path)))
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusAccepted)
		default:
			http.NotFound(w, r)
		}
	}))
	return listener, nil
}

// Others are sides whose pages load scripts of other people's. Each NAME.html in the folder is put into the pages' heads, and loads a
// NAME.js beside it.
func Others(pages []Page, folder string) ([]Side, error) {
	heads, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil {
		return nil, err
	}
	var sides []Side
	for _, file := range heads {
		head, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading the code of another script: %w", err)
		}
		listener, err := Serve(pages, head, folder)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		sides = append(sides, Side{Name: "with " + name, Address: listener.Addr().String(), Script: name + ".js"})
	}
	return sides, nil
}
