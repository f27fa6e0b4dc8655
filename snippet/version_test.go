package snippet

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// Another release ends what was cached; another node of the same one does not.
func TestUpgradeChangesMarks(t *testing.T) {
	node := func(version string) *Code {
		c, err := newCode(Settings{SiteKey: "shop.example", Prefix: "/frontdesk/"}, version)
		require.NoError(t, err)
		return c
	}
	printed, err := NewPrinted([]Number{{Digits: "74951234567", Tracking: []Tracking{{Digits: "74957654321"}}}}, false)
	require.NoError(t, err)
	marks := make(map[string]bool)
	for _, shown := range []Shown{{}, printed.Show([]string{"74957654321"}, ForEveryone)} {
		for _, version := range []string{"v1.0.0", "v1.0.1"} {
			mark := node(version).Mark(&shown)
			require.Equal(t, mark, node(version).Mark(&shown))
			marks[mark] = true
		}
	}
	require.Len(t, marks, 4)
}

func TestVersionOfBuilds(t *testing.T) {
	const path = "github.com/seed-3405227d/frontdesk"
	require.Equal(t, path, modulePath)
	module := func(path, version string) debug.Module {
		return debug.Module{Path: path, Version: version, Sum: "h1:a"}
	}
	released, changed, folder := module(path, "v1.2.3"), module(path, "v1.2.3+dirty"), module(path, "v1.2.3")
	folder.Replace = &debug.Module{Path: "../frontdesk"}
	for want, builds := range map[string][]*debug.BuildInfo{
		"v1.2.3 h1:a": {
			{Main: released},
			{Main: module("caddy", "(devel)"), Deps: []*debug.Module{{Path: "other", Version: "v1.0.0"}, &released}},
		},
		"": {
			{Main: changed}, {Main: module(path, "(devel)")}, {Main: module(path, "")}, {Main: module("caddy", "v2.0.0")},
			{Main: module("caddy", "(devel)"), Deps: []*debug.Module{&folder}},
		},
	} {
		for _, build := range builds {
			require.Equal(t, want, versionOf(build, path))
		}
	}
	for want, build := range map[string]*debug.BuildInfo{
		"v1.2.3": {Main: module("caddy", "(devel)"), Deps: []*debug.Module{&released}}, "v1.2.3+dirty": {Main: changed}, "unreleased": {Main: module(path, "(devel)")},
	} {
		require.Equal(t, want, releaseOf(build, path))
	}
	require.Equal(t, "unreleased", releaseOf(nil, path))
	sum, err := hashExecutable()
	require.NoError(t, err)
	require.Len(t, sum, 32)
	require.Equal(t, version(), version())
}
