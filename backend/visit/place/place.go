// Package place tells from which country, area and city somebody asks, by a file of networks that the configuration names.
package place

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/oschwald/maxminddb-golang/v2"

	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// Place is where somebody is, as far as that is known.
type Place struct {
	// Country is an ISO 3166-1 code of two letters, and Area a part of the country.
	Country, Area, City string
}

// maxName bounds a name, in bytes.
const maxName = 80

// MaxFile bounds a file, in bytes: it is kept in memory.
const MaxFile = 1 << 30

// DefaultLanguage is the language of names where the settings name none, and of those that a file has in no other.
const DefaultLanguage = "en"

// Settings say by which file places are told.
type Settings struct {
	// File is the path of a database in MaxMind's format; empty for none.
	File string
	// Language is that of the names, as the file names it. Default: DefaultLanguage.
	Language string
}

// file is a file of networks as it was read.
type file struct {
	*maxminddb.Reader
	language string
}

// errChanging is the error of a file that is being written.
var errChanging = errors.New("the file is being written")

// version tells one state of a file from another.
type version struct {
	size    int64
	changed time.Time
}

func versionOf(info os.FileInfo) version { return version{info.Size(), info.ModTime()} }

// read reads the file whole. A file that is mapped into memory instead would end the process when somebody shortens it.
func read(s Settings) (*file, error) {
	f, err := os.Open(s.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, errors.New("expected a file")
	}
	if before.Size() > MaxFile {
		return nil, fmt.Errorf("the file has %d bytes: expected at most %d", before.Size(), MaxFile)
	}
	content := bytes.NewBuffer(make([]byte, 0, before.Size()+bytes.MinRead)) // which Stat has measured: nobody has just claimed it
	if _, err := io.Copy(content, io.LimitReader(f, before.Size()+1)); err != nil {
		return nil, err
	}
	after, err := os.Stat(s.File)
	if err != nil {
		return nil, err
	}
	if versionOf(before) != versionOf(after) || int64(content.Len()) != before.Size() {
		return nil, errChanging
	}
	reader, err := maxminddb.OpenBytes(content.Bytes())
	if err != nil {
		return nil, err
	}
	if !tellsCountries(reader) {
		return nil, fmt.Errorf("the file is of the type %q: expected one of cities or countries", clip.Text(reader.Metadata.DatabaseType, maxName))
	}
	return &file{Reader: reader, language: s.Language}, nil
}

// networksTried are the first networks of a file, in which a country is looked for.
const networksTried = 1000

// tellsCountries tells a file of places from one of something else, such as of providers.
func tellsCountries(of *maxminddb.Reader) bool {
	tried := 0
	for network := range of.Networks() {
		if tried++; tried > networksTried {
			break
		}
		if country(network) != "" {
			return true
		}
	}
	return false
}

// of is the place of the address. What the file does not tell is empty.
func (f *file) of(address netip.Addr) (p Place) {
	if !address.IsValid() {
		return p
	}
	found := f.Lookup(address)
	if !found.Found() {
		return p
	}
	if p.Country = country(found); p.Country == "" {
		return p
	}
	p.Area, p.City = f.name(found, "subdivisions", 0), f.name(found, "city")
	return p
}

func country(found maxminddb.Result) (code string) {
	if found.DecodePath(&code, "country", "iso_code") != nil || len(code) != 2 || !isLetter(code[0]) || !isLetter(code[1]) {
		return ""
	}
	return code
}

func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' }

// name is the name of what is at the path.
func (f *file) name(found maxminddb.Result, path ...any) (name string) {
	for _, language := range []string{f.language, DefaultLanguage} {
		if err := found.DecodePath(&name, append(path, "names", language)...); err == nil && name != "" {
			break
		}
	}
	return strings.TrimSpace(clip.Text(name, maxName))
}
