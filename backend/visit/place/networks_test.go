package place_test

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"go4.org/netipx"

	"github.com/seed-3405227d/frontdesk/backend/visit/place"
)

func named(en, ru string) mmdbtype.Map {
	names := mmdbtype.Map{"en": mmdbtype.String(en)}
	if ru != "" {
		names["ru"] = mmdbtype.String(ru)
	}
	return mmdbtype.Map{"names": names}
}

func in(country string, area, city mmdbtype.Map) mmdbtype.Map {
	return mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String(country)}, "subdivisions": mmdbtype.Slice{area}, "city": city}
}

// written writes a file of the networks, as a program does that brings a new one to its place.
func written(t *testing.T, path string, networks map[string]mmdbtype.Map) {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "Test-City", RecordSize: 24, IncludeReservedNetworks: true})
	require.NoError(t, err)
	for network, of := range networks {
		require.NoError(t, tree.Insert(netipx.PrefixIPNet(netip.MustParsePrefix(network)), of))
	}
	f, err := os.Create(path + ".new")
	require.NoError(t, err)
	_, err = tree.WriteTo(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, os.Rename(path+".new", path))
}

var networks = map[string]mmdbtype.Map{
	"192.0.2.0/25":    in("RU", named("Moscow Oblast", "Московская область"), named("Khimki", "Химки")),
	"192.0.2.128/25":  in("DE", named("Bavaria", ""), named("Munich", "")),
	"2001:db8::/32":   {"country": mmdbtype.Map{"iso_code": mmdbtype.String("FR")}},
	"198.51.100.0/24": in("XYZ", named("Nowhere", ""), named("Nothing", "")),
	"203.0.113.0/24":  in("US", named("A\x00 "+strings.Repeat("long ", 40), ""), named("\xff City", "")),
}

func TestPlacesAreToldByTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "city.mmdb")
	written(t, path, networks)
	n := place.New(zap.NewNop())
	of := func(address string) place.Place { return n.Of(netip.MustParseAddr(address)) }
	require.Zero(t, of("192.0.2.1"), "before there is a file")
	n.Use(place.Settings{File: path, Language: "ru"})
	require.Equal(t, place.Place{Country: "RU", Area: "Московская область", City: "Химки"}, of("192.0.2.1"))
	require.Equal(t, place.Place{Country: "DE", Area: "Bavaria", City: "Munich"}, of("192.0.2.200"), "English where the file has no Russian")
	require.Equal(t, place.Place{Country: "FR"}, of("2001:db8::7"))
	require.Zero(t, of("198.51.100.1"), "that is no country")
	require.Zero(t, of("8.8.8.8"))
	require.Zero(t, n.Of(netip.Addr{}))
	cut := of("203.0.113.1")
	require.Equal(t, "City", cut.City)
	require.True(t, strings.HasPrefix(cut.Area, "A long long"), cut.Area)
	require.LessOrEqual(t, len(cut.Area), 80)

	n.Use(place.Settings{File: path})
	require.Equal(t, "Khimki", of("192.0.2.1").City)
	n.Use(place.Settings{})
	require.Zero(t, of("192.0.2.1"))
}

func TestTheFileIsReadAgainWhenItChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "city.mmdb")
	core, logs := observer.New(zap.WarnLevel)
	n := place.New(zap.New(core))
	city := func() string { return n.Of(netip.MustParseAddr("192.0.2.1")).City }
	n.Use(place.Settings{File: path})
	n.Look()
	require.Len(t, logs.TakeAll(), 1, "that it is missing is told once")

	written(t, path, networks)
	n.Look()
	require.Equal(t, "Khimki", city())

	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, broken := range [][]byte{nil, whole[:len(whole)/2], []byte("no database")} {
		require.NoError(t, os.WriteFile(path, broken, 0o600))
		n.Look()
		n.Look()
		require.Len(t, logs.TakeAll(), 1)
		require.Equal(t, "Khimki", city(), "the former file stays in use")
		_, err := place.Check(place.Settings{File: path})
		require.Error(t, err)
	}
	require.NoError(t, os.Remove(path))
	n.Look()
	require.Len(t, logs.TakeAll(), 1)
	require.Equal(t, "Khimki", city())

	written(t, path, map[string]mmdbtype.Map{"192.0.2.0/24": in("GB", named("England", ""), named("Leeds", ""))})
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Second)))
	n.Look()
	require.Empty(t, logs.All())
	require.Equal(t, "Leeds", city())
	of, err := place.Check(place.Settings{File: path})
	require.NoError(t, err)
	require.Contains(t, of, "Test-City")

	written(t, path, map[string]mmdbtype.Map{"192.0.2.0/24": {"autonomous_system_number": mmdbtype.Uint32(64500)}})
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(2*time.Second)))
	n.Look()
	require.Contains(t, logs.TakeAll()[0].ContextMap()["error"], "expected one of cities or countries")
	require.Equal(t, "Leeds", city())
}

func BenchmarkOf(b *testing.B) {
	t := new(testing.T)
	path := filepath.Join(b.TempDir(), "city.mmdb")
	written(t, path, networks)
	n := place.New(zap.NewNop())
	n.Use(place.Settings{File: path, Language: "ru"})
	address := netip.MustParseAddr("192.0.2.1")
	b.ReportAllocs()
	for b.Loop() {
		n.Of(address)
	}
}
