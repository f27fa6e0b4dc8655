// Package account has the commands for who may come in: the accounts of the console, and the tokens of programs.
package account

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Database opens the database that a command names, for f.
type Database func(cmd *cobra.Command, f func(context.Context, *db.DB) error) error

// Commands are the commands, on the database.
func Commands(on Database) []*cobra.Command {
	return []*cobra.Command{on.operatorCommand(), on.tokenCommand()}
}

func (on Database) operatorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "operator",
		Short: "Manages the accounts of the console",
	}
	cmd.AddCommand(on.addOperatorCommand(), on.changeOperatorCommand(), on.passwdCommand(), on.twoStepOffCommand(), on.removeOperatorCommand(), on.listOperatorsCommand())
	return cmd
}

func (on Database) addOperatorCommand() *cobra.Command {
	add := &cobra.Command{
		Use:   "add LOGIN",
		Short: "Makes an account; asks for the password, or reads it from standard input",
		Args:  oneLogin,
		RunE: func(cmd *cobra.Command, args []string) error {
			role, _ := cmd.Flags().GetString("role")
			name, _ := cmd.Flags().GetString("name")
			return on.withAccounts(cmd, func(ctx context.Context, a accounts) error {
				sites, err := a.sitesOf(ctx, cmd)
				if err != nil {
					return err
				}
				if role == "" {
					if role, err = a.usualRole(ctx); err != nil {
						return err
					}
				}
				password, err := readPassword(cmd)
				if err != nil {
					return err
				}
				made, err := a.Create(ctx, operator.Server(), operator.Account{
					Login: args[0], Name: name, Password: password, Role: operator.Role(role), Sites: sites})
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s can sign in now (%s)\n", made.Login, made.Role)
				return nil
			})
		},
	}
	add.Flags().String("role", "", "admin, operator or analyst (default: operator; admin for the first account)")
	add.Flags().String("name", "", "Name that others see")
	add.Flags().StringArray("site", nil, "Key of a site that the account sees; may be given several times (default: all sites)")
	return add
}

func (on Database) changeOperatorCommand() *cobra.Command {
	change := &cobra.Command{
		Use:   "change LOGIN",
		Short: "Changes an account's name, role or sites",
		Args:  oneLogin,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags := cmd.Flags()
			if flags.NFlag() == 0 || !flags.Changed("name") && !flags.Changed("role") && !flags.Changed("site") && !flags.Changed("all-sites") {
				return errors.New("expected what to change: --name, --role, --site or --all-sites")
			}
			return on.withAccount(cmd, args[0], func(ctx context.Context, a accounts, account operator.Operator) error {
				sites, err := a.sitesOf(ctx, cmd)
				if err != nil {
					return err
				}
				if flags.Changed("name") {
					account.Name, _ = flags.GetString("name")
				}
				if flags.Changed("role") {
					role, _ := flags.GetString("role")
					account.Role = operator.Role(role)
				}
				var wanted *scope.Sites
				if flags.Changed("site") || flags.Changed("all-sites") {
					wanted = &sites
				}
				if err := a.Edit(ctx, operator.Server(), account.ID, account.Name, account.Role, wanted); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s is changed\n", account.Login)
				return nil
			})
		},
	}
	change.Flags().String("role", "", "admin, operator or analyst")
	change.Flags().String("name", "", "Name that others see")
	change.Flags().StringArray("site", nil, "Key of a site that the account sees; may be given several times")
	change.Flags().Bool("all-sites", false, "The account sees all sites")
	change.MarkFlagsMutuallyExclusive("site", "all-sites")
	return change
}

func (on Database) passwdCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "passwd LOGIN",
		Short: "Changes a password and ends the account's sessions",
		Args:  oneLogin,
		RunE: func(cmd *cobra.Command, args []string) error {
			return on.withAccount(cmd, args[0], func(ctx context.Context, a accounts, account operator.Operator) error {
				password, err := readPassword(cmd)
				if err != nil {
					return err
				}
				if err := a.Passwd(ctx, operator.Server(), account.Login, password); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "the password of %s is changed\n", account.Login)
				return nil
			})
		},
	}
}

func (on Database) twoStepOffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "two-step-off LOGIN",
		Short: "Turns an account's two-step sign-in off and removes its passkeys, for who has lost them",
		Args:  oneLogin,
		RunE: func(cmd *cobra.Command, args []string) error {
			return on.withAccount(cmd, args[0], func(ctx context.Context, a accounts, account operator.Operator) error {
				err := passkey.New(a.db, a.Operators, time.Now).RemoveAll(ctx, operator.Server(), account.ID)
				if off := twostep.New(a.db, time.Now).TurnOff(ctx, operator.Server(), account.ID); err == nil && !errors.Is(off, twostep.ErrOff) || errors.Is(err, passkey.ErrUnknown) {
					err = off
				}
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s signs in with the password alone\n", account.Login)
				return nil
			})
		},
	}
}

func (on Database) removeOperatorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove LOGIN",
		Short: "Removes an account for good and ends its sessions",
		Args:  oneLogin,
		RunE: func(cmd *cobra.Command, args []string) error {
			return on.withAccount(cmd, args[0], func(ctx context.Context, a accounts, account operator.Operator) error {
				if err := a.Remove(ctx, operator.Server(), account.ID); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s is removed\n", account.Login)
				return nil
			})
		},
	}
}

func (on Database) listOperatorsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Lists the accounts",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return on.withAccounts(cmd, func(ctx context.Context, a accounts) error {
				list, err := a.List(ctx, scope.All())
				if err != nil {
					return err
				}
				sites, err := a.sites.List(ctx)
				if err != nil {
					return err
				}
				return printOperators(cmd.OutOrStdout(), list, sites)
			})
		},
	}
}

// oneLogin refuses a command that does not name one account.
func oneLogin(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("expected one login: %s", cmd.UseLine())
	}
	return nil
}

func printOperators(w io.Writer, accounts []operator.Operator, sites []site.Site) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "LOGIN\tROLE\tSITES\tSINCE\tSTATE")
	for _, a := range accounts {
		var state []string
		if a.Provisioned {
			state = append(state, "declared in the configuration")
		}
		if a.Disabled {
			state = append(state, "disabled")
		}
		if a.Waiting {
			state = append(state, "waits for a password")
		}
		if a.Present {
			state = append(state, "has the console open")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", a.Login, a.Role, KeysOf(a.Sites, sites), a.CreatedAt.Format(time.DateOnly), strings.Join(state, ", "))
	}
	return table.Flush()
}

// KeysOf are the keys of the sites that are seen, with commas between them; "all" for all of them.
func KeysOf(seen scope.Sites, sites []site.Site) string {
	if seen.All() {
		return "all"
	}
	var keys []string
	for _, s := range sites {
		if seen.Has(s.ID) {
			keys = append(keys, s.Key)
		}
	}
	return strings.Join(keys, ",")
}

// accounts are the operators, and the sites that they may see.
type accounts struct {
	*operator.Operators
	sites *site.Sites
	db    *db.DB
}

func (on Database) withAccounts(cmd *cobra.Command, f func(context.Context, accounts) error) error {
	return on(cmd, func(ctx context.Context, d *db.DB) error {
		return f(ctx, accounts{operator.New(d, time.Now), site.New(d, time.Now, zap.NewNop()), d})
	})
}

// usualRole is that of a new account of which nobody says another. Without an admin, nobody could set up the console.
func (a accounts) usualRole(ctx context.Context) (string, error) {
	some, err := a.SetUp(ctx)
	if err != nil || some {
		return string(operator.Agent), err
	}
	return string(operator.Admin), nil
}

// withAccount is withAccounts for the account of the login.
func (on Database) withAccount(cmd *cobra.Command, login string, f func(context.Context, accounts, operator.Operator) error) error {
	return on.withAccounts(cmd, func(ctx context.Context, a accounts) error {
		list, err := a.List(ctx, scope.All())
		if err != nil {
			return err
		}
		for _, o := range list {
			if strings.EqualFold(o.Login, login) {
				return f(ctx, a, o)
			}
		}
		return fmt.Errorf("%w: %.80q", operator.ErrUnknown, login)
	})
}

// sitesOf are the sites that the command names, or all.
func (a accounts) sitesOf(ctx context.Context, cmd *cobra.Command) (scope.Sites, error) {
	keys, _ := cmd.Flags().GetStringArray("site")
	if len(keys) == 0 {
		return scope.All(), nil
	}
	var ids []int64
	for _, key := range keys {
		found, err := a.sites.ByKey(ctx, key)
		if errors.Is(err, site.ErrUnknown) { // keys that follow hosts are lower case
			found, err = a.sites.ByKey(ctx, strings.ToLower(key))
		}
		if err != nil {
			return scope.Sites{}, fmt.Errorf("site %.80q: %w", key, err)
		}
		ids = append(ids, found.ID)
	}
	return scope.Of(ids...), nil
}
