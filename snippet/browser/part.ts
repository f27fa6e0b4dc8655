import { base } from './settings';

/**
 * Loads a part of the script: what it exports, or an empty object where it cannot be had. A module is loaded with this script's own
 * nonce, leaves no element in the page, and needs no Trusted Type for its address.
 */
export async function load(asset: string): Promise<any> {
  try {
    return await import(base + 'assets/' + asset);
  } catch {
    return {};
  }
}
