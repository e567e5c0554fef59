// Package analyze turns the records of a run into what they mean.
package analyze
