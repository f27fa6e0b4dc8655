package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
)

// When a table grows, SQLite moves rows from one page to another. What it moves stays behind as it was, between the
// cells of the page, and secure_delete does not reach it there. So a row that is deleted may have left its text in
// pages that it stood in before.

const (
	// wipedAtOnce bounds the pages that are written in one transaction: others write between them.
	wipedAtOnce = 64
	// maxWiped is the size in pages from which the first byte of a page does not tell any more whether it is of a tree:
	// the first byte of any other page is that of the number of a page, and the smallest kind of a tree is 2.
	maxWiped = 2 << 24
)

// wipe writes zeros over what stands between the cells of pages. Of pages that have nothing there it reads alone.
func (d *Database) wipe(ctx context.Context) error {
	var pages int64
	if err := d.Read.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
		return fmt.Errorf("counting the pages of the database: %w", err)
	}
	if pages >= maxWiped {
		return nil
	}
	for first := int64(1); first <= pages; {
		left, next, err := d.withSlack(ctx, first, pages)
		if err != nil {
			return err
		}
		if err := d.wipePages(ctx, left); err != nil {
			return err
		}
		first = next
	}
	return nil
}

// withSlack returns pages from first to last that have to be wiped, [wipedAtOnce] at most, and the page to go on from.
func (d *Database) withSlack(ctx context.Context, first, last int64) (pages []int64, next int64, err error) {
	page, err := d.Read.PrepareContext(ctx, "SELECT data FROM sqlite_dbpage WHERE pgno = ?")
	if err != nil {
		return nil, 0, fmt.Errorf("reading pages of the database: %w", err)
	}
	defer page.Close()
	for next = first; next <= last && len(pages) < wipedAtOnce; next++ {
		var content []byte
		err := page.QueryRowContext(ctx, next).Scan(&content)
		if errors.Is(err, sql.ErrNoRows) { // the file has become shorter
			continue
		}
		if err != nil {
			return nil, 0, fmt.Errorf("reading page %d of the database: %w", next, err)
		}
		if wipeSlack(content, next == 1) {
			pages = append(pages, next)
		}
	}
	return pages, next, nil
}

// wipePages wipes the pages as they are now.
func (d *Database) wipePages(ctx context.Context, pages []int64) error {
	if len(pages) == 0 {
		return nil
	}
	tx, err := d.Write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("wiping pages of the database: %w", err)
	}
	defer tx.Rollback()
	for _, number := range pages {
		var content []byte
		err := tx.QueryRowContext(ctx, "SELECT data FROM sqlite_dbpage WHERE pgno = ?", number).Scan(&content)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err == nil && wipeSlack(content, number == 1) {
			_, err = tx.ExecContext(ctx, "UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?", content, number)
		}
		if err != nil {
			return fmt.Errorf("wiping page %d of the database: %w", number, err)
		}
	}
	return tx.Commit()
}

// wipeSlack writes zeros between the pointers and the cells of a page of a tree, and returns whether anything else stood
// there. It leaves pages of other kinds as they are. See https://www.sqlite.org/fileformat.html, B-tree Pages.
func wipeSlack(page []byte, first bool) (changed bool) {
	at := 0
	if first {
		at = 100 // the header of the file
	}
	if len(page) < at+12 {
		return false
	}
	head := page[at:]
	pointers := at
	switch head[0] {
	case 2, 5: // an inner page of an index or table
		pointers += 12
	case 10, 13: // a leaf
		pointers += 8
	default:
		return false
	}
	cells := int(binary.BigEndian.Uint16(head[3:]))
	from, to := pointers+2*cells, int(binary.BigEndian.Uint16(head[5:]))
	if to == 0 {
		to = 1 << 16
	}
	if from > to || to > len(page) {
		return false
	}
	slack := page[from:to]
	for _, b := range slack {
		if b != 0 {
			clear(slack)
			return true
		}
	}
	return false
}
