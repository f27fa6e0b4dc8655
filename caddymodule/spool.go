package caddymodule

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/dustin/go-humanize"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/caddymodule/placeholder"
)

// Spool is where forms wait while the database is away.
type Spool struct {
	// The path of a file, perhaps on another disk than the database. Its folder has to be
	// there. Placeholders are resolved when the configuration is loaded. Default: beside a
	// SQLite database, with `.forms` behind its name; `frontdesk.forms` in Caddy's data
	// directory with PostgreSQL.
	File string `json:"file,omitempty"`

	// How many bytes the file takes from the disk in advance, from 1 MB to 4 GB. Default: 64 MiB.
	Size int64 `json:"size,omitempty"`
}

// settings fills in the defaults and the placeholders, and checks the result.
func (o *Spool) settings(database db.Settings, from placeholder.Places) (spool.Settings, error) {
	settings := spool.Settings{File: filepath.Join(caddy.AppDataDir(), "frontdesk.forms"), Size: spool.DefaultSize}
	if database.Engine == db.SQLite {
		settings.File = database.Source + ".forms"
	}
	if o == nil {
		return settings, nil
	}
	if o.Size != 0 {
		if settings.Size = o.Size; checkSpoolSize(o.Size) != nil {
			return spool.Settings{}, checkSpoolSize(o.Size)
		}
	}
	if o.File != "" {
		file, err := placeholder.Fill(o.File)
		if err == nil {
			file, err = filepath.Abs(file)
		}
		if err != nil {
			return spool.Settings{}, from.At(o.File, fmt.Errorf("spool: %w", err))
		}
		if file != settings.File {
			settings.File, settings.Former = file, settings.File
		}
	}
	return settings, nil
}

func checkSpoolSize(size int64) error {
	if size < spool.MinSize || size > spool.MaxSize {
		return errors.New("spool: expected a size from 1MiB to 4GiB, such as size 256MB")
	}
	return nil
}

// readSpool reads an option of the app:
//
//	spool {
//		file <path>
//		size <size>
//	}
func readSpool(a *App, d *caddyfile.Dispenser) error {
	if a.Spool != nil {
		return d.Err("spool is configured already: expected one block")
	}
	a.Spool = new(Spool)
	if d.NextArg() {
		return d.Errf("unexpected %q: expected a block with file and size", d.Val())
	}
	var size string
	fields := map[string]*string{"file": &a.Spool.File, "size": &size}
	for d.NextBlock(1) {
		name := d.Val()
		to, known := fields[name]
		if !known {
			return d.Errf("unknown option %q of spool: expected file or size", name)
		}
		if *to != "" {
			return d.Errf("%s is given already: expected one", name)
		}
		if !d.AllArgs(to) || *to == "" {
			return d.Errf("expected: %s VALUE, as in: spool { file /mnt/other/frontdesk.forms, size 256MB }", name)
		}
		a.WrittenAt.Note(d, *to)
	}
	if size != "" {
		bytes, err := humanize.ParseBytes(size)
		if err != nil || bytes > spool.MaxSize {
			bytes = 0
		}
		if a.Spool.Size = int64(bytes); checkSpoolSize(a.Spool.Size) != nil {
			return d.Err(checkSpoolSize(a.Spool.Size).Error())
		}
	}
	return nil
}

// FormsHealth is what waits for the database, as health tells it.
type FormsHealth struct {
	// Waiting is how many forms wait in File, which has room for Room bytes more.
	Waiting int    `json:"waiting"`
	File    string `json:"file"`
	Room    int64  `json:"room"`
	// Error is why forms may be lost, and what to do.
	Error string `json:"error,omitempty"`
}

func (a *App) formsHealth() *FormsHealth {
	state := a.service.forms.State()
	told := &FormsHealth{Waiting: state.Waiting, File: state.File, Room: state.Room}
	switch {
	case state.Full():
		told.Error = "the file is full: forms are lost until the database takes them; make room on its disk, or give spool a larger size"
	case state.Trouble != nil:
		told.Error = state.Trouble.Error() + ": make room on that disk, or name a file on another one by spool in the configuration"
	}
	return told
}

// spoolState is how many forms wait, and for how many bytes of forms there is room.
func spoolState() (waiting int, room int64) {
	services.Range(func(_, shared any) bool {
		state := shared.(*sharedService).forms.State()
		waiting, room = waiting+state.Waiting, room+state.Room
		return true
	})
	return waiting, room
}

// String says it in a line.
func (f *FormsHealth) String() string {
	return strconv.Itoa(f.Waiting) + " wait in " + f.File + ", which has room for " + humanize.Bytes(uint64(f.Room)) + " more"
}
