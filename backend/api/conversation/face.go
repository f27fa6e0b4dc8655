package conversation

import (
	"context"
	"errors"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/operator/face"
)

// face serves v1/chat/face/NAME: the face of an operator who works for the site. Another face has another name, so
// that browsers may keep it.
func (c *Conversations) face(ctx context.Context, r *gate.Request) (any, error) {
	content, err := c.Face(ctx, r.Site.ID, r.PathValue("face"))
	if errors.Is(err, face.ErrUnknown) {
		return nil, gate.NewFailure(http.StatusNotFound, "unknown_face", "%s", face.ErrUnknown)
	}
	if err != nil {
		return nil, err
	}
	r.W.Header().Set("Cache-Control", "public, max-age=2592000, immutable")
	return gate.File{Type: face.Type, Content: content}, nil
}
