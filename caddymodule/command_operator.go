package caddymodule

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"golang.org/x/term"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

func operatorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "operator",
		Short: "Keeps the accounts of the console",
	}
	add := &cobra.Command{
		Use:   "add LOGIN",
		Short: "Makes an account; the password is asked for, or read from standard input",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			role, _ := cmd.Flags().GetString("role")
			name, _ := cmd.Flags().GetString("name")
			return withOperators(cmd, func(ctx context.Context, operators *operator.Operators) error {
				password, err := readPassword(cmd)
				if err != nil {
					return err
				}
				account := operator.Account{Login: args[0], Name: name, Password: password, Role: operator.Role(role)}
				made, err := operators.Create(ctx, account)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s can sign in now (%s)\n", made.Login, made.Role)
				return nil
			})
		},
	}
	add.Flags().String("role", string(operator.Admin), "admin or operator")
	add.Flags().String("name", "", "Name that others see")
	passwd := &cobra.Command{
		Use:   "passwd LOGIN",
		Short: "Changes a password and ends the account's sessions",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withOperators(cmd, func(ctx context.Context, operators *operator.Operators) error {
				password, err := readPassword(cmd)
				if err != nil {
					return err
				}
				if err := operators.Passwd(ctx, args[0], password); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "the password of %s is changed\n", args[0])
				return nil
			})
		},
	}
	list := &cobra.Command{
		Use:   "list",
		Short: "Lists the accounts",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withOperators(cmd, func(ctx context.Context, operators *operator.Operators) error {
				accounts, err := operators.List(ctx)
				if err != nil {
					return err
				}
				return printOperators(cmd.OutOrStdout(), accounts)
			})
		},
	}
	cmd.AddCommand(add, passwd, list)
	refuseOthers(cmd)
	return cmd
}

func printOperators(w io.Writer, accounts []operator.Operator) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "LOGIN\tROLE\tSINCE\tSTATE")
	for _, a := range accounts {
		var state []string
		if a.Provisioned {
			state = append(state, "declared in the configuration")
		}
		if a.Disabled {
			state = append(state, "disabled")
		}
		if a.Present {
			state = append(state, "has the console open")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", a.Login, a.Role, a.CreatedAt.Format(time.DateOnly), strings.Join(state, ", "))
	}
	return table.Flush()
}

// withOperators opens the database for f.
func withOperators(cmd *cobra.Command, f func(context.Context, *operator.Operators) error) error {
	settings, err := databaseOf(cmd)
	if err != nil {
		return err
	}
	d, err := db.Open(cmd.Context(), settings, zap.NewNop())
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Migrate(cmd.Context()); err != nil {
		return err
	}
	return f(cmd.Context(), operator.New(d, time.Now))
}

// readPassword asks for a password twice, without showing it; where standard
// input is no terminal, its first line is the password.
func readPassword(cmd *cobra.Command) (string, error) {
	input, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(input.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 4096)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("reading password: %w", err)
		}
		return checkedPassword(strings.TrimRight(line, "\r\n"))
	}
	ask := func(question string) (string, error) {
		fmt.Fprint(cmd.ErrOrStderr(), question)
		defer fmt.Fprintln(cmd.ErrOrStderr())
		answer, err := term.ReadPassword(int(input.Fd()))
		return string(answer), err
	}
	password, err := ask("Password: ")
	if err != nil {
		return "", fmt.Errorf("reading password: %w", err)
	}
	if _, err := checkedPassword(password); err != nil {
		return "", err
	}
	again, err := ask("The same again: ")
	if err != nil {
		return "", fmt.Errorf("reading password: %w", err)
	}
	if again != password {
		return "", errors.New("the two passwords differ")
	}
	return password, nil
}

func checkedPassword(password string) (string, error) {
	return password, operator.CheckPassword(password)
}
