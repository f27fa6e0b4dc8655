/** What is heard of a root when it changes. */
export const observed = {
  childList: true,
  subtree: true,
  characterData: true,
  attributeFilter: ['alt', 'aria-label', 'content', 'href', 'src', 'title'],
};
