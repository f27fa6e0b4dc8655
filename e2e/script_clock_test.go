package e2e

// heldClock makes the long timers of a page wait for the test: clock.pass(ms) lets as many milliseconds pass and runs the
// timers that were set to just that, and clock.waiting(ms) counts these; clock.sleep(ms) lets them pass as for a computer
// that sleeps: no timer notices. Timers below 400 ms run by themselves.
const heldClock = `window.clock = (() => {
	const timers = new Map(), now = Date.now, clear = clearTimeout;
	let last = 1e6, passed = 0;
	const hold = (native, repeated) => (run, ms, ...args) => {
		if (!(ms >= 400)) return native(run, ms, ...args);
		timers.set(++last, {run: () => run(...args), ms, repeated});
		return last;
	};
	Date.now = () => now() + passed;
	window.setTimeout = hold(setTimeout, false);
	window.setInterval = hold(setInterval, true);
	window.clearTimeout = window.clearInterval = timer => timers.delete(timer) || clear(timer);
	return {
		waiting: ms => [...timers.values()].filter(timer => timer.ms === ms).length,
		sleep(ms) { passed += ms; },
		pass(ms) {
			passed += ms;
			for (const [name, timer] of [...timers].filter(([, timer]) => timer.ms === ms)) {
				timer.repeated || timers.delete(name);
				timer.run();
			}
		},
	};
})();`
