package server_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/server"
)

// helper is what the test binary does as a helper process. "hold" starts a
// server, prints its process and directory, and waits to be killed; "visit"
// starts one, prints the same, and stops it; "leave" starts one that outlives it;
// "load" makes a template and prints how often it had to; "attach" changes a
// server of others and waits to be killed.
func helper(mode string) error {
	ctx := context.Background()
	if mode == "attach" {
		return attachHelper(ctx)
	}
	h, err := openHome(os.Getenv("PGASSAY_TEST_HOME"))
	if err != nil {
		return err
	}
	defer h.Close()
	b, err := buildIn(os.Getenv("PGASSAY_TEST_BIN"))
	if err != nil {
		return err
	}
	loads := 0
	t, err := h.Template(ctx, server.TemplateSpec{Build: b, Dataset: small(2000)}, func(text string) {
		if strings.HasPrefix(text, "loaded:") {
			loads++
		}
	})
	if err != nil {
		return err
	}
	if mode == "load" {
		fmt.Println(loads, t.Key)
		return nil
	}
	in, err := h.Instance(ctx, t, server.InstanceOptions{Keep: mode == "leave"})
	if err != nil {
		return err
	}
	fmt.Println(in.PID(), in.Dir(), in.Target().Host())
	if mode == "hold" {
		select {}
	}
	if _, err := in.Stop(ctx); err != nil || mode != "leave" {
		return err
	}
	_, err = in.Leave(ctx)
	return err
}

// attachHelper changes a server of others and waits to be killed.
func attachHelper(ctx context.Context) error {
	port, err := strconv.Atoi(os.Getenv("PGASSAY_TEST_PORT"))
	if err != nil {
		return err
	}
	target := dial.Socket(os.Getenv("PGASSAY_TEST_SOCKET"), port, labtest.Superuser, "postgres")
	a, err := server.Attach(ctx, target, server.AttachOptions{Load: true, Settings: true, JournalDir: os.Getenv("PGASSAY_TEST_HOME")})
	if err != nil {
		return err
	}
	if err := a.Load(ctx, small(10), nil, nil, discard); err != nil {
		return err
	}
	if err := a.Apply(ctx, []pgassay.Setting{{Name: "work_mem", Value: "6MB"}, {Name: "autovacuum_naptime", Value: "7s"}}); err != nil {
		return err
	}
	fmt.Println("changed")
	select {}
}

// mustAttachHelper starts attachHelper in another process.
func mustAttachHelper(tb testing.TB, in *labtest.Instance, journal string) (*exec.Cmd, *bufio.Reader) {
	tb.Helper()
	return mustHelperWith(tb, nil, "PGASSAY_TEST_HELPER=attach", "PGASSAY_TEST_SOCKET="+in.SocketDir,
		"PGASSAY_TEST_PORT="+strconv.Itoa(in.Target().Port()), "PGASSAY_TEST_HOME="+journal)
}
