package siptest

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Phone is a baresip that is registered at a proxy. It says one tone and keeps what it hears.
type Phone struct {
	Number string
	t      testing.TB
	folder string
	remote net.Conn
	ran    *program

	mu     sync.Mutex
	events []string // the types of what has happened
}

// sampleRate is that of the tones and of what is heard.
const sampleRate = 8000

// StartPhone runs a phone with the number, which says a tone of so many hertz. It returns once the
// phone is registered.
func StartPhone(t testing.TB, proxy *Proxy, number string, tone float64) *Phone {
	t.Helper()
	path := find(t, "baresip", "baresip-core")
	p := &Phone{Number: number, t: t, folder: t.TempDir()}
	port, remote, media := Port(t), Port(t), Port(t)
	writeTone(t, filepath.Join(p.folder, "tone.wav"), tone)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o600))
	}
	write("config", fmt.Sprintf(`poll_method epoll
sip_listen 127.0.0.1:%d
net_interface 127.0.0.1
rtp_ports %d-%d
audio_source aufile,%s/tone.wav
audio_player aubridge,x
audio_alert nil,nil
snd_path %s
module_path /usr/lib/baresip/modules
module g711.so
module aubridge.so
module aufile.so
module sndfile.so
module_app account.so
module_app menu.so
module_app ctrl_tcp.so
ctrl_tcp_listen 127.0.0.1:%d
`, port, media, media+20, p.folder, p.folder, remote))
	write("accounts", fmt.Sprintf("<sip:%s@%s>;regint=60;answermode=manual;audio_codecs=PCMA/8000/1\n", number, proxy.Address()))
	write("contacts", "")
	running := start(t, p.folder, path, "-f", p.folder)
	require.Eventually(t, func() bool {
		var err error
		p.remote, err = net.Dial("tcp4", "127.0.0.1:"+strconv.Itoa(remote))
		return err == nil || running.over()
	}, patience, 20*time.Millisecond)
	require.NotNil(t, p.remote, "baresip has ended")
	p.ran = running
	t.Cleanup(func() { p.remote.Close() })
	go p.listen()
	require.Eventually(t, func() bool { return proxy.Saw("REGISTER") && strings.Contains(running.said.String(), "200 OK") }, patience, 20*time.Millisecond, "registering")
	return p
}

// listen reads what the phone tells: netstrings of JSON.
func (p *Phone) listen() {
	r := bufio.NewReader(p.remote)
	for {
		size, err := r.ReadString(':')
		if err != nil {
			return
		}
		n, err := strconv.Atoi(strings.TrimSuffix(size, ":"))
		if err != nil {
			return
		}
		text := make([]byte, n+1)
		if _, err := io.ReadFull(r, text); err != nil {
			return
		}
		var told struct {
			Event bool   `json:"event"`
			Type  string `json:"type"`
		}
		if json.Unmarshal(text[:n], &told) == nil && told.Event {
			p.mu.Lock()
			p.events = append(p.events, told.Type)
			p.mu.Unlock()
		}
	}
}

func (p *Phone) command(name, parameters string) {
	p.t.Helper()
	text, err := json.Marshal(map[string]string{"command": name, "params": parameters, "token": "t"})
	require.NoError(p.t, err)
	_, err = fmt.Fprintf(p.remote, "%d:%s,", len(text), text)
	require.NoError(p.t, err)
}

// The events of a phone.
const (
	Rings       = "CALL_INCOMING"
	Established = "CALL_ESTABLISHED"
	Hears       = "CALL_RTPESTAB"
	Closed      = "CALL_CLOSED"
)

// Count is how often the event has happened.
func (p *Phone) Count(event string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.events {
		if e == event {
			n++
		}
	}
	return n
}

// Await waits until the event has happened so many times.
func (p *Phone) Await(event string, times int) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return p.Count(event) >= times }, patience, 20*time.Millisecond, "%s of %s", event, p.Number)
}

// Answer takes the call.
func (p *Phone) Answer() { p.command("accept", "") }

// HangUp ends the call, or refuses it.
func (p *Phone) HangUp() { p.command("hangup", "") }

// Vanish ends the phone as a cut cable does: nobody is told.
func (p *Phone) Vanish() { syscall.Kill(-p.ran.command.Process.Pid, syscall.SIGKILL) }

// Hold puts the other on hold, which asks for another session; Resume takes it back.
func (p *Phone) Hold() { p.command("hold", "") }

// Resume ends what Hold has begun.
func (p *Phone) Resume() { p.command("resume", "") }

// AwaitTone waits until the phone hears a tone of so many hertz.
func (p *Phone) AwaitTone(tone float64) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return p.Hears(tone) }, patience, 100*time.Millisecond, "%s hears no tone of %v Hz", p.Number, tone)
}

// Hears tells whether half a second of what has been heard is mostly the tone (Goertzel).
func (p *Phone) Hears(tone float64) bool {
	files, _ := filepath.Glob(filepath.Join(p.folder, "dump-*-dec.wav"))
	for _, file := range files {
		content, err := os.ReadFile(file)
		const header, half = 44, sampleRate / 2
		if err != nil || len(content) < header+2*half {
			continue
		}
		content = content[len(content)-2*half-len(content)%2:]
		var power, total float64
		step := 2 * math.Cos(2*math.Pi*tone/sampleRate)
		var before, last float64
		for i := range half {
			sample := float64(int16(binary.LittleEndian.Uint16(content[2*i:])))
			total += sample * sample
			before, last = last, sample+step*last-before
		}
		power = last*last + before*before - step*last*before
		if total > 0 && power/(total*half/2) > 0.8 {
			return true
		}
	}
	return false
}

// writeTone writes a minute of a tone.
func writeTone(t testing.TB, file string, tone float64) {
	t.Helper()
	const samples = 60 * sampleRate
	content := make([]byte, 0, 44+2*samples)
	content = append(content, "RIFF"...)
	content = binary.LittleEndian.AppendUint32(content, 36+2*samples)
	content = append(content, "WAVEfmt "...)
	content = binary.LittleEndian.AppendUint32(content, 16)
	content = binary.LittleEndian.AppendUint16(content, 1)
	content = binary.LittleEndian.AppendUint16(content, 1)
	content = binary.LittleEndian.AppendUint32(content, sampleRate)
	content = binary.LittleEndian.AppendUint32(content, 2*sampleRate)
	content = binary.LittleEndian.AppendUint16(content, 2)
	content = binary.LittleEndian.AppendUint16(content, 16)
	content = append(content, "data"...)
	content = binary.LittleEndian.AppendUint32(content, 2*samples)
	for i := range samples {
		content = binary.LittleEndian.AppendUint16(content, uint16(int16(8000*math.Sin(2*math.Pi*tone*float64(i)/sampleRate))))
	}
	require.NoError(t, os.WriteFile(file, content, 0o600))
}
