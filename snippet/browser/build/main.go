// Command build makes the scripts of sites' pages and of the console from their TypeScript sources, two of which it writes
// itself. It is run from anywhere in the module: go run ./snippet/browser/build
package main

import (
	"errors"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	root, err := moduleRoot()
	if err != nil {
		log.Fatal(err)
	}
	for source, written := range map[string][]byte{rulesSource: rules(), trunksSource: trunks()} {
		if err := os.WriteFile(filepath.Join(root, "snippet", "browser", source), written, 0o644); err != nil {
			log.Fatal(err)
		}
	}
	for name, script := range scripts {
		built, err := script.build(root)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), built, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// moduleRoot is the nearest folder with a go.mod, from the working directory upwards.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("the working directory is in no module")
		}
		dir = parent
	}
}
