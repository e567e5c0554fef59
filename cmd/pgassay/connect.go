package main

import (
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
)

// connectFlags are psql's.
type connectFlags struct {
	DSN        string `name:"dsn" placeholder:"STRING" group:"connection" help:"Connection string or URI of your server."`
	Host       string `name:"host" short:"h" placeholder:"HOST" group:"connection" help:"Host or socket directory of your server."`
	Port       string `name:"port" short:"p" placeholder:"PORT" group:"connection" help:"Port."`
	User       string `name:"username" short:"U" placeholder:"NAME" group:"connection" help:"User."`
	Database   string `name:"dbname" short:"d" placeholder:"DB" group:"connection" help:"Database."`
	NoPassword bool   `name:"no-password" short:"w" group:"connection" help:"Never ask for a password."`
	Password   bool   `name:"password" short:"W" group:"connection" help:"Ask for a password."`
}

// given says whether any flag names a server.
func (c *connectFlags) given() bool {
	return c.DSN != "" || c.Host != "" || c.Port != "" || c.User != "" || c.Database != ""
}

// target resolves flags, environment, service file and password file.
func (c *connectFlags) target(a *app) (*dial.Target, error) {
	f := dial.Flags{DSN: c.DSN, Host: c.Host, Port: c.Port, User: c.User, Database: c.Database, NoPassword: c.NoPassword}
	if c.Password {
		f.Password = a.askPassword
	}
	return dial.Parse(f, a.env)
}

// askPassword reads a password from the terminal without echo.
func (a *app) askPassword() (string, error) {
	f, ok := a.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return "", pgassay.WithHint(fmt.Errorf("%w: -W needs a terminal to ask for the password", pgassay.ErrUsage), "Set PGPASSWORD or use a password file (~/.pgpass).")
	}
	fmt.Fprint(a.stderr, "Password: ")
	b, err := term.ReadPassword(int(f.Fd()))
	fmt.Fprintln(a.stderr)
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	return string(b), nil
}
