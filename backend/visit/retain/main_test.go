package retain_test

import (
	"testing"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }
