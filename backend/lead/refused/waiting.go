package refused

import (
	"slices"
	"sync"
)

const (
	// maxWaiting and maxWaitingSize bound what waits, in submissions and bytes.
	maxWaiting     = 512
	maxWaitingSize = 4 << 20
	// maxBundle is how many are written at once. Of one address they are no more than maxWaitingOfAddress.
	maxBundle           = 64
	maxWaitingOfAddress = 16
)

// waiting are the refused submissions that have not been written, oldest first.
type waiting struct {
	mu   sync.Mutex
	list []Refusal
	size int
	lost map[int64]int // how many have given way and are not counted yet, by site
}

// add adds one. The oldest give way, first those of the same address.
func (w *waiting) add(r Refusal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	same, oldest := 0, -1
	for i := len(w.list) - 1; i >= 0; i-- {
		if w.list[i].SiteID == r.SiteID && w.list[i].Address == r.Address {
			same, oldest = same+1, i
		}
	}
	if same >= maxWaitingOfAddress {
		w.lose(oldest)
	}
	w.list, w.size = append(w.list, r), w.size+len(r.Sent)
	for len(w.list) > maxWaiting || w.size > maxWaitingSize {
		w.lose(0)
	}
}

func (w *waiting) lose(i int) {
	w.count(w.list[i].SiteID, 1)
	w.drop(i)
}

// count counts what was not kept of the site.
func (w *waiting) count(site int64, times int) {
	if w.lost == nil {
		w.lost = make(map[int64]int)
	}
	w.lost[site] += times
}

func (w *waiting) drop(i int) {
	w.size -= len(w.list[i].Sent)
	w.list = slices.Delete(w.list, i, i+1)
}

// take takes the newest maxBundle, and leaves the others. lost are those that have given way, by site.
func (w *waiting) take() (bundle []Refusal, lost map[int64]int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lost, w.lost = w.lost, nil
	from := max(0, len(w.list)-maxBundle)
	bundle = slices.Clone(w.list[from:])
	for i := len(w.list) - 1; i >= from; i-- {
		w.drop(i)
	}
	return bundle, lost
}

// giveBack takes what could not be written back into what waits.
func (w *waiting) giveBack(bundle []Refusal, lost map[int64]int) {
	for _, r := range bundle {
		w.add(r)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for site, times := range lost {
		w.count(site, times)
	}
}
