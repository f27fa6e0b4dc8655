import { start } from './start';

// The core script knows this part by the name alone: either may be of another version.
(window as unknown as Record<symbol, unknown>)[Symbol.for('svc:numbers')] = start;
