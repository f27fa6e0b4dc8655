package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// BenchmarkHitRequest sends page views over HTTP from 32 clients that keep
// their connections, each view of a visitor who comes with a cookie three
// times of four. All bring cookies of platforms, of which the ids are kept or not. The clients share the machine.
func BenchmarkHitRequest(b *testing.B) {
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		for _, kept := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/ids=%t", name, kept), func(b *testing.B) {
				s := serve(b, dbtest.Open(b, settings(b)), siteOf(variantA))
				if kept {
					s.clients.Want([]int64{siteID})
				}
				const clients = 32
				took := make([][]time.Duration, clients)
				var wait sync.WaitGroup
				b.ReportAllocs()
				b.ResetTimer()
				for i := range clients {
					wait.Go(func() { took[i] = browse(b, s, b.N/clients+1) })
				}
				wait.Wait()
				b.StopTimer()
				all := slices.Concat(took...)
				slices.Sort(all)
				b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "hits/s")
				b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
			})
		}
	}
}

// browse is one client, as lean as it can be.
func browse(b *testing.B, s *desk, views int) (took []time.Duration) {
	host := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/frontdesk/")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		b.Error(err)
		return nil
	}
	defer conn.Close()
	buffer := make([]byte, 4096)
	cookie, ids := "", ""
	for n := range views {
		if n%4 == 0 {
			ids = fmt.Sprintf("_ga=GA1.1.%d.1700000000; _ym_uid=1700000000%09d; _fbp=fb.1.1596403881668.%[1]d; _pk_id.1.1fff=%016[1]x.1700000000.", time.Now().UnixNano()%1_000_000_000, n)
			cookie = "Cookie: " + ids + "\r\n"
		}
		body := fmt.Sprintf(`{"site_key":"shop","view":%q,"url":"https://shop.example/lamps/%d?utm_source=news","referrer":"https://search.example/?q=lamps","title":"A lamp for reading","kind":"load"}`, id(), n%50)
		began := time.Now()
		_, err := fmt.Fprintf(conn, "POST /frontdesk/v1/hit HTTP/1.1\r\nHost: %s\r\nOrigin: http://%[1]s\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36\r\nAccept-Language: en\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
			host, cookie, len(body), body)
		if err != nil {
			b.Error(err)
			return took
		}
		size, err := readAnswer(conn, buffer)
		if err != nil {
			b.Error(err)
			return took
		}
		took = append(took, time.Since(began))
		answer := string(buffer[:size])
		if !strings.HasPrefix(answer, "HTTP/1.1 200 ") {
			b.Error(answer)
			return took
		}
		if _, after, found := strings.Cut(answer, "Set-Cookie: "); found {
			value, _, _ := strings.Cut(after, ";")
			cookie = "Cookie: " + value + "; " + ids + "\r\n"
		}
	}
	return took
}

// readAnswer reads the answer's header and body.
func readAnswer(conn net.Conn, buffer []byte) (int, error) {
	size := 0
	for size < len(buffer) {
		n, err := conn.Read(buffer[size:])
		if size += n; err != nil {
			return size, err
		}
		head, body, found := bytes.Cut(buffer[:size], []byte("\r\n\r\n"))
		if !found {
			continue
		}
		_, length, _ := bytes.Cut(head, []byte("Content-Length: "))
		length, _, _ = bytes.Cut(length, []byte("\r\n"))
		if whole, err := strconv.Atoi(string(length)); err != nil || len(body) >= whole {
			return size, err
		}
	}
	return size, io.ErrShortBuffer
}
