package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3405227d/frontdesk/edge/effect"
	"github.com/seed-3405227d/frontdesk/snippet/survey"
)

func numbersCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "numbers FILE|URL|-...",
		Short: "Lists the telephone numbers on pages, in all their formats",
		Long: `
Lists the telephone numbers on pages, in all their formats: in the text, in links that
call or write, and in attributes that people read. A page is a file, an address that
begins with http:// or https://, or - for standard input.

The first column is what "number" takes in a Caddyfile. Numbers without a country code
are read as numbers of --region. Without --region, they are only found if the same page
also has the whole number.`,
		Args: func(_ *cobra.Command, names []string) error {
			if len(names) == 0 {
				return errors.New("expected a page: a file, an address, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, names []string) error {
			region, _ := cmd.Flags().GetString("region")
			if err := new(effect.Settings).SetRegion(region); err != nil {
				return err
			}
			return listNumbers(cmd, names, region)
		},
	}
	cmd.Flags().String("region", "", "Country of numbers without a country code, such as RU")
	return cmd
}

// listNumbers prints what the pages show. One that cannot be read does not keep the
// others from being listed.
func listNumbers(cmd *cobra.Command, names []string, region string) error {
	shown := make(map[string]*shownNumber)
	var failed error
	for _, name := range names {
		page, contentType, err := readPage(cmd.Context(), cmd.InOrStdin(), name, survey.MaxPage)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("reading %s: %w", name, err))
			continue
		}
		if len(page) > survey.MaxPage {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: only the first %d bytes were read\n", name, survey.MaxPage)
		}
		for _, n := range survey.Page(page, contentType, region) {
			if shown[n.Digits] == nil {
				shown[n.Digits] = &shownNumber{Number: survey.Number{Digits: n.Digits, Valid: n.Valid}}
			}
			shown[n.Digits].add(name, n.Writings)
		}
	}
	if len(shown) > 0 {
		return errors.Join(printNumbers(cmd.OutOrStdout(), shown), failed)
	}
	if failed == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "no numbers found"+hintOf(region))
	}
	return failed
}

func hintOf(region string) string {
	if region != "" {
		return ""
	}
	return ": are they written without their country code? Then give --region, such as --region RU"
}

// shownNumber is a number and the pages that show it.
type shownNumber struct {
	survey.Number
	pages []string
}

func (s *shownNumber) add(page string, writings []survey.Writing) {
	s.pages = append(s.pages, page)
	for _, w := range writings {
		i := slices.IndexFunc(s.Writings, func(known survey.Writing) bool { return known.Text == w.Text && known.Kind == w.Kind })
		if i < 0 {
			s.Writings = append(s.Writings, w)
		} else {
			s.Writings[i].Count += w.Count
		}
	}
}

func printNumbers(w io.Writer, shown map[string]*shownNumber) error {
	sorted := make([]*shownNumber, 0, len(shown))
	for _, s := range shown {
		slices.SortStableFunc(s.Writings, func(a, b survey.Writing) int { return cmp.Compare(b.Count, a.Count) })
		sorted = append(sorted, s)
	}
	slices.SortFunc(sorted, func(a, b *shownNumber) int {
		return cmp.Or(cmp.Compare(b.Count(), a.Count()), cmp.Compare(a.Digits, b.Digits))
	})
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NUMBER\tWRITING\tPLACE\tCOUNT\tPAGES")
	for _, s := range sorted {
		pages := s.pages[0]
		if more := len(s.pages) - 1; more > 0 {
			pages += fmt.Sprintf(" and %d more", more)
		}
		if !s.Valid {
			pages += " (no such number in the country's plan)"
		}
		for i, writing := range s.Writings {
			number := s.Digits
			if i > 0 {
				number, pages = "", ""
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", number, writing.Text, writing.Kind, writing.Count, pages)
		}
	}
	return table.Flush()
}

// fetchTimeout bounds the fetching of one page.
const fetchTimeout = 20 * time.Second

// readPage reads a page, and one byte more than the limit when it is larger. The
// content type is the header's, where there is one.
func readPage(ctx context.Context, stdin io.Reader, name string, limit int64) (page []byte, contentType string, err error) {
	switch scheme, _, isURL := strings.Cut(name, "://"); {
	case name == "-":
		page, err = io.ReadAll(io.LimitReader(stdin, limit+1))
		return page, "", err
	case !isURL:
		file, err := os.Open(name)
		if err != nil {
			return nil, "", errors.Unwrap(err) // the name is said by the caller
		}
		defer file.Close()
		page, err = io.ReadAll(io.LimitReader(file, limit+1))
		return page, "", err
	case !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		return nil, "", errors.New("expected an address that begins with http:// or https://")
	}
	return fetchPage(ctx, name, limit)
}

func fetchPage(ctx context.Context, address string, limit int64) (page []byte, contentType string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("Accept", "text/html")
	request.Header.Set("User-Agent", "frontdesk")
	client := http.Client{Timeout: fetchTimeout}
	response, err := client.Do(request)
	if err != nil {
		return nil, "", errors.Unwrap(err)
	}
	defer response.Body.Close()
	contentType = response.Header.Get("Content-Type")
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, "", fmt.Errorf("the server answered %s", response.Status)
	case contentType != "" && !strings.Contains(strings.ToLower(contentType), "html"):
		return nil, "", fmt.Errorf("the server answered with %.80q: expected a page", contentType)
	}
	page, err = io.ReadAll(io.LimitReader(response.Body, limit+1))
	return page, contentType, err
}
