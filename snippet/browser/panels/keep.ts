/** What a page of a browser that keeps nothing remembers itself. */
const memory: Record<string, string | undefined> = {};

/** What is kept for the site of the key in this browser, or in this tab, over its pages; undefined where nothing is or may be. */
export interface Keep {
  kept(name: string, tab?: boolean): string | undefined;
  keep(name: string, value: string | undefined, tab?: boolean): void;
}

export function keeping(key: string): Keep {
  const slot = (name: string): string => 'cs:' + key + ':' + name;

  return {
    kept(name, tab) {
      try {
        return (tab ? sessionStorage : localStorage).getItem(slot(name)) || undefined;
      } catch {
        return memory[slot(name)]; // Nothing may be kept.
      }
    },
    keep(name, value, tab) {
      memory[slot(name)] = value;
      try {
        const into = tab ? sessionStorage : localStorage;
        if (value === undefined) {
          into.removeItem(slot(name));
        } else {
          into.setItem(slot(name), value);
        }
      } catch {
        // Nothing may be kept.
      }
    },
  };
}
