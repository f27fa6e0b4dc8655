package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/net/html/charset"
	"golang.org/x/term"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/caddymodule"
	"github.com/seed-3405227d/frontdesk/caddymodule/command/diff"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page/outlet"
)

func rewriteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rewrite [FILE|URL]",
		Short: "Shows what changes in a page for a visitor",
		Long: `
Reads a page from a file, from an address, or from standard input, and shows the
lines in which numbers are replaced.

With --number you name the numbers, each as SHOWN=REPLACEMENT. Otherwise they come from
the configuration, see --config, for the site of --site or of the host in --url. The
visitor comes to --url from --referrer, for the first time.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "-"
			if len(args) == 1 {
				name = args[0]
			}
			return rewritePage(cmd, name)
		},
	}
	flags := cmd.Flags()
	flags.StringArray("number", nil, "Number and replacement, such as 74951234567=74957654321; may be repeated")
	flags.String("site", "", "Key of the site in the configuration")
	flags.String("url", "", "Address by which the visitor comes, such as https://shop.example/?utm_source=news")
	flags.String("referrer", "", "Address of the page from which the visitor comes")
	flags.Bool("html", false, "Print the whole page as it is shown, in its own encoding")
	for _, flag := range []string{"site", "url", "referrer"} {
		cmd.MarkFlagsMutuallyExclusive("number", flag)
	}
	return cmd
}

// maxRewritten bounds the pages that the command reads.
const maxRewritten = 256 << 20

func rewritePage(cmd *cobra.Command, name string) error {
	visitor, err := shownTo(cmd, name)
	if err != nil {
		return err
	}
	page, contentType, err := readPage(cmd.Context(), cmd.InOrStdin(), name, maxRewritten)
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	if len(page) > maxRewritten {
		return fmt.Errorf("reading %s: expected at most %d bytes", name, maxRewritten)
	}
	label := ""
	if _, parameters, err := mime.ParseMediaType(contentType); err == nil {
		label = parameters["charset"]
	}
	var shown bytes.Buffer
	if _, err := outlet.Rewrite(&visitor, &shown, bytes.NewReader(page), label); err != nil {
		return fmt.Errorf("rewriting %s: %w", name, err)
	}
	out := cmd.OutOrStdout()
	if whole, _ := cmd.Flags().GetBool("html"); whole {
		_, err := out.Write(shown.Bytes())
		return err
	}
	if bytes.Equal(page, shown.Bytes()) {
		fmt.Fprintln(cmd.ErrOrStderr(), "nothing changes")
		return nil
	}
	encoding, _, _ := charset.DetermineEncoding(page, contentType)
	decode := func(b []byte) string {
		decoded, err := encoding.NewDecoder().Bytes(b)
		if err != nil {
			decoded = b
		}
		return strings.ToValidUTF8(string(decoded), "\uFFFD")
	}
	return diff.Print(out, name, decode(page), decode(shown.Bytes()), isColorful(out))
}

// isColorful tells whether the output is a terminal of somebody who has not asked
// for plain text (no-color.org).
func isColorful(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("NO_COLOR") == ""
}

// shownTo is what the page's visitor is shown, by the flags or the configuration.
func shownTo(cmd *cobra.Command, name string) (snippet.Shown, error) {
	given, _ := cmd.Flags().GetStringArray("number")
	if len(given) == 0 {
		return shownToVisit(cmd, name)
	}
	var numbers []snippet.Number
	var replacements []string
	for _, pair := range given {
		digits, replacement, ok := strings.Cut(pair, "=")
		if !ok {
			return snippet.Shown{}, fmt.Errorf("number %q: expected a printed number and its replacement, such as 74951234567=74957654321", pair)
		}
		replacement = number.Digits(replacement)
		numbers = append(numbers, snippet.Number{Digits: number.Digits(digits), Tracking: []snippet.Tracking{{Digits: replacement}}})
		replacements = append(replacements, replacement)
	}
	printed, err := snippet.NewPrinted(numbers, false)
	if err != nil {
		return snippet.Shown{}, err
	}
	return printed.Show(replacements, snippet.ForEveryone), nil
}

// shownToVisit is what the configured site shows to the visit that the flags tell.
func shownToVisit(cmd *cobra.Command, name string) (snippet.Shown, error) {
	flags := cmd.Flags()
	address, _ := flags.GetString("url")
	if address == "" && strings.Contains(name, "://") {
		address = name
	}
	if address != "" && address[0] != '/' && !strings.Contains(address, "://") {
		return snippet.Shown{}, fmt.Errorf("address %q: expected one that begins with https:// or http://, or a path", address)
	}
	site, _ := flags.GetString("site")
	came, err := url.Parse(address)
	if err != nil {
		return snippet.Shown{}, fmt.Errorf("reading the visitor's address: %w", err)
	}
	referrer, _ := flags.GetString("referrer")
	h, key, err := configuredHandler(cmd, site, came.Hostname())
	if err != nil {
		return snippet.Shown{}, err
	}
	if h.Prerender != "static" && h.Prerender != "dynamic" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s replaces no numbers on the server: this shows what it would do with \"prerender static\"\n", key)
	}
	block, err := h.Serving()
	if err != nil {
		return snippet.Shown{}, err
	}
	return block.ShownTo(came, referrer), nil
}

// configuredHandler is the handler with numbers, and its site's key.
func configuredHandler(cmd *cobra.Command, site, host string) (*caddymodule.Handler, string, error) {
	encoded, file, err := loadConfig(cmd)
	if errors.Is(err, errNoConfiguration) {
		return nil, "", fmt.Errorf("%w, or --number SHOWN=REPLACEMENT", err)
	} else if err != nil {
		return nil, "", err
	}
	_, ctx, err := provision(encoded)
	if err != nil {
		return nil, "", err
	}
	found, err := ctx.AppIfConfigured("frontdesk")
	if err != nil {
		return nil, "", fmt.Errorf("%s does not use frontdesk: expected the directive in a site", file)
	}
	h, key, err := found.(*caddymodule.App).HandlerWithNumbers(site, host)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	return h, key, nil
}
