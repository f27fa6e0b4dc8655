package lists

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// onReplica measures what reports cost the primary, when it answers them itself and when a replica does.
func onReplica(ctx context.Context, primary *dbtest.Server, rounds int) error {
	replica, err := primary.Replica()
	if err != nil {
		return err
	}
	defer replica.Remove()
	fmt.Printf("%-24s %12s %14s %14s\n", "a report, milliseconds", "takes", "primary's CPU", "replica's CPU")
	for name, read := range map[string]string{"without read": "", "with read": replica.Source()} {
		if err := costOfReports(ctx, name, db.Settings{Engine: db.Postgres, Source: primary.Source(), Read: read}, []*dbtest.Server{primary, replica}, rounds); err != nil {
			return err
		}
	}
	return nil
}

func costOfReports(ctx context.Context, name string, settings db.Settings, servers []*dbtest.Server, rounds int) error {
	d, err := opened(ctx, settings)
	if err != nil {
		return err
	}
	defer d.Close()
	for begun := time.Now(); len(d.Replicas()) > 0; time.Sleep(100 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			return errors.New("the replica is not asked")
		}
	}
	keys, err := key.Open(ctx, d, time.Now)
	if err != nil {
		return err
	}
	end := time.UnixMilli(inboxEnd)
	last := period.DateOf(end, time.UTC) - 1
	r := report.New(d, keys, func() time.Time { return end })
	ask := func(n int) error {
		for i := range n {
			_, err := r.Ask(ctx, report.Question{SiteIDs: []int64{1, 2, 3, 4}, PersonWindow: 30 * 24 * time.Hour, Credit: credit.Rule{Model: credit.Models[0], Window: 30 * 24 * time.Hour},
				Period: period.Period{First: last - 364, Last: last, Step: period.Day, Zone: time.UTC}, By: []report.Dimension{report.Dimensions[i%len(report.Dimensions)]}})
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := ask(len(report.Dimensions)); err != nil { // what is read first comes from the disk
		return err
	}
	var before [2]time.Duration
	for i, s := range servers {
		before[i] = cpuOf(s.PID())
	}
	n := rounds * len(report.Dimensions)
	begun := time.Now()
	if err := ask(n); err != nil {
		return err
	}
	took := time.Since(begun)
	of := func(i int) float64 { return (cpuOf(servers[i].PID()) - before[i]).Seconds() * 1000 / float64(n) }
	fmt.Printf("%-24s %12.1f %14.2f %14.2f\n", name, took.Seconds()*1000/float64(n), of(0), of(1))
	return nil
}

// cpuOf is the time that the process has taken of processors, with its children and those that have ended.
func cpuOf(pid int) (took time.Duration) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(content[strings.LastIndexByte(string(content), ')')+1:]))
	for _, field := range fields[11:15] { // utime, stime, cutime, cstime: proc(5)
		ticks, _ := strconv.ParseInt(field, 10, 64)
		took += time.Duration(ticks) * time.Second / 100
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid))
	for child := range strings.FieldsSeq(string(children)) {
		id, _ := strconv.Atoi(child)
		took += cpuOf(id)
	}
	return took
}
