package help

import (
	"bytes"
	"html/template"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/image/webp"

	"github.com/seed-3405227d/frontdesk/docs"
)

// markdown reads the pages as GitHub does. HTML in them is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// render returns the title of a page, and all of it as HTML. Its links lead to where the console shows what they name.
func render(source []byte) (title string, page template.HTML, err error) {
	document := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(make(ids)))))
	var elsewhere []ast.Node // links to files that are not part of the program
	err = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if title == "" {
				title = textOf(n, source)
			}
		case *ast.Image:
			measure(n)
			n.Destination = append([]byte("/help/"), n.Destination...)
		case *ast.Link:
			to, there := addressOf(string(n.Destination))
			if n.Destination = []byte(to); !there {
				elsewhere = append(elsewhere, n)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", "", err
	}
	for _, link := range elsewhere { // only their words stay
		for link.HasChildren() {
			link.Parent().InsertBefore(link.Parent(), link, link.FirstChild())
		}
		link.Parent().RemoveChild(link.Parent(), link)
	}
	var out bytes.Buffer
	err = markdown.Renderer().Render(&out, source, document)
	return title, template.HTML(reachable.Replace(out.String())), err
}

// measure has a picture wait until it is looked at, and keeps its place free until then.
func measure(n *ast.Image) {
	n.SetAttributeString("loading", []byte("lazy"))
	file, err := docs.Files.Open(string(n.Destination))
	if err != nil {
		return
	}
	defer file.Close()
	if size, err := webp.DecodeConfig(file); err == nil {
		n.SetAttributeString("width", strconv.AppendInt(nil, int64(size.Width), 10))
		n.SetAttributeString("height", strconv.AppendInt(nil, int64(size.Height), 10))
	}
}

// reachable lets the keyboard scroll what is wider than the page. A head without words is none.
var reachable = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<table tabindex="0">`, "<th></th>", "<td></td>")

// addressOf is where the console has what a link in the documentation names. There is false for a file of the sources.
func addressOf(link string) (to string, there bool) {
	switch file, fragment, _ := strings.Cut(link, "#"); {
	case strings.Contains(link, "://"):
		return link, true
	case file == "":
		return "#" + prefix + fragment, true
	case strings.HasPrefix(file, ".."):
		return "", false
	default:
		to = "/help/" + strings.TrimSuffix(file, ".md")
		if file == "README.md" {
			to = "/help"
		}
		if fragment != "" {
			to += "#" + prefix + fragment
		}
		return to, true
	}
}

// textOf is what people read in the node.
func textOf(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, is := n.(*ast.Text); is && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// prefix stands before the ids of headings, so that none is that of a part of the console's page.
const prefix = "doc-"

// ids are those that the headings of a page have, as GitHub makes them.
type ids map[string]int

// Generate makes the id of a heading. It has the letters of its text, in small, with hyphens for spaces.
func (i ids) Generate(heading []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, string(heading))
	n := i[id]
	i[id]++
	if n > 0 {
		id += "-" + strconv.Itoa(n)
	}
	return []byte(prefix + id)
}

// Put notes an id that is taken.
func (i ids) Put(id []byte) { i[string(id)]++ }
