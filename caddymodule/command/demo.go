package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/demo"
)

func demoCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "demo-data",
		Short: "Makes up a year of the demo shop",
		Long: `Makes up a year of the shop of Caddyfile.example: 60,000 visits with their calls, callbacks, requests,
chats and sales. Two runs with the same last day make the same. The database must have no other site, and no visits.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			last := time.Now()
			if text, _ := cmd.Flags().GetString("last"); text != "" {
				day, err := time.Parse(time.DateOnly, text)
				if err != nil {
					return fmt.Errorf("--last: expected a day such as 2026-10-31, not %q", text)
				}
				last = day.AddDate(0, 0, 1)
			}
			told := time.Now()
			return withDatabase(cmd, func(ctx context.Context, d *db.DB) error {
				return demo.Fill(ctx, d, demo.Year(last), func(day time.Time, visits int64) {
					if time.Since(told) > time.Second {
						told = time.Now()
						fmt.Fprintf(cmd.OutOrStdout(), "made up to %s: %d visits\n", day.Format(time.DateOnly), visits)
					}
				})
			})
		},
	}
	command.Flags().String("last", "", "The last day, such as 2026-10-31; yesterday if it is not given")
	return command
}
