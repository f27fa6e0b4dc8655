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

// Release is the version of the module in this program, with the commit where that has no tag. Of a program that was built
// without the history of its source, it is "unreleased".
func Release() string {
	info, _ := debug.ReadBuildInfo()
	return releaseOf(info, modulePath)
}

func releaseOf(info *debug.BuildInfo, path string) string {
	module := moduleOf(info, path)
	if module == nil || module.Version == "" || module.Version == "(devel)" {
		return "unreleased"
	}
	return module.Version
}

// versionOf gives the version of the module in a build, with the commit where it has no tag. It is empty where that does
// not tell the source: in a changed checkout, in a folder without its history, and where a folder takes the module's place.
func versionOf(info *debug.BuildInfo, path string) string {
	module := moduleOf(info, path)
	switch {
	case module == nil, module.Version == "", module.Version == "(devel)", strings.Contains(module.Version, "+dirty"):
		return ""
	}
	return module.Version + " " + module.Sum
}

// moduleOf is the module in a build, or what takes its place; nil where it is not in it.
func moduleOf(info *debug.BuildInfo, path string) *debug.Module {
	if info == nil {
		return nil
	}
	module := &info.Main
	for _, dependency := range info.Deps {
		if dependency.Path == path {
			module = dependency
		}
	}
	switch {
	case module.Replace != nil:
		return module.Replace
	case module.Path != path:
		return nil
	}
	return module
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
