package server_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/pgassay/pgassay/internal/server"
)

// helper is what the test binary does as a helper process. "hold" starts a
// server, prints its process and directory, and waits to be killed; "visit"
// starts one, prints who it runs as and what it holds, and stops it; "load"
// makes a template and prints how often it had to.
func helper(mode string) error {
	ctx := context.Background()
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
	in, err := h.Instance(ctx, t, server.InstanceOptions{})
	if err != nil {
		return err
	}
	fmt.Println(in.PID(), in.Dir(), in.Target().Host())
	if mode == "hold" {
		select {}
	}
	_, err = in.Stop(ctx)
	return err
}
