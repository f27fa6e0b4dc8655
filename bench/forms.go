package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

// formSizes are the files that forms carry, with how many are sent in one measurement.
var formSizes = []struct {
	name   string
	size   int64
	number int
}{{"1KB", 1 << 10, 500}, {"1MB", 1 << 20, 60}, {"1GB", 1 << 30, 1}}

// The fields behind the file: of somebody, who becomes a lead, and of nobody, which nothing is stored of.
const (
	formBoundary = "frontdesk-bench"
	formHead     = "--" + formBoundary + "\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"lamp.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
	formOfNobody = "\r\n--" + formBoundary + "\r\nContent-Disposition: form-data; name=\"size\"\r\n\r\nlarge\r\n--" + formBoundary + "--\r\n"
	formOfOne    = "\r\n--" + formBoundary + "\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\nanna@example.com" + formOfNobody
)

// forms sends forms with files of zeros through plain Caddy, through one that keeps them, and through one that
// lists where they are sent to, in turns.
func forms(ctx context.Context, folder, caddy string, rounds int) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	origin := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })}
	go origin.Serve(listener)
	defer origin.Close()
	var sides []side
	for name, config := range map[string]string{
		"plain Caddy": caddyConfig("", ""),
		"kept":        frontdeskConfig("forms", "capture /send"),
		"found":       frontdeskConfig("found", ""),
	} {
		address, err := freeAddress()
		if err != nil {
			return err
		}
		config = strings.NewReplacer("ADDRESS", address, "ORIGIN", listener.Addr().String(), "FOLDER", folder).Replace(config)
		file := filepath.Join(folder, "forms-"+strings.ReplaceAll(name, " ", "-")+".conf")
		p, err := startCaddy(ctx, caddy, file, config, "http://"+address+"/")
		if err != nil {
			return err
		}
		defer p.stop()
		sides = append(sides, side{name: name, address: address, process: p})
	}
	time.Sleep(time.Second) // the service opens its database
	fmt.Printf("\nForms with a file, %d rounds, one after another\n", rounds)
	fmt.Printf("%-6s %-12s %-14s %14s %14s %12s\n", "file", "", "form of", "ms each", "CPU ms each", "resident")
	for _, size := range formSizes {
		for _, whose := range []struct{ name, end string }{{"nobody", formOfNobody}, {"somebody", formOfOne}} {
			took, spent := make(map[string][]float64), make(map[string][]float64)
			for range rounds {
				for _, s := range sides {
					before, err := s.process.cpu()
					if err != nil {
						return err
					}
					began := time.Now()
					for range size.number {
						if err := sendForm(ctx, s.address, size.size, whose.end); err != nil {
							return fmt.Errorf("%s: %w", s.name, err)
						}
					}
					took[s.name] = append(took[s.name], time.Since(began).Seconds()*1000/float64(size.number))
					after, err := s.process.cpu()
					if err != nil {
						return err
					}
					spent[s.name] = append(spent[s.name], (after-before).Seconds()*1000/float64(size.number))
				}
			}
			for _, s := range sides {
				resident, err := s.process.resident()
				if err != nil {
					return err
				}
				fmt.Printf("%-6s %-12s %-14s %14.2f %14.2f %9d MB\n", size.name, s.name, whose.name, median(took[s.name]), median(spent[s.name]), resident>>20)
			}
		}
	}
	return nil
}

// zeros are bytes without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func sendForm(ctx context.Context, address string, size int64, end string) error {
	body := io.MultiReader(strings.NewReader(formHead), io.LimitReader(zeros{}, size), strings.NewReader(end))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/send", body)
	if err != nil {
		return err
	}
	request.ContentLength = int64(len(formHead)) + size + int64(len(end))
	request.Header.Set("Content-Type", "multipart/form-data; boundary="+formBoundary)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %s", response.Status)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
