package postgres

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/seed-3405227d/frontdesk/backend/db/replica"
	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// replicaReaders is how many questions a node asks of one replica at once.
const replicaReaders = 8

// Replicas are those of the connection string, which may name several hosts. Nothing is connected yet.
func (d *Database) Replicas(source string) (*replica.Replicas, error) {
	hosts, err := hostsOf(source)
	if err != nil {
		return nil, err
	}
	// Questions of readers may keep the other connections to the primary busy when it is to tell where it is.
	primary, err := open(d.direct, bounds(replica.Patience), 1, false)
	if err != nil {
		return nil, err
	}
	all := replica.New(primary, isRefusal)
	for _, config := range hosts {
		set := bounds(ReadTimeout)
		set["default_transaction_read_only"] = "on"
		config.ConnectTimeout = replica.Patience
		look := connect(config.Copy(), set, 1, false)
		all.Add(nameOf(config), connect(config, set, replicaReaders, false), look)
	}
	return all, nil
}

// hostsOf are the settings for each host of the connection string. Of one host there may be several ways to connect, such as
// with TLS and without.
func hostsOf(source string) (hosts []*pgx.ConnConfig, err error) {
	config, err := pgx.ParseConfig(source)
	if err != nil {
		return nil, err
	}
	ways := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	for _, way := range ways {
		at := slices.IndexFunc(hosts, func(c *pgx.ConnConfig) bool { return c.Host == way.Host && c.Port == way.Port })
		if at >= 0 {
			hosts[at].Fallbacks = append(hosts[at].Fallbacks, way)
			continue
		}
		host := config.Copy()
		host.Host, host.Port, host.TLSConfig, host.Fallbacks = way.Host, way.Port, way.TLSConfig, nil
		hosts = append(hosts, host)
	}
	return hosts, nil
}

func nameOf(c *pgx.ConnConfig) string { return net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) }

// isRefusal says whether the error is that of a server which has heard the statement and answered. Servers that are
// starting or stopping answer, too, and refuse everything.
func isRefusal(err error) bool {
	var of *pgconn.PgError
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting || !errors.As(err, &of) {
		return false
	}
	return of.Severity != "FATAL" && of.Severity != "PANIC"
}

// AskOnly hands the rows of the query to read, and refuses to write.
func (d *Database) AskOnly(ctx context.Context, query string, args []any, read func(wire.Rows) error) error {
	tx, err := d.Read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := read(rows); err != nil {
		return err
	}
	return rows.Close()
}

// IsWrite says whether the error is that of a statement which would have written where nothing may be written.
func IsWrite(err error) bool {
	of, is := errors.AsType[*pgconn.PgError](err)
	return is && of.Code == "25006"
}
