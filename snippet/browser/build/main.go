// Command build makes snippet/dist/svc.js from the TypeScript sources in snippet/browser. It is run from the
// root of the module: go run ./snippet/browser/build
package main

import (
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	root, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	script, err := bundle(filepath.Join(root, "snippet", "browser"))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "snippet", "dist", "svc.js"), script, 0o644); err != nil {
		log.Fatal(err)
	}
}
