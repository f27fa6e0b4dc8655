const bare = 'article:empty,aside:empty,div:empty,main:empty,section:empty,span:empty';

/**
 * Elements of a page that may have shadow roots already. To ask each element would take as long as to read all of its texts. So they are
 * those whose names have a hyphen, which the browser finds by itself, and of the others those that show nothing but what a shadow root may
 * have.
 */
export function hostsIn(page: Document): Element[] {
  const hosts = Array.from(page.querySelectorAll(bare));
  const hyphenated = page.evaluate("//*[contains(name(),'-')]", page, null, XPathResult.UNORDERED_NODE_SNAPSHOT_TYPE, null);
  for (let i = 0; i < hyphenated.snapshotLength; i++) {
    hosts.push(hyphenated.snapshotItem(i) as Element);
  }
  return hosts;
}
