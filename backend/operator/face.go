package operator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator/face"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Faces are those of the operators. It is safe for concurrent use.
type Faces struct{ of *Operators }

// Faces returns them.
func (o *Operators) Faces() Faces { return Faces{o} }

// Set gives the operator the face of a picture, or with nil takes it away. The actor is the operator or has all of the
// operator's sites. The configuration declares no faces, so that provisioned accounts can be given one. The error may be
// [face.ErrPicture], [face.ErrLarge], [ErrUnknown] or [ErrForbidden].
func (f Faces) Set(ctx context.Context, actor Actor, id int64, picture []byte) error {
	var small []byte
	var name string
	if picture != nil {
		var err error
		if small, err = face.Of(picture); err != nil {
			return err
		}
		sum := sha256.Sum256(small)
		name = hex.EncodeToString(sum[:16])
	}
	return f.of.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		// The row is locked: the operator is not removed meanwhile, on any node.
		if _, err := tx.Exec(ctx, `UPDATE operators SET epoch = epoch WHERE id = $1`, id); err != nil {
			return fmt.Errorf("changing a face: %w", err)
		}
		found, err := find(ctx, tx, "id = $1", id)
		switch {
		case err != nil:
			return err
		case found.Login == actor.By:
		case !actor.sees(found.Operator):
			return ErrUnknown
		case !actor.Sites.Covers(found.Sites):
			return ErrForbidden
		}
		if _, err := tx.Exec(ctx, `DELETE FROM operator_faces WHERE operator_id = $1`, id); err != nil {
			return fmt.Errorf("changing a face: %w", err)
		}
		if small != nil {
			if _, err := tx.Exec(ctx, `INSERT INTO operator_faces (operator_id, name, content) VALUES ($1, $2, $3)`, id, name, small); err != nil {
				return fmt.Errorf("changing a face: %w", err)
			}
		}
		return f.of.note(ctx, tx, FaceChanged, actor.By, found.operator(), found.Sites, nil)
	})
}

// Named is the face of the name, of the type [face.Type], of an operator who sees one of the sites at least, or
// [face.ErrUnknown].
func (f Faces) Named(ctx context.Context, sites scope.Sites, name string) ([]byte, error) {
	type row struct {
		content []byte
		sites   scope.Sites
	}
	rows, err := db.List(ctx, f.of.db.Read(), func(r *row) []any { return []any{&r.content, &r.sites} },
		`SELECT f.content, `+accountSites+` FROM operator_faces f JOIN operators ON operators.id = f.operator_id WHERE f.name = $1`, name)
	if err != nil {
		return nil, fmt.Errorf("reading a face: %w", err)
	}
	for _, r := range rows {
		if (Actor{Sites: sites}).sees(Operator{Sites: r.sites}) {
			return r.content, nil
		}
	}
	return nil, face.ErrUnknown
}
