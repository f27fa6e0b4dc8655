package live

import (
	"context"
	"fmt"
	"time"
)

// beat says again and again that the stream is there, also while the news are waited for.
func (s *streaming) beat(ctx context.Context) {
	ticks := time.NewTicker(beatEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			if s.send([]byte("event: here\ndata: here\n\n")) != nil {
				return
			}
		}
	}
}

// tell sends the data up to the stream's position.
func (s *streaming) tell(data [][]byte) error {
	return s.tellAs(fmt.Appendf(nil, "id: %s\n", s.happened.Position()), data)
}

// tellAs sends the data in as few events as they fit into. The last one has the id: a client that has not
// got it is told all again.
func (s *streaming) tellAs(id []byte, data [][]byte) error {
	for from := 0; from < len(data); {
		to, size := from, 0
		for to < len(data) && (to == from || size+len(data[to]) <= maxData) {
			size += len(data[to])
			to++
		}
		var event [][]byte
		if to == len(data) {
			event = append(event, id)
		}
		event = append(append(event, data[from:to]...), []byte("\n"))
		if err := s.send(event...); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func (s *streaming) send(parts ...[]byte) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.out.Send(parts...)
}
