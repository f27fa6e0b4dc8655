package cluster

import (
	"fmt"
	"path/filepath"
	"strings"
)

// startEtcd runs three members of etcd, in which Patroni keeps who is the primary.
func (c *Cluster) startEtcd() error {
	var members, endpoints []string
	for i := range 3 {
		m, err := c.machine(fmt.Sprintf("etcd%d", i+1), 31+i, 256<<20)
		if err != nil {
			return err
		}
		c.Etcd = append(c.Etcd, m)
		members = append(members, fmt.Sprintf("%s=http://%s:2380", m.Name, m.Address))
		endpoints = append(endpoints, m.Address+":2379")
	}
	c.etcd = endpoints
	for _, m := range c.Etcd {
		peer, client := "http://"+m.Address+":2380", "http://"+m.Address+":2379"
		if _, err := m.add("etcd", "", nil, "etcd", "--name", m.Name, "--data-dir", filepath.Join(m.Disk, "data"), "--initial-cluster-state", "new",
			"--initial-cluster", strings.Join(members, ","), "--initial-advertise-peer-urls", peer, "--listen-peer-urls", peer,
			"--listen-client-urls", client, "--advertise-client-urls", client, "--logger", "zap", "--enable-v2"); err != nil {
			return err
		}
	}
	return nil
}
