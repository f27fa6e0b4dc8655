package doors

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
)

// texts make the dearest texts of some n bytes, by their names. What makes them dear: signs that are written longer than
// they are, signs that normalise to many, as many words as there can be, and what patterns begin to match again and again.
var texts = map[string]func(n int) string{
	"words": func(n int) string {
		return series(n, func(i int) string { return fmt.Sprintf("w%x ", i*2654435761%(1<<32)) })
	},
	"deletes":            repeat("\u007f"),
	"soft hyphens":       repeat("a\u00ad"),
	"combining marks":    repeat("e\u0301\u0323\u0308"),
	"long compatibility": repeat("\ufdfa"), // one sign is eighteen
	"markup":             repeat(`<"&'>`),
	"references":         repeat("&#1060;"),
	"telephone numbers":  repeat("8 (495) 123-45-67, "),
	"digits":             repeat("7"),
	"addresses":          repeat("http://a.b/?c "),
	"mail":               repeat("a@b.cc "),
	"escapes":            repeat("%25"),
	"emoji":              repeat("\U0001F469\u200d"),
	"right to left":      repeat("\u202e\u05d0"),
	"lines":              repeat("\r\n"),
	"spaces":             repeat(" \u00a0"),
}

// fitting is a text that has n bytes in JSON at most.
func fitting(text func(n int) string, n int) string {
	whole := text(n)
	return text(n * len(whole) / len(encoded(whole)))
}

// few are the texts for fields of which there are many.
var few = []string{"words", "deletes", "long compatibility", "markup"}

// shapes make the dearest JSON values of some n bytes.
var shapes = map[string]func(n int) string{
	"deep lists":   func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) },
	"deep objects": func(n int) string { return strings.Repeat(`{"a":`, n/6) + "1" + strings.Repeat("}", n/6) },
	"wide": func(n int) string {
		return "{" + series(n, func(i int) string { return fmt.Sprintf(`"a%d":"b",`, i) }) + `"z":1}`
	},
	"repeated name": func(n int) string { return "{" + strings.Repeat(`"a":"b",`, n/8) + `"a":1}` },
	"long name of many": func(n int) string {
		return `{"` + strings.Repeat("o", n/2) + `":{` + series(n/2, func(i int) string { return fmt.Sprintf(`"a%d":"b",`, i) }) + `"z":1}}`
	},
	"long names, deep": func(n int) string {
		return strings.Repeat(`{"`+strings.Repeat("o", n/20)+`":`, 20) + "1" + strings.Repeat("}", 20)
	},
	"long list":       func(n int) string { return "[" + strings.Repeat("1,", n/2) + "1]" },
	"list of objects": func(n int) string { return `{"phone":[` + strings.Repeat(`{"phone":"7"},`, n/14) + `{}]}` },
	"long number":     func(n int) string { return `{"phone":` + strings.Repeat("9", n) + `}` },
	"escaped signs":   func(n int) string { return `{"message":"` + strings.Repeat(`\u00ad`, n/6) + `"}` },
}

// fewShapes are the shapes for members of which there are many.
var fewShapes = []string{"deep objects", "wide", "long name of many"}

// forms make the dearest url-encoded bodies of some n bytes.
var forms = map[string]func(n int) string{
	"ampersands":     repeat("&"),
	"fields":         func(n int) string { return series(n, func(i int) string { return fmt.Sprintf("a%d=b&", i) }) },
	"repeated field": repeat("phone=7&"),
	"brackets":       func(n int) string { return "a" + strings.Repeat("[b]", n/3) + "=1" },
	"many in one": func(n int) string {
		return series(n, func(i int) string { return fmt.Sprintf("user_fields[a%d]=b&", i) })
	},
	"long name":       func(n int) string { return strings.Repeat("n", n) + "=1" },
	"encoded":         func(n int) string { return "message=" + strings.Repeat("%C2%AD", n/6) },
	"broken encoding": func(n int) string { return "message=" + strings.Repeat("%C", n/2) },
	"long outer name": func(n int) string {
		outer := strings.Repeat("o", n/8)
		return series(n, func(i int) string { return fmt.Sprintf("%s[a%d]=b&", outer, i) })
	},
}

// parts make the dearest multipart bodies of some n bytes.
var parts = map[string]func(n int) string{
	"parts": func(n int) string {
		return series(n, func(i int) string { return part(fmt.Sprint("a", i), "b") }) + "--bound--\r\n"
	},
	"empty parts":  repeat("--bound\r\n\r\n\r\n"),
	"near ends":    func(n int) string { return part("a", strings.Repeat("\r\n--boun", n/8)) + "--bound--\r\n" },
	"long header":  func(n int) string { return "--bound\r\nX: " + strings.Repeat("x", n) + "\r\n\r\nb\r\n--bound--\r\n" },
	"many headers": func(n int) string { return "--bound\r\n" + strings.Repeat("a:b\r\n", n/5) + "\r\nb\r\n--bound--\r\n" },
	"long name":    func(n int) string { return part(strings.Repeat("n", n), "b") + "--bound--\r\n" },
	"parameters": func(n int) string {
		return "--bound\r\nContent-Disposition: form-data" + series(n, func(i int) string { return fmt.Sprintf("; a%d=b", i) }) + "\r\n\r\nb\r\n--bound--\r\n"
	},
	"a text": func(n int) string { return part("message", strings.Repeat("a\u00ad", n/3)) + "--bound--\r\n" },
	"a file": func(n int) string {
		return "--bound\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n" + strings.Repeat("\r\n--b", n/5) + "\r\n--bound--\r\n"
	},
}

func part(name, value string) string {
	return "--bound\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
}

func repeat(text string) func(int) string {
	return func(n int) string { return strings.Repeat(text, max(1, n/len(text))) }
}

// series joins texts up to n bytes.
func series(n int, text func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(text(i))
	}
	return b.String()
}

// headers are fields with values of some n bytes, or as many as the server takes.
func headers(n int) map[string][]string {
	n = min(n, 8<<10)
	list := func(name, item string) []string {
		return []string{name + ": " + strings.Repeat(item, n/len(item)) + "x"}
	}
	many := func(line string) (lines []string) {
		for range n / (len(line) + 2) {
			lines = append(lines, line)
		}
		return lines
	}
	return map[string][]string{
		"one long cookie": list("Cookie", "svc_v=a"), "many cookies": list("Cookie", "svc_v=a; "), "cookies of all names": {"Cookie: " + series(n, func(i int) string { return fmt.Sprintf("c%d=v; ", i) })},
		"lines of cookies": many("Cookie: svc_v=a"), "languages": list("Accept-Language", "en;q=0.1,"), "user agent": list("User-Agent", "Mozilla/5.0 bot "),
		"referrer": {"Referer: http://a.b/?" + strings.Repeat("utm_source=a&", n/13)}, "origin": list("Origin", "http://a,"), "forwarded": list("X-Forwarded-For", "10.0.0.1, "),
		"forwarded lines": many("X-Forwarded-For: 10.0.0.1"), "type": list("Content-Type", "a/b; c=d; "), "matches": list("If-None-Match", `"a", `), "encodings": list("Accept-Encoding", "gzip;q=0, "),
		"last event": list("Last-Event-ID", "1-1"), "accepted": list("Accept", "text/html;q=0.1,"), "range": list("Range", "bytes=0-1,"), "fields": many("A: b"),
	}
}

// queries are those of some n bytes, or as many as the server takes.
func queries(n int) map[string]string {
	n = min(n, 8<<10)
	return map[string]string{
		"repeated": strings.Repeat("k=shop&", n/7), "pairs": series(n, func(i int) string { return fmt.Sprintf("a%d=b&", i) }),
		"encoded": "q=" + strings.Repeat("%C2%AD", n/6), "ampersands": strings.Repeat("&", n), "long name": strings.Repeat("a", n) + "=1",
		"semicolons": strings.Repeat("a=b;", n/4),
	}
}

// with is a copy of a JSON object in which something stands at the path, such as request.message.
func with(object map[string]any, path string, value any) map[string]any {
	changed := make(map[string]any, len(object)+1)
	maps.Copy(changed, object)
	name, rest, deeper := strings.Cut(path, ".")
	if deeper {
		inner, _ := changed[name].(map[string]any)
		value = with(inner, rest, value)
	}
	changed[name] = value
	return changed
}

// encoded is the object in JSON, in which no sign is written longer than it has to be.
func encoded(object any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		panic(err) // they are texts
	}
	return b.String()
}

func fields(pairs ...string) string {
	form := make(url.Values)
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return form.Encode()
}

// sipMessages are calls that come in.
func sipMessages(s *scene, n int) inputs {
	all := make(inputs)
	for name, line := range map[string]func(n int) string{
		"a long header":      func(n int) string { return "Subject: " + strings.Repeat("a", n) + "\r\n" },
		"folded lines":       func(n int) string { return "Subject: a" + strings.Repeat("\r\n a", n/4) + "\r\n" },
		"many headers":       repeat("X: y\r\n"),
		"ways":               repeat("Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKx\r\n"),
		"routes":             repeat("Record-Route: <sip:p;lr>\r\n"),
		"parameters":         func(n int) string { return "Contact: <sip:x@y" + strings.Repeat(";a=b", n/4) + ">\r\n" },
		"identities":         repeat("P-Asserted-Identity: <tel:+79123456789>\r\n"),
		"identities in one":  func(n int) string { return "P-Asserted-Identity: " + strings.Repeat("<tel:+7>,", n/9) + "<tel:+7>\r\n" },
		"quotes":             func(n int) string { return `Diversion: "` + strings.Repeat(`\"`, n/2) + "\" <sip:x@y>\r\n" },
		"escapes":            func(n int) string { return "Diversion: <sip:" + strings.Repeat("%41", n/3) + "@y>\r\n" },
		"signs of no header": repeat("\x00\xff:"),
	} {
		all[name] = func() request {
			return request{datagram: sipMessage("INVITE", "127.0.0.1:9", strings.TrimSpace(s.unique()), line(n))}
		}
	}
	return all
}
