import { base, nonce } from './settings';

/**
 * Loads a part of the script, and calls `done` when it is there or cannot be had. A module is loaded with this script's own nonce,
 * leaves no element in the page, and needs no Trusted Type for its address; where there are no modules, an element does.
 */
export async function load(asset: string, done: () => void): Promise<void> {
  const url = base + 'assets/' + asset;
  try {
    await import(url);
  } catch {
    try {
      const script = document.createElement('script');
      script.nonce = nonce;
      script.src = url;
      script.onload = script.onerror = done;
      document.head.append(script);
      return;
    } catch {
      // The page demands Trusted Types.
    }
  }
  done();
}
