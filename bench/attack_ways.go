package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// leads sends leads of new visitors with the message.
func (v *victim) leads(ctx context.Context, from string, connections int, message string) {
	v.attackers(ctx, connections, func(ctx context.Context) error {
		n := v.serial.Add(1)
		head := fmt.Sprintf(`{"hit":%s,"id":"worst-%016d","request":{"phone":"+7 912 345-67-89","message":"%d `, hitBody(int(n)), n, n)
		const tail = `"}}`
		body := io.MultiReader(strings.NewReader(head), strings.NewReader(message), strings.NewReader(tail))
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+v.shop+"/frontdesk/v1/lead", body)
		if err != nil {
			return err
		}
		request.ContentLength = int64(len(head) + len(message) + len(tail))
		request.Header.Set("Content-Type", "application/json")
		return v.send(request, from)
	})
}

// send makes a call, and counts what became of it.
func (v *victim) send(request *http.Request, from string) error {
	request.Header.Set("X-Forwarded-For", from)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	v.sent.Add(1)
	if response.StatusCode != http.StatusOK {
		v.refused.Add(1)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// forms posts JSON forms to the site, and does not wait for the answers.
func (v *victim) forms(ctx context.Context, from string) {
	outer := strings.Repeat("o", 120<<10)
	var inner strings.Builder
	for i := range 490 {
		fmt.Fprintf(&inner, `"a%d":"b",`, i)
	}
	body := `{"phone":"+7 912 345-67-89","` + outer + `":{` + inner.String() + `"z":1}}`
	v.attackers(ctx, 4, func(ctx context.Context) error {
		conn, err := net.DialTimeout("tcp", v.shop, patience)
		if err != nil {
			return err
		}
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST /order/%d HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nX-Forwarded-For: %s\r\nContent-Length: %d\r\n\r\n%s",
			v.serial.Add(1), v.shop, from, len(body), body)
		return err
	})
}

// announce opens connections that announce leads and send nothing or half, and opens those that end anew.
func (v *victim) announce(ctx context.Context, from string) {
	half := strings.Repeat("w", worstSize/2)
	var all sync.WaitGroup
	for n := range silent + stopped {
		all.Go(func() {
			for pause(ctx, time.Duration(n)*announcedEvery); ctx.Err() == nil; pause(ctx, patience) {
				v.hold(ctx, from, n%4 == 0, half)
			}
		})
	}
	all.Wait()
}

func (v *victim) hold(ctx context.Context, from string, nothing bool, half string) {
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", v.shop)
	if err != nil {
		return
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(2 * patience))
	fmt.Fprintf(conn, "POST /frontdesk/v1/lead HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nX-Forwarded-For: %s\r\nContent-Length: %d\r\n\r\n",
		v.shop, from, worstSize)
	if !nothing {
		io.WriteString(conn, half)
	}
	conn.Read(make([]byte, 512)) // up to what the server makes of it
}

// forge sends telephone events that nobody has signed, and right ones from the same address.
func (v *victim) forge(ctx context.Context, from string) {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { v.tell(ctx, from) })
	v.attackers(ctx, 4, func(ctx context.Context) error {
		request, err := v.event(ctx, func(h http.Header, id string, at time.Time, _ []byte) {
			h.Set("webhook-id", id)
			h.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
			h.Set("webhook-signature", "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
		})
		if err != nil {
			return err
		}
		return v.send(request, from)
	})
}

// tell sends ten right telephone events a second, none of which may be refused.
func (v *victim) tell(ctx context.Context, from string) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		request, err := v.event(ctx, v.platform.Sign)
		if err != nil {
			return
		}
		request.Header.Set("X-Forwarded-For", from)
		response, err := http.DefaultClient.Do(request)
		if ctx.Err() != nil {
			return
		}
		v.told.Add(1)
		if err != nil {
			v.wronged.Add(1)
			continue
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			v.wronged.Add(1)
		}
	}
}

func (v *victim) event(ctx context.Context, sign func(h http.Header, id string, at time.Time, body []byte)) (*http.Request, error) {
	now, id := time.Now(), fmt.Sprintf("worst-%d", v.serial.Add(1))
	body := fmt.Sprintf(`{"call_id":%q,"event":"start","time":%q,"called":"+7 495 765-43-21","caller":"+7 912 345-67-89"}`, id, now.Format(time.RFC3339))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+v.shop+"/frontdesk/calls/webhook", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	sign(request.Header, id, now, []byte(body))
	return request, nil
}
