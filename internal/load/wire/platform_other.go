//go:build !linux

package wire

// platform are the engines that only this system has: none.
var platform []string

// newPlatform is called with a name of platform only, so never.
func newPlatform(string, Options) Engine { return nil }
