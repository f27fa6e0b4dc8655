//go:build !race

package stepstest

const Raced = false
