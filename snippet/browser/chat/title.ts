/** Puts the number of unread messages before the page's title, and takes away what it has put there. */
export function titles(texts: Record<string, string>): { show(count: number): void } {
  let put = '';
  return {
    show(count) {
      const own = put && document.title.slice(0, put.length) === put ? document.title.slice(put.length) : document.title;
      put = count ? texts['chat.title.unread'].replace('{count}', String(count)) + ' ' : '';
      if (document.title !== put + own) {
        document.title = put + own;
      }
    },
  };
}
