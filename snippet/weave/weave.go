// Package weave replaces the telephone numbers that an HTML page shows by others, as the page streams by. It owns the rules
// of where on a page a number is, and the changes to the page. The writer of pages hands it a page in pieces of any
// size; the output does not depend on how the page was cut. Only the bytes that may still change are kept, and a few
// names and values.
//
// In its folders are the parts that it is made of: token cuts a page into tokens, and head finds the place for the
// insertion code.
package weave
