package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/keeper"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

func reportsCommand() *cobra.Command {
	reports := &cobra.Command{Use: "reports", Short: "Looks after the figures of reports"}
	reports.AddCommand(&cobra.Command{
		Use:   "rebuild",
		Short: "Makes the figures of reports anew",
		Long: `Makes the figures of reports anew from the visits, calls, leads, callbacks and conversations that are
stored. Caddy may be running. Figures of what is stored no more stay as they are.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withDatabase(cmd, func(ctx context.Context, d *db.DB) error {
				keys, err := key.Open(ctx, d, time.Now)
				if err != nil {
					return err
				}
				k, err := keeper.Open(ctx, d, keys, time.Now)
				if err != nil {
					return err
				}
				began, told := time.Now(), time.Now()
				var done keeper.Rebuilt
				tell := func(how string) {
					fmt.Fprintf(cmd.OutOrStdout(), "%s%d visits with %d views, %d inquiries, %v\n", how, done.Visits, done.Views, done.Inquiries, time.Since(began).Round(100*time.Millisecond))
				}
				if err := k.Rebuild(ctx, func(r keeper.Rebuilt) {
					if done = r; time.Since(told) > time.Second {
						told = time.Now()
						tell("read so far: ")
					}
				}); err != nil {
					return err
				}
				tell("rebuilt: ")
				return nil
			})
		},
	})
	return reports
}
