package passkey

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// AskSignIn asks a browser for a passkey of whatever account. The answer tells nothing of which accounts there are.
func (p *Passkeys) AskSignIn(ctx context.Context, at Place) (Asked, error) {
	party, err := at.party()
	if err != nil {
		return Asked{}, err
	}
	assertion, _, err := party.BeginDiscoverableLogin()
	if err != nil {
		return Asked{}, fmt.Errorf("asking for a passkey: %w", err)
	}
	return p.asked(ctx, ceremony{at, comingIn, 0, ""}, assertion.Response, assertion.Response.Challenge)
}

// SignIn is the account whose passkey has answered [Passkeys.AskSignIn]. The error may be [ErrUnknown], [ErrChallenge],
// [ErrCopied], [ErrRefused], or [operator.ErrDisabled].
func (p *Passkeys) SignIn(ctx context.Context, at Place, ticket string, answer []byte) (operator.Operator, error) {
	given, err := p.open(ctx, ceremony{at, comingIn, 0, ""}, ticket)
	if err != nil {
		return operator.Operator{}, err
	}
	party, said, err := p.said(at, answer)
	if err != nil {
		return operator.Operator{}, err
	}
	h, err := p.owner(ctx, at, said.RawID)
	if err != nil {
		return operator.Operator{}, err
	}
	_, used, err := party.ValidatePasskeyLogin(func(_, _ []byte) (webauthn.User, error) { return h, nil }, session(at, given, nil), said)
	if err != nil {
		return operator.Operator{}, refused(err)
	}
	return p.use(ctx, h.Operator, given, used)
}

// AskStep asks a browser for a passkey of the account, whose password was given in the session of that name. The error is
// [ErrUnknown] if the account has none at the place.
func (p *Passkeys) AskStep(ctx context.Context, at Place, o operator.Operator, session string) (Asked, error) {
	party, err := at.party()
	if err != nil {
		return Asked{}, err
	}
	h, err := p.holder(ctx, at, o)
	if err != nil {
		return Asked{}, err
	}
	if len(h.keys) == 0 {
		return Asked{}, ErrUnknown
	}
	assertion, _, err := party.BeginLogin(h)
	if err != nil {
		return Asked{}, fmt.Errorf("asking for a passkey: %w", err)
	}
	return p.asked(ctx, ceremony{at, secondStep, o.ID, session}, assertion.Response, assertion.Response.Challenge)
}

// Step takes the answer of a passkey of the account to [Passkeys.AskStep]. The error may be that of [Passkeys.SignIn].
func (p *Passkeys) Step(ctx context.Context, at Place, o operator.Operator, inSession, ticket string, answer []byte) error {
	given, err := p.open(ctx, ceremony{at, secondStep, o.ID, inSession}, ticket)
	if err != nil {
		return err
	}
	party, said, err := p.said(at, answer)
	if err != nil {
		return err
	}
	h, err := p.holder(ctx, at, o)
	if err != nil {
		return err
	}
	used, err := party.ValidateLogin(h, session(at, given, h.handle), said)
	if err != nil {
		return refused(err)
	}
	_, err = p.use(ctx, o, given, used)
	return err
}

// said reads an answer.
func (p *Passkeys) said(at Place, answer []byte) (*webauthn.WebAuthn, *protocol.ParsedCredentialAssertionData, error) {
	if len(answer) > MaxAnswer {
		return nil, nil, ErrRefused
	}
	said, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, nil, refused(err)
	}
	party, err := at.party()
	return party, said, err
}

// session is what the library holds an answer against.
func session(at Place, given challenge, handle []byte) webauthn.SessionData {
	return webauthn.SessionData{Challenge: given.text(), RelyingPartyID: at.Host, UserID: handle, UserVerification: protocol.VerificationRequired}
}

// owner is the account that has the passkey at the place, or [ErrUnknown].
func (p *Passkeys) owner(ctx context.Context, at Place, id []byte) (*holder, error) {
	rows, err := read(ctx, p.db.Read(), `id = $1 AND host = $2`, id, at.Host)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, ErrUnknown
	}
	o, err := p.operators.Get(ctx, rows[0].account)
	if errors.Is(err, operator.ErrUnknown) || err == nil && o.Waiting { // whose password was taken
		return nil, ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	handle, err := p.handle(ctx, o.ID)
	return &holder{Operator: o, handle: handle, keys: []webauthn.Credential{rows[0].credential()}}, err
}

// use notes that the account's passkey was used to answer the challenge, whose signature is right.
func (p *Passkeys) use(ctx context.Context, o operator.Operator, given challenge, used *webauthn.Credential) (operator.Operator, error) {
	if o.Disabled {
		return operator.Operator{}, operator.ErrDisabled
	}
	copied := false
	err := p.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if err := p.useUp(ctx, tx, given); err != nil {
			return err
		}
		// Of two signatures of the same count, one is of a copy. Devices that do not count say 0.
		var changed int64
		if !used.Authenticator.CloneWarning {
			var err error
			if changed, err = tx.Exec(ctx, `UPDATE operator_passkeys SET sign_count = $1, backed_up = $2, used_at = $3
				WHERE id = $4 AND operator_id = $5 AND (sign_count < $1 OR sign_count = 0 AND $1 = 0)`,
				int64(used.Authenticator.SignCount), used.Flags.BackupState, p.now().UnixMilli(), used.ID, o.ID); err != nil {
				return fmt.Errorf("using a passkey: %w", err)
			}
		}
		if copied = changed == 0; !copied {
			return nil
		}
		kept, err := read(ctx, tx, `id = $1 AND operator_id = $2`, used.ID, o.ID)
		switch {
		case err != nil:
			return err
		case len(kept) == 0: // removed meanwhile
			return ErrUnknown
		}
		return operator.NoteNamed(ctx, tx, Copied, p.now(), o.Login, o, kept[0].name)
	})
	if err == nil && copied {
		err = ErrCopied
	}
	if err != nil {
		return operator.Operator{}, err
	}
	return o, nil
}
