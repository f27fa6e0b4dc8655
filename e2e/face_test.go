package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// The visitor sees who answers: the operator's face beside the name.
func TestVisitorSeesTheOperatorsFace(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	whole := image.NewRGBA(image.Rect(0, 0, 300, 200))
	draw.Draw(whole, whole.Bounds(), image.NewUniform(color.RGBA{R: 200, G: 90, B: 60, A: 255}), image.Point{}, draw.Src)
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, whole))
	require.NoError(t, operator.New(ann.db, time.Now).Faces().Set(t.Context(), operator.Server(), ann.id, picture.Bytes()))

	b := newTab(t)
	b.opensChat(p.shop)
	b.says("Have you lamps?")
	ann.hears(1)
	ann.says("We have.")
	b.until(`chatRoot.querySelector(".meta .face")?.naturalWidth === 96`)
	require.Contains(t, value[string](b, `chatRoot.querySelector(".meta .face").parentNode.innerText`), "Ann")
}
