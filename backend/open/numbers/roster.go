package numbers

import (
	"context"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/roster"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
)

type importInput struct {
	frame.SiteInput
	frame.Match
	Body struct {
		Table   string `json:"table" minLength:"1" maxLength:"65536" doc:"A table as CSV, with the names of the columns in one of its first lines." example:"number,source,pool\n+7 495 765-43-21,news*,\n"`
		Printed string `json:"printed,omitempty" maxLength:"40" doc:"The number on the pages in whose place those are shown for which the table names none." example:"+7 495 123-45-67"`
		Look    bool   `json:"look,omitempty" doc:"Only tell what would be added, and what is wrong."`
	}
}

// ImportedNumber is a number of a table that is new at the site.
type ImportedNumber struct {
	Line     int      `json:"line" doc:"The line of the table, from 1 on."`
	Number   string   `json:"number" doc:"Digits in international form."`
	Replaces string   `json:"replaces" doc:"The number on the pages; empty for a number of a pool that is not said for one."`
	Name     string   `json:"name"`
	Pool     string   `json:"pool" doc:"The name of its pool at the site; empty for a number that all visitors of its sources see."`
	When     []string `json:"when" nullable:"false" doc:"The conditions of its sources."`
}

// ImportMistake is what is wrong in a line.
type ImportMistake struct {
	Line    int    `json:"line" doc:"The line of the table, from 1 on; 0 for a mistake of the whole."`
	Message string `json:"message"`
}

type importOutput struct {
	ETag string `header:"ETag"`
	Body struct {
		Added []ImportedNumber `json:"added" nullable:"false"`
		Known int              `json:"known" doc:"How many numbers of the table the site has already."`
		Made  []string         `json:"made" nullable:"false" doc:"The names of new pools."`
		Wrong []ImportMistake  `json:"wrong" nullable:"false" doc:"At most 100. While there is one, nothing can be added."`
	}
}

// take adds the numbers of a table at once, or none of them.
func (r *room) take(ctx context.Context, in *importInput) (*importOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	n, err := r.numbering(ctx, s)
	if err != nil {
		return nil, err
	}
	table, err := roster.Read([]byte(in.Body.Table), number.Digits(in.Body.Printed), n.Beside(""))
	if err != nil {
		return nil, frame.Wrong("body.table", err, nil)
	}
	joined := table.Join(s.Settings.Own(), n.ConfiguredNumber)
	if len(table.Wrong) == 0 {
		if wrong := n.Check(joined.Own, ""); wrong != nil {
			table.Wrong = append(table.Wrong, roster.Wrong{Line: joined.Line(wrong), Err: wrong})
		}
	}
	version := frame.VersionTag(s.Version)
	if !in.Body.Look {
		if len(table.Wrong) > 0 {
			return nil, wrongLines(table.Wrong)
		}
		changed, err := r.change(ctx, in.Site, in.Match, "", func(own *number.Own) error {
			joined = table.Join(*own, n.ConfiguredNumber)
			*own = joined.Own
			return nil
		})
		if err != nil {
			return nil, err
		}
		version = changed.ETag
	}
	out := &importOutput{ETag: version}
	out.Body.Added, out.Body.Known, out.Body.Made, out.Body.Wrong = make([]ImportedNumber, len(joined.Added)), joined.Known, append([]string{}, joined.Made...), []ImportMistake{}
	for i, row := range joined.Added {
		out.Body.Added[i] = ImportedNumber{Line: row.Line, Number: row.Number, Replaces: row.Printed, Name: row.Name, Pool: row.Pool, When: append([]string{}, row.When...)}
	}
	for _, wrong := range table.Wrong {
		out.Body.Wrong = append(out.Body.Wrong, ImportMistake{wrong.Line, wrong.Err.Error()})
	}
	return out, nil
}

// wrongLines refuses a table, with each of its mistakes.
func wrongLines(wrong []roster.Wrong) error {
	details := make([]error, len(wrong))
	for i, w := range wrong {
		message := w.Err.Error()
		if w.Line > 0 {
			message = fmt.Sprintf("line %d: %s", w.Line, message)
		}
		details[i] = &huma.ErrorDetail{Location: "body.table", Message: message}
	}
	return huma.Error422UnprocessableEntity("validation failed", details...)
}
