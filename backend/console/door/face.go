package door

import (
	"errors"
	"io"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/face"
)

// MaxFaceForm bounds the body in bytes of a request that sends a face, in its field "picture".
const MaxFaceForm = face.Max + 64<<10

// SetFace gives the operator the face that the request sends. The error may be that of [operator.Faces.Set].
func SetFace(f *frame.Frame, r *http.Request, id int64) error {
	self, _ := frame.Current(r)
	sent, _, err := r.FormFile("picture")
	if _, large := errors.AsType[*http.MaxBytesError](err); large || r.ContentLength > MaxFaceForm {
		return face.ErrLarge
	}
	if err != nil {
		return face.ErrPicture
	}
	defer sent.Close()
	defer func() { _ = r.MultipartForm.RemoveAll() }()
	picture, err := io.ReadAll(sent)
	if err != nil {
		return err
	}
	return f.Operators.Faces().Set(r.Context(), self.Actor(), id, picture)
}

// faces are the face of the operator's own account, and those of colleagues.
type faces struct{ *Door }

// setFace gives the operator's own account a face, and removeFace takes it away.
func (c faces) setFace(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	return c.facedAccount(w, r, SetFace(c.Frame, r, o.ID))
}

func (c faces) removeFace(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	return c.facedAccount(w, r, c.Operators.Faces().Set(r.Context(), o.Actor(), o.ID, nil))
}

func (c faces) facedAccount(w http.ResponseWriter, r *http.Request, err error) error {
	if problem := Problem(c.Words(r), err); problem != "" {
		return c.account(w, r, http.StatusUnprocessableEntity, problem)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, "/account", "face.changed")
}

// showFace gives the face of a colleague. Another one has another name, so that the browser may keep it.
func (c faces) showFace(w http.ResponseWriter, r *http.Request) error {
	content, err := c.Operators.Faces().Named(r.Context(), frame.Permitted(r), r.PathValue("face"))
	if errors.Is(err, face.ErrUnknown) {
		return frame.NotFound
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", face.Type)
	w.Header().Set("Cache-Control", "private, max-age=2592000, immutable")
	w.Write(content)
	return nil
}
