//go:build !race

package stepstest

const raced = false
