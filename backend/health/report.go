package health

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// What Report.Status says.
const (
	healthy   = "healthy"
	degraded  = "degraded"
	unhealthy = "unhealthy"
)

// Report is how well a node is.
type Report struct {
	Ready bool `json:"ready"`
	// Status is healthy, degraded or unhealthy. Ready is false for the last alone.
	Status string `json:"status"`
	// Reasons are why it is not healthy.
	Reasons []Reason `json:"reasons"`
	// Error is the text of the first reason for which nothing can be stored, and Since when it began, as far as that is known.
	Error string     `json:"error,omitempty"`
	Since *time.Time `json:"since,omitempty"`
	// Disks are those of the database and of the forms that wait for it.
	Disks []Disk `json:"disks,omitempty"`
}

// Disk is the room on a disk.
type Disk struct {
	Folder string `json:"folder"`
	Free   int64  `json:"free"` // bytes
	Size   int64  `json:"size"`
}

// lowRoom is how many bytes are little room on a large disk. On a small one it is a twentieth.
const lowRoom = 1 << 30

// NewReport returns the report for the reasons and the disks of the folders.
func NewReport(reasons []Reason, folders ...string) Report {
	r := Report{Ready: true, Status: healthy, Reasons: append([]Reason{}, reasons...)}
	for i, folder := range folders {
		free, size, known := Room(folder)
		if !known || i > 0 && folder == folders[0] {
			continue
		}
		r.Disks = append(r.Disks, Disk{folder, free, size})
		if free < min(size/20, lowRoom) {
			r.Reasons = append(r.Reasons, New(DiskLow, "%s has room for %s more", folder, humanize.IBytes(uint64(max(0, free)))))
		}
	}
	for _, reason := range r.Reasons {
		if r.Status == healthy {
			r.Status = degraded
		}
		if reason.Unhealthy && r.Ready {
			r.Ready, r.Status, r.Error, r.Since = false, unhealthy, reason.Text, reason.Since
		}
	}
	return r
}

// Lines are the report for people.
func (r Report) Lines() string {
	var text strings.Builder
	fmt.Fprintln(&text, r.Status)
	for _, r := range r.Reasons {
		fmt.Fprintf(&text, "- %s: %s", r.Code, r.Text)
		if r.Count > 0 {
			fmt.Fprintf(&text, " (%d)", r.Count)
		}
		if r.Since != nil {
			fmt.Fprintf(&text, ", since %s", r.Since.Format(time.RFC3339))
		}
		fmt.Fprintln(&text)
	}
	for _, d := range r.Disks {
		fmt.Fprintf(&text, "%s: %s of %s free\n", d.Folder, humanize.IBytes(uint64(d.Free)), humanize.IBytes(uint64(d.Size)))
	}
	return text.String()
}
