import { base } from './settings';

/**
 * What a part of the script leaves for this one, undefined where it cannot be had. A module is loaded with this script's own nonce,
 * leaves no element in the page, and needs no Trusted Type for its address.
 */
export async function load(asset: string, name: string): Promise<any> {
  try {
    await import(base + 'assets/' + asset);
  } catch {
    // It may be there from a run before.
  }
  return (window as any)[Symbol.for('svc:' + name)];
}
