package passkey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// algorithms are those of the keys that are taken.
var algorithms = webauthn.CredentialParametersRecommendedL3()

// holder is an account as the library asks for it.
type holder struct {
	operator.Operator
	handle []byte
	keys   []webauthn.Credential
}

func (h *holder) WebAuthnID() []byte                         { return h.handle }
func (h *holder) WebAuthnName() string                       { return h.Login }
func (h *holder) WebAuthnDisplayName() string                { return h.Label() }
func (h *holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// holder is the account with its passkeys of the place.
func (p *Passkeys) holder(ctx context.Context, at Place, o operator.Operator) (*holder, error) {
	handle, err := p.handle(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	rows, err := read(ctx, p.db.Read(), `operator_id = $1 AND host = $2`, o.ID, at.Host)
	if err != nil {
		return nil, err
	}
	h := &holder{Operator: o, handle: handle, keys: make([]webauthn.Credential, len(rows))}
	for i, r := range rows {
		h.keys[i] = r.credential()
	}
	return h, nil
}

func (r row) credential() webauthn.Credential {
	transports := strings.Fields(r.transports)
	c := webauthn.Credential{
		ID: r.id, PublicKey: r.publicKey, Transport: make([]protocol.AuthenticatorTransport, len(transports)),
		Flags:         webauthn.CredentialFlags{BackupEligible: r.backupEligible, BackupState: r.backedUp},
		Authenticator: webauthn.Authenticator{SignCount: uint32(r.signCount)},
	}
	for i, transport := range transports {
		c.Transport[i] = protocol.AuthenticatorTransport(transport)
	}
	return c
}

// AskAdding asks a browser for a new passkey of the account, in its session of that name. The error may be [ErrMany].
func (p *Passkeys) AskAdding(ctx context.Context, at Place, o operator.Operator, session string) (Asked, error) {
	party, err := at.party()
	if err != nil {
		return Asked{}, err
	}
	all, err := p.Of(ctx, o.ID)
	if err != nil {
		return Asked{}, err
	}
	if len(all) >= Max {
		return Asked{}, ErrMany
	}
	h, err := p.holder(ctx, at, o)
	if err != nil {
		return Asked{}, err
	}
	creation, _, err := party.BeginRegistration(h, webauthn.WithCredentialParameters(algorithms), webauthn.WithExclusions(webauthn.Credentials(h.keys).CredentialDescriptors()))
	if err != nil {
		return Asked{}, fmt.Errorf("asking for a passkey: %w", err)
	}
	return p.asked(ctx, ceremony{at, adding, o.ID, session}, creation.Response, creation.Response.Challenge)
}

func (p *Passkeys) asked(ctx context.Context, c ceremony, options any, challenge protocol.URLEncodedBase64) (a Asked, err error) {
	if a.Options, err = json.Marshal(options); err != nil {
		return Asked{}, err
	}
	a.Ticket, err = p.ticket(ctx, c, challenge)
	return a, err
}

// Add adds the passkey with which the browser has answered [Passkeys.AskAdding]. The error may be [ErrName], [ErrMany],
// [ErrKnown], [ErrChallenge] or [ErrRefused].
func (p *Passkeys) Add(ctx context.Context, at Place, o operator.Operator, session, ticket, name string, answer []byte) error {
	name, err := operator.CheckName(name)
	if err != nil || name == "" {
		return ErrName
	}
	given, err := p.open(ctx, ceremony{at, adding, o.ID, session}, ticket)
	if err != nil {
		return err
	}
	made, err := p.made(ctx, at, o, given, answer)
	if err != nil {
		return err
	}
	return p.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		// The account is locked: of those who add at once, none counts before another is done.
		if _, err := tx.Exec(ctx, `UPDATE operators SET epoch = epoch WHERE id = $1`, o.ID); err != nil {
			return fmt.Errorf("adding a passkey: %w", err)
		}
		if err := p.useUp(ctx, tx, given); err != nil {
			return err
		}
		kept, _, err := db.One(ctx, tx, db.Only[int], `SELECT COUNT(*) FROM operator_passkeys WHERE operator_id = $1`, o.ID)
		if err != nil {
			return fmt.Errorf("counting passkeys: %w", err)
		}
		if kept >= Max {
			return ErrMany
		}
		added, err := tx.Exec(ctx, `INSERT INTO operator_passkeys (id, operator_id, host, name, public_key, sign_count, transports, backup_eligible, backed_up, made_at, used_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0) ON CONFLICT (id) DO NOTHING`,
			made.id, o.ID, at.Host, name, made.publicKey, made.signCount, made.transports, made.backupEligible, made.backedUp, p.now().UnixMilli())
		switch {
		case err != nil:
			return fmt.Errorf("adding a passkey: %w", err)
		case added == 0:
			return ErrKnown
		}
		return operator.NoteNamed(ctx, tx, Added, p.now(), o.Login, o, name)
	})
}

// made is the passkey of an answer, or [ErrRefused].
func (p *Passkeys) made(ctx context.Context, at Place, o operator.Operator, given challenge, answer []byte) (row, error) {
	if len(answer) > MaxAnswer {
		return row{}, ErrRefused
	}
	party, err := at.party()
	if err != nil {
		return row{}, err
	}
	handle, err := p.handle(ctx, o.ID)
	if err != nil {
		return row{}, err
	}
	said, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return row{}, refused(err)
	}
	made, err := party.CreateCredential(&holder{Operator: o, handle: handle}, webauthn.SessionData{
		Challenge: given.text(), RelyingPartyID: at.Host, UserID: handle, UserVerification: protocol.VerificationRequired, CredParams: algorithms,
	}, said)
	if err != nil {
		return row{}, refused(err)
	}
	if len(made.ID) == 0 || len(made.ID) > maxID || len(made.PublicKey) > maxKey {
		return row{}, ErrRefused
	}
	return row{
		id: made.ID, publicKey: made.PublicKey, signCount: int64(made.Authenticator.SignCount), transports: transportsOf(made.Transport),
		backupEligible: made.Flags.BackupEligible, backedUp: made.Flags.BackupState,
	}, nil
}

// transports are the ways to a passkey's device that are kept.
var transports = []protocol.AuthenticatorTransport{protocol.USB, protocol.NFC, protocol.BLE, protocol.SmartCard, protocol.Hybrid, protocol.Internal}

func transportsOf(said []protocol.AuthenticatorTransport) string {
	var known []string
	for _, transport := range transports {
		if slices.Contains(said, transport) {
			known = append(known, string(transport))
		}
	}
	return strings.Join(known, " ")
}

// maxReason bounds what is told of why an answer was refused, in bytes: parts of the answer are in it.
const maxReason = 300

// refused is [ErrRefused], with what the library says.
func refused(err error) error {
	reason := err.Error()
	if said, ok := errors.AsType[*protocol.Error](err); ok && said.DevInfo != "" {
		reason += ": " + said.DevInfo
	}
	return fmt.Errorf("%w: %s", ErrRefused, strings.ToValidUTF8(reason[:min(len(reason), maxReason)], ""))
}
