package token

import "strings"

// Scope is something that a token opens: a subject, and whether it may be read alone, or changed as well.
type Scope string

// The scopes.
const (
	ReadLeads      Scope = "leads:read"
	WriteLeads     Scope = "leads:write"
	ReadCalls      Scope = "calls:read"
	WriteCalls     Scope = "calls:write"
	ReadChats      Scope = "chats:read"
	WriteChats     Scope = "chats:write"
	ReadCallbacks  Scope = "callbacks:read"
	WriteCallbacks Scope = "callbacks:write"
	ReadVisitors   Scope = "visitors:read"
	WriteVisitors  Scope = "visitors:write"
	ReadPersons    Scope = "persons:read"
	WritePersons   Scope = "persons:write"
	ReadSites      Scope = "sites:read"
	WriteSites     Scope = "sites:write"
	ReadNumbers    Scope = "numbers:read"
	WriteNumbers   Scope = "numbers:write"
	ReadEndpoints  Scope = "endpoints:read"
	WriteEndpoints Scope = "endpoints:write"
	ReadOperators  Scope = "operators:read"
	WriteOperators Scope = "operators:write"
	ReadReports    Scope = "reports:read"
	WriteReports   Scope = "reports:write"
	ReadHistory    Scope = "history:read"
	ReadEvents     Scope = "events:read"
)

// Scopes are all of them, in the order in which they are shown.
var Scopes = []Scope{ReadLeads, WriteLeads, ReadCalls, WriteCalls, ReadChats, WriteChats, ReadCallbacks, WriteCallbacks, ReadVisitors, WriteVisitors, ReadPersons, WritePersons,
	ReadSites, WriteSites, ReadNumbers, WriteNumbers, ReadEndpoints, WriteEndpoints, ReadOperators, WriteOperators, ReadReports, WriteReports, ReadHistory, ReadEvents}

// Parts are the subject of the scope, such as "leads", and what may be done with it: "read" or "write".
func (s Scope) Parts() (subject, does string) {
	subject, does, _ = strings.Cut(string(s), ":")
	return subject, does
}

func names() (names []string) {
	for _, s := range Scopes {
		names = append(names, string(s))
	}
	return names
}
