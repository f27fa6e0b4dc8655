package key_test

import (
	"testing"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const site, chrome = visittest.Site, visittest.Chrome
