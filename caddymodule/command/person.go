package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const aboutPersons = `
Name a person by telephone numbers and e-mail addresses, in any format, and by visitors as
SITE_KEY/VISITOR. Numbers without a country code are read as visitors of the sites write them.`

func eraseCommand() *cobra.Command {
	erase := &cobra.Command{
		Use:   "erase PERSON...",
		Short: "Erases everything that is known about a person",
		Long: `Shows what is known about a person, asks, and erases it for good. Caddy may be running.
` + aboutPersons,
		Args: namedPerson,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withPerson(cmd, args, func(ctx context.Context, p *person.Persons, s person.Sought) error {
				known, err := p.Look(ctx, "", s)
				if err != nil {
					return err
				}
				if known.Total() == 0 {
					fmt.Fprintln(cmd.OutOrStdout(), "nothing is known about this person")
					return nil
				}
				if err := printKnown(cmd.OutOrStdout(), known); err != nil {
					return err
				}
				if sure, _ := cmd.Flags().GetBool("yes"); !sure {
					fmt.Fprint(cmd.ErrOrStderr(), "Erase for good? Type yes: ")
					answer, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 100)).ReadString('\n')
					if err != nil && !errors.Is(err, io.EOF) {
						return fmt.Errorf("reading the answer: %w", err)
					}
					if strings.TrimSpace(answer) != "yes" {
						return errors.New("nothing was erased")
					}
				}
				id, err := p.Erase(ctx, "", s)
				if err != nil {
					return err
				}
				for {
					if err := p.EraseAsked(ctx); err != nil { // unless a running Caddy does
						return err
					}
					e, err := p.Erasure(ctx, id)
					if err != nil {
						return err
					}
					if !e.EndedAt.IsZero() {
						fmt.Fprintf(cmd.OutOrStdout(), "%d rows are erased\n", e.Rows)
						return nil
					}
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(200 * time.Millisecond):
					}
				}
			})
		},
	}
	erase.Flags().Bool("yes", false, "Erases without asking")
	return erase
}

func exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export PERSON...",
		Short: "Writes everything that is known about a person to standard output, as JSON",
		Long: `Writes everything that "erase" would erase, as one JSON object.
` + aboutPersons,
		Args: namedPerson,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withPerson(cmd, args, func(ctx context.Context, p *person.Persons, s person.Sought) error {
				return p.Export(ctx, "", s, cmd.OutOrStdout(), nil)
			})
		},
	}
}

// namedPerson refuses a command that names nobody.
func namedPerson(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%w: %s", person.ErrNobody, cmd.UseLine())
	}
	return nil
}

func printKnown(w io.Writer, known person.Known) error {
	if err := printRows(w, known.Rows); err != nil || len(known.Named) == 0 {
		return err
	}
	fmt.Fprintln(w, "of these, rows that name the person in a text, perhaps somebody else's:")
	return printRows(w, known.Named)
}

func printRows(w io.Writer, rows []person.TableRows) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, t := range rows {
		fmt.Fprintf(table, "%d\t%s\t\n", t.Rows, t.Table)
	}
	return table.Flush()
}

// withPerson opens the service's database for f, with the person whom the arguments name.
func withPerson(cmd *cobra.Command, args []string, f func(context.Context, *person.Persons, person.Sought) error) error {
	settings, err := databaseOf(cmd)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	desk, err := backend.Open(ctx, settings, zap.NewNop(), nil)
	if err != nil {
		return err
	}
	defer desk.Close()
	sought := person.Sought{Sites: scope.All()}
	for _, arg := range args {
		key, id, isVisitor := strings.Cut(arg, "/")
		visitor, err := strconv.ParseInt(id, 10, 64)
		if !isVisitor || err != nil {
			if err := sought.Read(arg); err != nil {
				return fmt.Errorf("%.80q: %w", arg, err)
			}
			continue
		}
		site, err := desk.Sites.ByKey(ctx, key)
		if err != nil {
			return fmt.Errorf("site %.80q: %w", key, err)
		}
		sought.Visitors = append(sought.Visitors, person.Visitor{SiteID: site.ID, ID: visit.ID(visitor)})
	}
	return f(ctx, desk.Persons, sought)
}
