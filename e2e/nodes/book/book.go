// Package book keeps what a cluster has acknowledged and shown, in the order in which it became known, and checks that it
// all came true: the book against itself, and against what the database has in the end.
package book

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// Kind is what an entry tells of.
type Kind string

// What is sent once under an ID of its own, until it is acknowledged or given up. Sales are leads with a cost.
const (
	Lead    Kind = "lead"
	Sale    Kind = "sale"
	Form    Kind = "form"
	Message Kind = "message" // of a visitor
	Answer  Kind = "answer"  // of an operator, to the conversation Of
	Call    Kind = "call"
	Setting Kind = "setting" // Value is tried, and once more when it has been set
)

// What is seen.
const (
	// Page was asked for at Since. Acknowledged says that it came whole.
	Page Kind = "page"
	// Shown is a number, Value, that the visitor By sees from At to Until.
	Shown Kind = "shown"
	// Claimed has the operator By have the conversation Of from At, surely until Until. Returned ends that: At is when it was
	// asked for.
	Claimed  Kind = "claimed"
	Returned Kind = "returned"
	// Opened is the stream Of, which is there from then on. Heard is an answer, ID, that has come by it.
	Opened Kind = "opened"
	Heard  Kind = "heard"
	// Fault is something, Value, that was wrong from Since to Until. At is when leads were acknowledged again.
	Fault Kind = "fault"
	// Reloaded is a time, from Since to At, in which Caddys read their configuration anew.
	Reloaded Kind = "reloaded"
	// Stalled is a time, from Since to At, in which the machine on which all of it runs gave nobody a processor.
	Stalled Kind = "stalled"
)

// Entry is a line of the book.
type Entry struct {
	At           time.Time `json:"at"`
	Kind         Kind      `json:"kind"`
	ID           string    `json:"id,omitempty"`
	Of           string    `json:"of,omitempty"`
	By           string    `json:"by,omitempty"`
	Value        string    `json:"value,omitempty"`
	Since        time.Time `json:"since,omitzero"`
	Until        time.Time `json:"until,omitzero"`
	Acknowledged bool      `json:"acknowledged,omitempty"`
	// Instead is what came in place of an acknowledgement.
	Instead string `json:"instead,omitempty"`
	// Excused is a page or a form that was with a node when this one ended or stopped.
	Excused bool `json:"excused,omitempty"`
}

// Book is a file to which entries are appended. It is safe for concurrent use.
type Book struct {
	mu      sync.Mutex
	file    *os.File
	entries []Entry
	failed  error
}

// Open begins a book in a new file.
func Open(name string) (*Book, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the book: %w", err)
	}
	return &Book{file: file}, nil
}

// Add writes the entry down, at its time or now.
func (b *Book) Add(e Entry) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	line, err := json.Marshal(e)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		_, err = b.file.Write(append(line, '\n'))
	}
	if err != nil && b.failed == nil {
		b.failed = err
	}
	b.entries = append(b.entries, e)
}

// Entries are all so far, or the error with which one could not be written.
func (b *Book) Entries() ([]Entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clip(b.entries), b.failed
}

// Close closes the file.
func (b *Book) Close() error { return b.file.Close() }

// Load reads a book that was written before.
func Load(name string) (entries []Entry, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for decoder := json.NewDecoder(file); ; {
		var e Entry
		switch err := decoder.Decode(&e); err {
		case nil:
			entries = append(entries, e)
		case io.EOF:
			return entries, nil
		default:
			return entries, err
		}
	}
}
