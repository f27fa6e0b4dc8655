package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

var waitingForms = regexp.MustCompile(`(?m)^frontdesk_forms_waiting (\S+)$`)

// settle waits until the server is well and no form waits.
func (l *losing) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lostPatience)
	defer cancel()
	for {
		said := ""
		for _, path := range []string{"/frontdesk/health", "/metrics"} {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.admin+path, nil)
			if err != nil {
				return err
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return err
			}
			text, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil {
				return err
			}
			if said = string(text); response.StatusCode != http.StatusOK {
				break
			}
		}
		if found := waitingForms.FindStringSubmatch(said); found != nil {
			if n, err := strconv.ParseFloat(found[1], 64); err == nil && n == 0 {
				return nil
			}
			said = found[0]
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %v: %s", lostPatience, said)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

var numberInText = regexp.MustCompile(`7921\d{7}`)

// count looks for each form that was answered.
func (l *losing) count(ctx context.Context) error {
	d, err := sql.Open(l.driver, l.source)
	if err != nil {
		return err
	}
	defer d.Close()
	found := make(map[string]int)
	for _, query := range []string{`SELECT phone FROM leads`, `SELECT sent FROM refused_leads WHERE lead_id = 0`} {
		rows, err := d.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			found[numberInText.FindString(text)]++
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	answered, lost, twice, unanswered := 0, 0, 0, 0
	for id := range l.next.Load() {
		n := found[numberOf(id)]
		_, was := l.answers.Load(id)
		switch {
		case !was:
			unanswered += n
		case n == 0:
			lost++
		}
		if was {
			answered++
		}
		if n > 1 {
			twice++
		}
	}
	fmt.Printf("%d forms were answered: %d are lost; %d are found twice; %d more were kept of those that the kills left without an answer\n", answered, lost, twice, unanswered)
	if lost+twice > 0 {
		return errors.New("not each form was found once")
	}
	return nil
}
