package relay

import (
	"net/http"
	"slices"
	"strings"
)

// RelayedRoutes are the patterns under the prefix that the relay passes on, beside assets: those of the browser
// interface, and v1, where the service's script makes its calls. Nothing else of the service's host can be reached.
var RelayedRoutes = [...]string{
	"svc.js", "phone/{name}", "calls/", "v1/", "api/add_offline_message", "api/add_offline_message/{$}", "vc/s", "vc/s/{$}",
}

// relayedMethods are those that the relay passes on.
var relayedMethods = [...]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions}

// relayedFields are the fields of a request that the relay passes on, beside cookies of the service. Fields by which
// the visitor proves something to the site, such as Authorization, are none of them. The names are as [http.Header] has
// them.
var relayedFields = []string{
	"Accept", "Accept-Encoding", "Accept-Language", "Access-Control-Request-Headers", "Access-Control-Request-Method", "Cache-Control", "Content-Type",
	"Dnt", "Idempotency-Key", "If-Modified-Since", "If-None-Match", "If-Range", "Last-Event-Id", "Origin", "Purpose", "Range", "Referer", "Save-Data",
	"Sec-Ch-Ua", "Sec-Ch-Ua-Mobile", "Sec-Ch-Ua-Platform", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User", "Sec-Gpc", "Sec-Purpose",
	"User-Agent",
	// Telephone platforms sign their requests with these.
	"Webhook-Id", "Webhook-Signature", "Webhook-Timestamp", "X-Twilio-Signature",
	// These describe the client to the service elsewhere. The relay sets them.
	"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
}

// answeredFields are the fields of an answer that the relay passes back, beside cookies of the service.
var answeredFields = []string{
	"Accept-Ranges", "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers", "Access-Control-Allow-Methods", "Access-Control-Allow-Origin",
	"Access-Control-Expose-Headers", "Access-Control-Max-Age", "Age", "Allow", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language",
	"Content-Length", "Content-Range", "Content-Security-Policy", "Content-Type", "Cross-Origin-Resource-Policy", "Date", "Etag", "Expires", "Last-Modified",
	"Referrer-Policy", "Retry-After", "Vary", "X-Accel-Buffering", "X-Content-Type-Options",
}

// keepFields removes all fields but those of the names.
func keepFields(h http.Header, names []string) {
	for name := range h {
		if !slices.Contains(names, name) {
			delete(h, name)
		}
	}
}

// isPlainPath says whether a decoded path means the same to everybody. Programs behind the relay may decode a path once
// more, or take other signs for slashes. So each segment consists of A–Z, a–z, 0–9, ".", "-" and "_", none is "." or
// "..", and none but the last is empty.
func isPlainPath(path string) bool {
	for path != "" {
		segment, rest, _ := strings.Cut(path, "/")
		if segment == "" || segment == "." || segment == ".." || !isPlainSegment(segment) {
			return false
		}
		path = rest
	}
	return true
}

func isPlainSegment(segment string) bool {
	for i := range len(segment) {
		switch ch := segment[i]; {
		case 'a' <= ch && ch <= 'z', 'A' <= ch && ch <= 'Z', '0' <= ch && ch <= '9', ch == '.', ch == '-', ch == '_':
		default:
			return false
		}
	}
	return true
}
