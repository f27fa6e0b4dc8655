package snippet

import (
	"crypto/rand"
	"crypto/sha256"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
)

// version tells this program from others, which may weave the same page in another way. It is a part of the marks in
// validators, so that an upgrade ends what was cached before. All nodes that run the same release have the same.
var version = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := versionOf(info, modulePath); v != "" {
			return v
		}
	}
	if sum, err := hashExecutable(); err == nil {
		return sum
	}
	return rand.Text() // nothing is known: what another process has given is not trusted
})

// modulePath is the path of the module that this package belongs to.
var modulePath = strings.TrimSuffix(reflect.TypeFor[Code]().PkgPath(), "/snippet")

// versionOf gives the version of the module in a build, with the commit where it has no tag. It is empty where that does
// not tell the source: in a changed checkout, in a folder without its history, and where a folder takes the module's place.
func versionOf(info *debug.BuildInfo, path string) string {
	module := &info.Main
	for _, dependency := range info.Deps {
		if dependency.Path == path {
			module = dependency
		}
	}
	if module.Replace != nil {
		module = module.Replace
	} else if module.Path != path {
		return ""
	}
	switch {
	case module.Version == "", module.Version == "(devel)", strings.Contains(module.Version, "+dirty"):
		return ""
	}
	return module.Version + " " + module.Sum
}

// hashExecutable gives the hash of the program's file.
func hashExecutable() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return string(sum.Sum(nil)), nil
}
