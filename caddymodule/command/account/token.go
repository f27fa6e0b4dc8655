package account

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

func (on Database) tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Manages the tokens by which programs call the API",
	}
	cmd.AddCommand(on.makeTokenCommand(), on.revokeTokenCommand(), on.listTokensCommand())
	return cmd
}

func (on Database) makeTokenCommand() *cobra.Command {
	add := &cobra.Command{
		Use:   "add NAME",
		Short: "Makes a token and prints it; it is shown only once",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags := cmd.Flags()
			names, _ := flags.GetStringArray("scope")
			days, _ := flags.GetInt("days")
			made := token.Token{Name: args[0]}
			for _, name := range names {
				made.Scopes = append(made.Scopes, token.Scope(name))
			}
			return on.withTokens(cmd, func(ctx context.Context, a accounts, tokens *token.Tokens) (err error) {
				if made.Sites, err = a.sitesOf(ctx, cmd); err != nil {
					return err
				}
				_, secret, err := tokens.Make(ctx, operator.Server(), made, days)
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), secret)
				return nil
			})
		},
	}
	add.Flags().StringArray("scope", nil, "What the token opens; may be given several times: "+scopeNames(token.Scopes))
	add.Flags().StringArray("site", nil, "Key of a site that it opens; may be given several times (default: all sites)")
	add.Flags().Int("days", 365, "For how many days it opens")
	return add
}

func (on Database) revokeTokenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NUMBER",
		Short: "Ends a token at once",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return errors.New("expected the number of a token, as in the list")
			}
			return on.withTokens(cmd, func(ctx context.Context, _ accounts, tokens *token.Tokens) error {
				if err := tokens.Revoke(ctx, operator.Server(), id); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "token %d opens nothing any more\n", id)
				return nil
			})
		},
	}
}

func (on Database) listTokensCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Lists the tokens that have not ended",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return on.withTokens(cmd, func(ctx context.Context, a accounts, tokens *token.Tokens) error {
				list, err := tokens.List(ctx, scope.All(), token.Max)
				if err != nil {
					return err
				}
				sites, err := a.sites.List(ctx)
				if err != nil {
					return err
				}
				return printTokens(cmd.OutOrStdout(), list, sites)
			})
		},
	}
}

func printTokens(w io.Writer, list []token.Token, sites []site.Site) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NUMBER\tNAME\tOPENS\tSITES\tUNTIL\tLAST USED\tMADE BY")
	for _, t := range list {
		used, by := "never", t.By
		if !t.UsedAt.IsZero() {
			used = t.UsedAt.Format(time.DateTime)
		}
		if by == "" {
			by = "command"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Name, scopeNames(t.Scopes), KeysOf(t.Sites, sites), t.EndsAt.Format(time.DateOnly), used, by)
	}
	return table.Flush()
}

func scopeNames(scopes []token.Scope) string {
	var names []string
	for _, s := range scopes {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func (on Database) withTokens(cmd *cobra.Command, f func(context.Context, accounts, *token.Tokens) error) error {
	return on.withAccounts(cmd, func(ctx context.Context, a accounts) error { return f(ctx, a, token.New(a.db, time.Now)) })
}
