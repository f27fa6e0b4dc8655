package account

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
)

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
	return password, passwords.Check(password)
}
