package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/seed-3405227d/frontdesk/bench/page"
	"github.com/seed-3405227d/frontdesk/bench/thread"
)

const (
	// scriptNodes is how many nodes the measured page has at least.
	scriptNodes = 5000
	// addedNodes is how many nodes are added to it then.
	addedNodes = 10000
	// scriptRest is how long a page is left alone after its load event, and after the addition, before its metrics are
	// read.
	scriptRest = thread.Rest
)

// measuredPage has some more than scriptNodes nodes, and as many numbers as a shop's page.
var measuredPage = page.Page{Size: 152 << 10, Numbers: 20}

// scriptSide is a way to get the same page.
type scriptSide struct {
	name, address string
	// slow is how many times slower the page's processor is.
	slow float64
	// ready is true in a page on which the script has done its work.
	ready string
}

// script measures what the browser script costs a page's main thread.
func script(ctx context.Context, folder, caddy string, o options) error {
	programs := []string{caddy}
	if o.before != "" {
		programs = append(programs, o.before)
	}
	if o.tasks {
		return scriptTasks(ctx, folder, programs, o)
	}
	return scriptTime(ctx, folder, programs, o.rounds, o.slow)
}

// scriptTime measures the same page, with the script and without, and what it adds later, in turns, each in a browser context of its own,
// so with nothing cached. The figures are the thread's CPU time by Chromium's Performance domain, on a processor that is slow times slower.
func scriptTime(ctx context.Context, folder string, programs []string, rounds int, slow float64) error {
	origin, err := thread.Serve([]thread.Page{{Name: "page", Body: measuredPage.Make()}}, nil, "")
	if err != nil {
		return err
	}
	defer origin.Close()
	sides, stop, err := startScriptSides(ctx, folder, programs, origin.Addr().String())
	defer stop()
	if err != nil {
		return err
	}
	browser, closeBrowser, err := thread.Start(ctx)
	if err != nil {
		return err
	}
	defer closeBrowser()

	spent, added := make(map[string][]thread.Spent), make(map[string][]thread.Spent)
	nodes := 0
	for round := range rounds + 1 {
		for _, s := range sides {
			s.slow = slow
			took, adding, counted, err := s.measure(browser)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if nodes = counted; nodes < scriptNodes {
				return fmt.Errorf("the page has %d nodes, expected %d", nodes, scriptNodes)
			}
			if round > 0 { // the first one warms the browser up
				spent[s.name], added[s.name] = append(spent[s.name], took), append(added[s.name], adding)
			}
		}
	}
	fmt.Printf("CPU time of the main thread in ms for a page of %d nodes, %d rounds in turns, nothing cached\n", nodes, rounds)
	printMainThread(sides, spent)
	fmt.Printf("\nthe same when the page then adds %d nodes\n", addedNodes)
	printMainThread(sides, added)
	return nil
}

// scriptTasks watches the tasks and the clicks of pages of ten kinds: alone, with the script, and with the scripts of others, if there is
// a folder of them.
func scriptTasks(ctx context.Context, folder string, programs []string, o options) error {
	watched := slices.DeleteFunc(thread.Pages(), func(p thread.Page) bool { return !strings.Contains(p.Name, o.page) })
	pages := append(slices.Clone(watched), thread.Page{Name: "page", Body: measuredPage.Make()}) // the last one tells when Caddy is ready
	origin, err := thread.Serve(pages, nil, "")
	if err != nil {
		return err
	}
	defer origin.Close()
	started, stop, err := startScriptSides(ctx, folder, programs, origin.Addr().String())
	defer stop()
	if err != nil {
		return err
	}
	sides, err := thread.Others(pages, o.others)
	if err != nil {
		return err
	}
	for i, s := range started {
		sides = slices.Insert(sides, i, thread.Side{Name: s.name, Address: s.address, Script: "/frontdesk/"})
	}
	browser, closeBrowser, err := thread.Start(ctx)
	if err != nil {
		return err
	}
	defer closeBrowser()
	return thread.Compare(browser, sides, watched, o.rounds, o.slow)
}

// printMainThread prints what the sides have taken, in the order of their rounds.
func printMainThread(sides []scriptSide, spent map[string][]thread.Spent) {
	fmt.Printf("%-38s %8s %8s %8s   %s\n", "medians", "script", "layout", "all", "script and layout beside the page alone: median, and of each side's lowest")
	of := func(s scriptSide, part func(thread.Spent) float64) []float64 {
		var values []float64
		for _, took := range spent[s.name] {
			values = append(values, part(took))
		}
		return values
	}
	both := func(m thread.Spent) float64 { return m.Script + m.Layout }
	alone := of(sides[0], both)
	for _, s := range sides {
		with := of(s, both)
		beside := make([]float64, len(with))
		for i := range with {
			beside[i] = with[i] - alone[i]
		}
		fmt.Printf("%-38s %8.2f %8.2f %8.2f   %.2f, %.2f\n", s.name, median(of(s, func(m thread.Spent) float64 { return m.Script })),
			median(of(s, func(m thread.Spent) float64 { return m.Layout })), median(of(s, func(m thread.Spent) float64 { return m.Task })),
			median(beside), slices.Min(with)-slices.Min(alone))
	}
}

// startScriptSides starts each program for each side but the first, which is the origin itself.
func startScriptSides(ctx context.Context, folder string, programs []string, origin string) (sides []scriptSide, stop func(), err error) {
	var processes []*process
	stop = func() {
		for _, p := range processes {
			p.stop()
		}
	}
	sides = []scriptSide{{name: "the page alone", address: origin, ready: "true"}}
	const identified, shows, part = `typeof Svc.getCredentials().hit_id === "number"`, ` && Svc.getPhones().length === 3`, ` && !!window[Symbol.for("svc:numbers")]`
	for _, with := range []struct{ name, directives, text, ready string }{
		{"with the script, no numbers", "", "setCsAccount", identified},
		{"with 3 numbers, once", numberDirectives("") + "\n\t\tdynamical_replacement off", "data-svc-numbers", identified + shows},
		{"with 3 numbers", numberDirectives(""), "data-svc-numbers", identified + shows},
		{"with 3 dynamic", leasedDirectives(), "setCsAccount", identified + shows + part},
	} {
		for i, program := range programs {
			address, err := freeAddress()
			if err != nil {
				return sides, stop, err
			}
			name := fmt.Sprint("script", len(sides))
			config := strings.NewReplacer("ADDRESS", address, "ORIGIN", origin, "FOLDER", folder).Replace(frontdeskConfig(name, with.directives))
			p, err := startCaddy(ctx, program, filepath.Join(folder, name+".conf"), config, "http://"+address+pagePath(0))
			if err != nil {
				return sides, stop, err
			}
			processes = append(processes, p)
			if err := awaitText(ctx, address, with.text); err != nil {
				return sides, stop, err
			}
			sides = append(sides, scriptSide{name: with.name + strings.Repeat(", before", i), address: address, ready: with.ready})
		}
	}
	return sides, stop, nil
}

// leasedDirectives are three numbers of which each visitor sees another, shown by the script.
func leasedDirectives() string {
	var directives []string
	for i, n := range page.Numbers(len(page.Written)) {
		var digits []string
		for k := range 100 { // more than there are visitors
			digits = append(digits, fmt.Sprintf("7499%d%06d", i, k))
		}
		directives = append(directives, fmt.Sprintf("number %s {\n\t\t\tdynamic %s\n\t\t}", n.Digits, strings.Join(digits, " ")))
	}
	return strings.Join(directives, "\n\t\t")
}

// measure opens the page in a browser context of its own. The page is asked nothing before its metrics are read.
func (s scriptSide) measure(browser context.Context) (took, added thread.Spent, nodes int, err error) {
	for range 5 { // a machine may be too busy for a page to be ready in its time
		var ready bool
		if took, added, nodes, ready, err = s.measureOnce(browser); err != nil || ready {
			return took, added, nodes, err
		}
	}
	return took, added, nodes, errors.New("the script has not done its work in time")
}

// addition adds nodes to the page, one number among them.
var addition = fmt.Sprintf(`document.body.appendChild(document.createElement("div")).innerHTML = Array.from({length: %d / 7}, (_, i) =>
	"<div><p>Goods " + i + " for <b>8 800 " + i + "</b></p><a href=/" + i + ">link</a></div>").join("") + "<p>8 (495) 123-45-67</p>", 0`, addedNodes)

func (s scriptSide) measureOnce(browser context.Context) (took, added thread.Spent, nodes int, ready bool, err error) {
	ctx, end, err := thread.Open(browser, "http://"+s.address, s.slow)
	if err != nil {
		return took, added, 0, false, err
	}
	defer end()
	if err := thread.Count(ctx); err != nil {
		return took, added, 0, false, err
	}
	during := func(action chromedp.Action[chromedp.Void]) (thread.Spent, error) {
		before, err := thread.SoFar(ctx)
		if err != nil {
			return before, err
		}
		if err := chromedp.Do(ctx, action); err != nil {
			return before, err
		}
		select {
		case <-time.After(scriptRest):
		case <-ctx.Done():
			return before, ctx.Err()
		}
		after, err := thread.SoFar(ctx)
		return thread.Spent{Script: after.Script - before.Script, Layout: after.Layout - before.Layout, Task: after.Task - before.Task}, err
	}
	if took, err = during(chromedp.Navigate("http://" + s.address + pagePath(0))); err != nil {
		return took, added, 0, false, err
	}
	if ready, err = chromedp.Run(ctx, chromedp.Evaluate[bool](s.ready)); err != nil {
		return took, added, 0, false, err
	}
	if nodes, err = chromedp.Run(ctx, chromedp.Evaluate[int](`(walk => { let n = 0; while (walk.nextNode()) n++; return n; })(document.createTreeWalker(document))`)); err != nil {
		return took, added, 0, false, err
	}
	added, err = during(chromedp.Evaluate[chromedp.Void](addition))
	return took, added, nodes, ready, err
}
